"""Digests: the same for the same values, however blocks are cut, and for nothing else."""

from pathlib import Path

import numpy as np
import pytest

from motiform.base.digest import Digest

PAIRS = [
    (([1, 2], 3), ([1], 2, 3)),
    (("1",), (1,)),
    ((1,), (1.0,)),
    ((1,), (True,)),
    ((None,), ("None",)),
    (({"a": 1},), (["a", 1],)),
    ((np.zeros((2, 3)),), (np.zeros((3, 2)),)),
    ((np.zeros(2),), (np.zeros(2, np.int64),)),
    ((np.array([0.0]),), (np.array([-0.0]),)),
    (("ab", "c"), ("a", "bc")),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_values_that_differ_have_other_digests(one, other):
    assert Digest(*one).text() != Digest(*other).text()


def test_equal_values_have_equal_digests():
    x = np.arange(12.0).reshape(3, 4)
    assert Digest({"b": x, "a": np.float64(2)}).text() == Digest({"a": 2.0, "b": np.asfortranarray(x)}).text()
    assert Digest().add_blocks([x]).text() == Digest().add_blocks([x[:1], x[1:]]).text()
    assert Digest(1).text(24) == Digest(1).text()[:24]


def test_files_count_with_names_and_bytes_and_links_with_names_alone(tmp_path):
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "x").write_text("1")
    first = Digest().add_file(folder).text()
    assert first == Digest().add_file(folder).text()
    (folder / "x").write_text("2")
    assert first != Digest().add_file(folder).text()
    (folder / "x").write_text("1")
    (folder / "y").symlink_to(Path("/dev/zero"))  # without an end
    assert first != Digest().add_file(folder).text()
