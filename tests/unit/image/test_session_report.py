"""The report of a session: what is on its page, from cycles made here."""

from dataclasses import replace

import numpy as np
import pytest

from motiform.image.report.blocks import Heading, ReportTable, Text
from motiform.image.report.chart import Chart
from motiform.image.report.html import html_page
from motiform.image.report.page import write_blocks
from motiform.image.report.session import session_blocks
from motiform.image.report.session_charts import plane_of, side_charts
from motiform.motion.postures.gait.cycles import GaitCycle, GaitQuantity
from motiform.motion.postures.gait.indices import PROFILE
from motiform.motion.postures.gait.pool import TrialCycles, pool_cycles
from motiform.motion.postures.gait.pooled import PooledGait, normalise_emg, pool_strides
from motiform.motion.postures.gait.reference import GaitReference
from motiform.motion.postures.gait.spatial import StrideMeasures

P = np.linspace(0, 2 * np.pi, 101)
GROUPS = {
    "angles": ("°", (*PROFILE, "thorax obliquity up", "shoulder flexion")),
    "moments": ("N·m/kg", ("knee flexion moment",)),
    "powers": ("W/kg", ("ankle power",)), "forces": ("body weights", ("ground force upward",)),
    "emg": ("% of the peak", ("soleus EMG",)),
}  # fmt: skip


def trial(name, condition, offset=0.0, groups=tuple(GROUPS)):
    cycles = tuple(GaitCycle(side, 1.1 * k, 1.1 * k + 1.1, 1.1 * k + 0.66) for side in "lr" for k in range(3))
    made = []
    for group in groups:
        unit, titles = GROUPS[group]
        for title in titles:
            curves = {
                side: np.array([offset + k + s + 20 * np.sin(P) for k in range(3)]) for s, side in enumerate("lr")
            }
            made.append(GaitQuantity(group, title, unit, curves))
    row = StrideMeasures("l", 0.0, 1.25, 109.1, 1.1, 1.375, 0.55, 0.69, 0.08, 60.0, 40.0, 40.0, 20.0, float("nan"))
    strides = (row, replace(row, side="r", step_length=0.63))
    return TrialCycles(name, condition, cycles, tuple(made), strides)


def gait(trials, **more):
    pool = pool_cycles(trials)
    rows = tuple(
        {"file": f"{one.trial}.c3d", "role": "gait", "condition": one.condition, "status": "done", "rms": 0.004,
         "duration": 4.0, "cycles_left": 3, "cycles_right": 3, "cycles_found_left": 3, "cycles_found_right": 3}
        for one in trials
    )  # fmt: skip
    emg = {"high_pass_hz": 20.0, "low_pass_hz": 6.0, "order": 2, "passes": 2}
    return PooledGait("A session", "P1", {"date": "2026-05-04"}, rows, normalise_emg(pool), pool_strides(trials, pool),
                     settings={"emg": emg}, **more)  # fmt: skip


def words_of(blocks):
    return " ".join(
        one.text if isinstance(one, Heading | Text) else " ".join(str(cell) for row in one.rows for cell in row)
        for one in blocks if isinstance(one, Heading | Text | ReportTable)
    )  # fmt: skip


def test_one_condition_has_every_part():
    blocks = session_blocks(gait([trial("a", "")]))
    titles = [one.text for one in blocks if isinstance(one, Heading)]
    for part in ("Trials", "Spatio-temporal measures", "Kinematics: pelvis and legs", "Kinematics: trunk and arms",
                 "Kinetics", "Electromyography", "Left against right", "Consistency of the cycles",
                 "What is left out, and what is doubtful", "Method and notes"):  # fmt: skip
        assert part in titles
    assert "Condition against condition" not in titles
    assert "Indices" not in titles
    words = words_of(blocks)
    assert "none is shipped with motiform" in words
    assert "0.690" in words
    assert "+9.1" in words  # 200 (0.69 − 0.63)/(0.69 + 0.63)
    assert "2026-05-04" in words


def test_conditions_are_compared_with_the_first():
    blocks = session_blocks(gait([trial("a", "bare"), trial("b", "shod", offset=2.0)]))
    words = words_of(blocks)
    assert "shod less bare" in words
    row = next(
        row
        for one in blocks
        if isinstance(one, ReportTable)
        for row in one.rows
        if row[:2] == ["knee flexion [°]", "left"]
    )
    assert row[2:4] == ["shod less bare", "+2.00"]


def test_indices_against_a_reference():
    """Curves k + s + 20 sin with k = 0, 1, 2 have the means 1 and 2: 1° and 2° from one of 20 sin alone."""
    means = {title: 20 * np.sin(P) for title in PROFILE}
    reference = GaitReference("ours.csv", "30 adults", means, {}, 30)
    found = gait([trial("a", "")], reference=reference)
    scores = found.indices()[0].score
    assert scores["l"] == pytest.approx(1.0, rel=1e-12)
    assert scores["r"] == pytest.approx(2.0, rel=1e-12)
    assert scores["both"] == pytest.approx(np.sqrt((9 * 1 + 6 * 4) / 15), rel=1e-12)
    words = words_of(session_blocks(found))
    assert "30 adults" in words
    assert "No Gait Deviation Index" in words


def test_what_is_not_there_is_said():
    words = words_of(session_blocks(gait([trial("a", "", groups=("angles",))], warnings=("no static trial",))))
    assert "No moments and powers" in words
    assert "No electromyograms" in words
    assert "No static trial." in words
    assert "No trial has a whole gait cycle." in words_of(session_blocks(gait([])))


def test_axes_of_angles_span_thirty_degrees():
    flat = trial("a", "")
    flat = replace(flat, quantities=(GaitQuantity("angles", "knee flexion", "°", {"l": np.full((3, 101), 4.0)}),))
    (_, _, chart), *_ = side_charts(gait([flat]), "")
    low, high = chart.panels[0].ylim
    assert (low, high) == pytest.approx((4 - 15, 4 + 15))


@pytest.mark.parametrize(
    ("title", "plane"),
    [("pelvis obliquity up", "frontal plane"), ("ankle dorsiflexion moment", "sagittal plane"),
     ("foot internal progression", "transverse plane"), ("hip flexion moment, external", "sagittal plane"),
     ("trunk ipsilateral bending", "frontal plane"), ("hip power", "")],
)  # fmt: skip
def test_planes(title, plane):
    assert plane_of(title.replace(",", "")) == plane


@pytest.mark.slow
def test_page_flows_and_is_printed(tmp_path):
    """Each panel is a drawing by itself, so that a phone sets them below one another; the PDF keeps the columns."""
    blocks = session_blocks(gait([trial("a", "")]))
    page = html_page(blocks)
    panels = sum(len(one.panels) for one in blocks if isinstance(one, Chart))
    assert page.count("<svg viewBox") == panels
    assert 'class="panels"' in page
    write_blocks(blocks, tmp_path / "session.pdf")
    assert (tmp_path / "session.pdf").read_bytes().startswith(b"%PDF")
