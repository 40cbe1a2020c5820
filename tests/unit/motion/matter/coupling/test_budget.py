"""Budgets of information: the published numbers, their errata, and the inequalities between boxes."""

import json

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.matter.coupling import ModelScale, SignalScale, bits_for, budget_table, compare


def rows(chapter: int) -> dict:
    return {row.item: row for row in budget_table(chapter)}


@pytest.mark.parametrize(
    ("item", "value", "printed_right"),
    [
        ("image, 24 bits", 265.4e6, True),
        ("sound, four channels of 16 bits", 2.82e6, True),
        ("hand, 16 coordinates of 16 bits", 268.8e3, False),  # 256 k is at 1000 Hz
        ("image, 32 bits", 353.9e6, True),
        ("sound, 64 bits", 11.29e6, False),  # printed 113 M: a slip by ten
        ("hand, 64 bits", 1.0752e6, False),  # printed "1 M"
        ("separate models", 366.3e6, False),  # printed 468 M, from the 113
        ("one model", 1.249e12, True),
        ("one over image alone", 3528, True),
        ("one over separate models", 3409, False),
        ("moving image, one model", 28.3e9, False),  # printed M
        ("moving image, one mass", 80.0, True),
        ("moving image, 5000 masses", 21.55, False),  # printed 40
    ],
)
def test_chapter_two(item, value, printed_right):
    """[Habibi97 §2.4.1.2]; what is printed in bytes is in bits. Published to two or three digits."""
    row = rows(2)[item]
    assert row.value == pytest.approx(value, rel=2e-3)
    assert (abs(row.value / row.thesis - 1) < 0.015) == printed_right


def test_rows_are_reported():
    line = " ".join(str(rows(2)["sound, 64 bits"]).split())
    assert line == "sound, 64 bits 1.13e+08 1.129e+07 bit/s (a slip by ten)"


def test_ratio_of_forty_needs_fewer_masses():
    image = 768 * 576 * 25 * 32
    mono = 768 * 576 * 1000 * 64
    n = (mono / 40 - image) / (3 * 64 * 1000)
    assert n == pytest.approx(1840, rel=2e-3)


@pytest.mark.parametrize(
    ("item", "value"),
    [
        ("motion, 1000 coordinates", 240e6),
        ("image, 25 Hz", 300e6),
        ("one model", 240e9),
        ("motion and optics", 120.24e9),
        ("one over motion and optics", 1.996),
        ("motion and steady optics", 12.24e9),
        ("one over motion and steady optics", 19.6),
        ("motion and its image as a dressing", 540e6),
        ("one over motion and dressing", 444.4),  # printed "about 460"
    ],
)
def test_chapter_five(item, value):
    """[Habibi97 §5.2.1]: half of the samples in time are counted there."""
    row = rows(5)[item]
    assert row.value == pytest.approx(value, rel=1e-3)
    assert row.thesis == pytest.approx(row.value, rel=0.04)


def test_bits():
    """E(log2(max/min)) + 1 [Habibi97 2.3]; the hand of 7 µm on 27 mm needs 12 bits."""
    assert bits_for(1, 255) == 8
    assert bits_for(1, 256) == 9
    assert bits_for(7e-6, 27e-3) == 12
    with pytest.raises(InputError, match="largest is out of range"):
        bits_for(2, 1)


def test_what_signals_carry_is_less_than_what_a_model_makes():
    """(2.1)-(2.3) ⇒ (2.6) ≤ (2.7): a signal that fits the box carries at most a quarter, or half without space."""
    rng = np.random.default_rng(7)
    fitted = 0
    for _ in range(300):
        model = ModelScale(
            "m", rng.uniform(10, 1e4), int(rng.integers(8, 65)), points=float(rng.choice([1, 1e3])), count=4
        )
        low, high = np.sort(rng.uniform(1, model.rate, 2))
        space = (1.0, rng.uniform(1, model.points)) if model.points > 1 else (1.0, 1.0)
        signal = SignalScale("s", (low, high), space, (1.0, 2.0 ** rng.uniform(1, 70)), count=int(rng.integers(1, 7)))
        if model.holds(signal):
            fitted += 1
            assert signal.information <= model.information * (0.25 if model.points > 1 else 0.5)
            assert all(s <= m for s, m in zip(signal.box, model.box, strict=True))
    assert fitted > 10


def test_boxes():
    signal = SignalScale("voice", (100, 8000), range=(1, 1024), count=2)
    assert signal.box == (80, 1, 10, 2)
    assert signal.information == 1600
    model = ModelScale("m", 1000, 16, points=100, count=3, duration=2)
    assert model.box == (1000, 50, 16, 3)
    assert model.information == 3 * 100 * 2000 * 16
    assert model.bit_rate == model.information / 2
    assert model.spectrum() == {"time": (0.5, 500), "space": (1, 50), "range": (1, 65535)}  # [Habibi97 2.4]


def test_comparison():
    motion = ModelScale("motion", 1000, 64, count=3)
    image = ModelScale("image", 25, 32, points=768 * 576)
    mono = ModelScale("both", 1000, 64, points=768 * 576, count=3)
    seen = SignalScale("picture", (1, 12.5), (1, 200), (1, 256))
    found = compare(mono, [motion, image], [seen])
    assert found.advice == "multi"
    assert found.waste[0] > found.waste[1] > 0
    assert found.ratio == pytest.approx(mono.information / (motion.information + image.information))
    assert str(found).endswith("multi-scale")
    assert json.loads(json.dumps(found.as_dict()))["advice"] == "multi"
    assert compare(motion, [motion]).advice == "mono"  # nothing is gained: one model is enough
    assert compare(motion, [motion]).waste is None


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ModelScale("m", 0), "model 'm': rate is out of range"),
        (lambda: ModelScale("m", 10, bits=0), "bits is out of range"),
        (lambda: SignalScale("s", (10, 1)), "signal 's': time is empty"),
        (lambda: SignalScale("s", (0, 1)), "time is out of range"),
        (lambda: SignalScale("s", 5.0), "time must be a range"),
        (lambda: compare(ModelScale("m", 1), []), "a comparison needs a model"),
        (lambda: compare(ModelScale("m", 1), [ModelScale("n", 1, duration=2)]), "the same duration"),
        (
            lambda: compare(ModelScale("m", 10), [ModelScale("n", 1)], [SignalScale("s", (1, 6))]),
            "cannot hold a signal",
        ),
        (lambda: budget_table(3), "chapter: the chapter has no budgets"),
    ],
)
def test_bad_budgets_are_refused(call, text):
    with pytest.raises(InputError, match=text):
        call()
