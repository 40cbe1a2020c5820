"""Linkages that pass through singular positions, of any size: a four-bar with equal cranks is a pendulum.

Its coupler moves parallel to itself, so that θ̈ = −(½ + ½ + 1) m g l cos θ/(2/3 + 1) m l², θ the angle of the cranks
from the horizontal. Flat, it could go on as an antiparallelogram as well.
"""

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from models import G, Z, shifted
from motiform import FigureBuilder, joints, simulate
from motiform.motion.tree import close_loops
from motiform.motion.tree.algorithms.closures import all_rows


def four_bars(count=1, length=1.0):
    """Equal cranks side by side, each joined to the next by a coupler."""
    b, bar = FigureBuilder(), {"mass": 1.0, "com": (length / 2, 0, 0)}
    bar["inertia"] = np.diag([0, 1 / 12, 1 / 12]) * length**2
    b.segment("crank0", None, joints.revolute(Z), **bar)
    for n in range(count):
        b.segment(f"crank{n + 1}", None, joints.revolute(Z), placement=shifted(1.3 * length * (n + 1)), **bar)
        b.segment(f"bar{n}", f"crank{n}", joints.revolute(Z), placement=shifted(length), **bar)
        b.close(f"pin{n}", f"bar{n}", (1.3 * length, 0, 0), f"crank{n + 1}", (length, 0, 0), "xy")
    return b.build()


def at(figure, angle):
    turned = {name: angle if name.startswith("crank") else -angle for name in figure.names}
    return figure.configuration(**turned)


def swung(count, start, speed, times):
    """Angle of the cranks of a chain: count + 1 cranks and count bars."""
    turning, pulling = (count + 1) / 3 + count, (count + 1) / 2 + count
    rate = solve_ivp(
        lambda t, y: (y[1], -pulling / turning * G * np.cos(y[0])), (0, times[-1]), (start, speed), t_eval=times,
        rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    return rate.y[0]


@pytest.mark.parametrize(("count", "start", "speed"), [(1, 1.2, 0.0), (1, 0.0, 2.0), (3, 1.0, 0.0)])
def test_a_linkage_goes_on_along_its_branch(count, start, speed):
    """It passes its flat position, or begins there; the error shrinks with the tolerance as that of any run."""
    figure, errors = four_bars(count), []
    v0 = at(figure, speed)
    for rtol in (1e-7, 1e-9):
        rec = simulate(figure, q0=at(figure, start), v0=v0, t1=0.8, rate=5, rtol=rtol, atol=1e-2 * rtol)
        cranks = rec["q"][:, [figure.coordinates.index(name) for name in figure.names if name.startswith("crank")]]
        exact = swung(count, start, speed, rec.time("q"))
        errors.append(np.abs(cranks - exact[:, None]).max())
        assert np.ptp(rec["energy"]) <= 1e3 * rtol * np.abs(rec["energy"]).max() + 1e3 * rtol
        assert start == 0 or exact[-1] < 0  # it has passed
    assert errors[0] < 1e-5  # a hundred times the tolerance
    assert errors[1] < 1e-7


@pytest.mark.parametrize("length", [1e-6, 1e4])
def test_size_does_not_matter(length):
    """A micrometre or ten kilometres: angles go with the time over √l."""
    times = np.linspace(0.0, 1.0, 11)
    figure = four_bars(1, length)
    rec = simulate(figure, q0=at(figure, -1.2), t1=np.sqrt(length), rate=10 / np.sqrt(length))
    assert rec["q"][:, 0] == pytest.approx(swung(1, -1.2, 0.0, times), abs=1e-6)
    assert np.ptp(rec["energy"]) <= 1e-7 * np.abs(rec["energy"]).max()


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e4])
def test_loops_are_closed_to_a_share_of_their_size(length):
    figure = four_bars(2, length)
    off = at(figure, 0.8) + 1e-3 * np.random.default_rng(2).normal(size=figure.nq)
    q, _ = close_loops(figure, off)
    assert np.abs(all_rows(figure, q[None], None).value).max() <= 2e-12 * 1.3 * length
    assert np.abs(q - off).max() < 1e-2


@pytest.mark.parametrize("rows", ["xy", "revolute"])
def test_a_pin_may_hold_its_axis_too(rows):
    """In the plane the axis is held by the other joints: redundant rows change no motion."""
    figure = four_bars()
    pin = dataclasses.replace(figure.closures[0], rows=rows, turn=np.eye(3))
    figure = figure.replace(closures=(pin,))
    rec = simulate(figure, q0=at(figure, -1.2), t1=0.5, rate=10)
    assert rec["q"][:, 0] == pytest.approx(swung(1, -1.2, 0.0, rec.time("q")), abs=1e-7)


def test_a_slider_may_be_a_closure():
    """Crank, rod and slider: the slider on a prismatic joint of the tree, or held by a prismatic closure."""
    runs = []
    for closed in (False, True):
        b, bar = FigureBuilder(), {"mass": 1.0, "com": (0.5, 0, 0), "inertia": np.eye(3) / 12}
        b.segment("crank", None, joints.revolute(Z), **bar)
        b.segment("rod", "crank", joints.revolute(Z), placement=shifted(1.0), **bar)
        if closed:
            b.segment("slider", "rod", joints.revolute(Z), placement=shifted(1.0), mass=1.0, inertia=np.eye(3))
            b.close("rail", None, (0, 0, 0), "slider", (0, 0, 0), "prismatic", axis=(1, 0, 0))
            start = {"crank": 0.6, "rod": -1.2, "slider": 0.6}
        else:
            b.segment("slider", None, joints.prismatic((1, 0, 0)), mass=1.0, inertia=np.eye(3))
            b.close("pin", "rod", (1.0, 0, 0), "slider", (0, 0, 0), "xy")
            start = {"crank": 0.6, "rod": -1.2, "slider": 2 * np.cos(0.6)}
        figure = b.build()
        runs.append(simulate(figure, q0=figure.configuration(**start), t1=0.3, rate=20)["slider.position"])
    assert runs[0] == pytest.approx(runs[1], abs=1e-7)
    assert np.abs(runs[0][:, 1]).max() < 1e-9
