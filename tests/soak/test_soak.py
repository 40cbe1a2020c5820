"""A few faults of every kind: what was committed stays, and resumed runs have the same bits."""

import sys

import pytest

from soak.run import FAULTS, soak


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="it has neither these signals nor these limits")
def test_faults_do_no_harm():
    bench = soak(5, 20, list(FAULTS))  # together: they share the whole runs that they compare with
    assert set(bench.seconds) == set(FAULTS)
    assert bench.wrong == []
