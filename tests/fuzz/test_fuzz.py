"""A thousand cases of the fuzzer: each ends with a result or an error of motiform, in bounded time and memory."""

import pytest

from fuzz.run import fuzz
from fuzz.targets import TARGETS


@pytest.mark.slow
def test_a_thousand_cases_end_well():
    done, wrong = fuzz(1000, 20, list(TARGETS))
    assert sum(done.values()) == 1000
    assert wrong == {}
