"""Parameters encoded and decoded again; the limits of the section."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from motiform.base.errors import InputError
from motiform.measure.markers.c3d.encode import encode_parameters
from motiform.measure.markers.c3d.parameters import BLOCK, read_parameters

# What padding keeps: texts are stripped of blanks and zeros when they are read.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60).map(lambda text: text.replace("\0", "").strip())
SHAPES = st.lists(st.integers(1, 6), max_size=3).flatmap(
    lambda rows: st.integers(1, 700).map(lambda columns: (*rows[:2], columns) if rows else ())
)
DTYPES = st.sampled_from([np.int8, np.int16, np.float32])


@st.composite
def numbers(draw):
    """An array of any type that a parameter can have, and any shape."""
    shape, dtype = draw(SHAPES), draw(DTYPES)
    bits = np.random.default_rng(draw(st.integers(0, 2**32))).bytes(int(np.prod(shape, dtype=int)) * dtype().itemsize)
    return np.frombuffer(bits, dtype).reshape(shape)


def decoded(section):
    assert len(section) % BLOCK == 0
    data = 0x7F.to_bytes(1, "little") * BLOCK  # samples that follow must not be taken for parameters
    found, _ = read_parameters(bytes(BLOCK) + section + data, 2, "test")
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(numbers(), max_size=4), st.lists(st.lists(TEXT, max_size=600), max_size=3), TEXT)
def test_what_is_encoded_is_decoded(arrays, lists, text):
    groups = {"FIRST": {f"N{'ABCD'[k]}": array for k, array in enumerate(arrays)} | {"TEXT": text}}
    groups["SECOND"] = {f"T{'ABC'[k]}": texts for k, texts in enumerate(lists)}
    size = sum(array.nbytes for array in arrays) + sum(len(t) * max(len(x.encode()) for x in t) for t in lists if t)
    if size > 255 * BLOCK:
        with pytest.raises(InputError, match="255 blocks"):
            encode_parameters(groups, "test")
        return
    assume(size < 250 * BLOCK)  # names and shapes take some of them
    found = decoded(encode_parameters(groups, "test"))
    for name, array in list(groups["FIRST"].items())[:-1]:
        assert found.array("FIRST", name).tobytes() == array.tobytes()
        assert found.array("FIRST", name).shape == array.shape
    assert found.texts("FIRST", "TEXT") == ([text] if text else [])
    for name, texts in groups["SECOND"].items():
        assert found.texts("SECOND", name) == texts


@pytest.mark.parametrize("width", [1, 127, 128, 129, 254, 255])
@pytest.mark.parametrize("count", [1, 254, 255, 256])
def test_parts_are_as_long_as_they_can_be(width, count):
    section = encode_parameters({"POINT": {"LABELS": ["a" * width] * count}}, "test")
    assert decoded(section).texts("POINT", "LABELS") == ["a" * width] * count
    # The way to the next entry is 32767 at most, 2 + 2 + 2 + 1 bytes of it are not text.
    columns = min(255, (32767 - 7) // width)
    assert section.count(b"LABELS") == -(-count // columns)


def test_every_length_of_the_section_comes_to_its_end():
    for size in range(1, 2 * BLOCK + 20):
        lengths = [min(255, size - k) for k in range(0, size, 255)]
        groups = {"A": {f"P{k}": "x" * n for k, n in enumerate(lengths, start=1)} | {"LAST": 7}}
        found = decoded(encode_parameters(groups, "test"))
        assert len(found._values) == len(lengths) + 1
        assert found.number("A", "LAST") == 7


def test_the_section_is_255_blocks_at_most():
    full = ["x" * 128] * (255 * 4 - 1)
    assert len(encode_parameters({"POINT": {"LABELS": full[:-1]}}, "walk")) == 255 * BLOCK
    with pytest.raises(InputError, match=r"^walk: .*got '256 blocks'; allowed: up to 255 blocks of 512 bytes.*Shorten"):
        encode_parameters({"POINT": {"LABELS": [*full, "x"]}}, "walk")


def test_texts_that_do_not_fit():
    assert decoded(encode_parameters({"A": {"T": ["é" * 127]}}, "")).texts("A", "T") == ["é" * 127]
    with pytest.raises(InputError, match=r"walk: A:T: .*256 bytes.*up to 255 bytes of UTF-8"):
        encode_parameters({"A": {"T": ["short", "é" * 128]}}, "walk")
    with pytest.raises(InputError, match="text must be"):
        encode_parameters({"A": {"T": ["\ud800"]}}, "walk")


def test_words_without_sign_and_bytes():
    found = decoded(encode_parameters({"A": {"W": np.array([0, 65535]), "B": np.array([1, 2], np.uint8)}}, ""))
    assert_array_equal(found.array("A", "W").view(np.uint16), [0, 65535])
    assert found.array("A", "B").dtype == np.int8
