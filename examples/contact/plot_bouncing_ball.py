"""When does a bouncing ball stop bouncing?
========================================

A ball falls from a height h and rebounds with e times its impact velocity. The durations of its bounces decrease by the
factor e, and their sum is finite: after infinitely many bounces it is at rest at

    t = √(2h/g) (1 + e)/(1 − e),

4.063712769 s for 1 m and e = 0.8. An event-driven simulation would never reach that instant. Here impacts slower than 1
µm/s are inelastic; the sum of the remaining bounce times is known, and the event "rests" gives it.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import contact, joints
from motiform.form import dress
from motiform.geometry import Ball
from motiform.image import Camera, picture, show_pictures

HEIGHT, E, RADIUS, G = 1.0, 0.8, 0.05, 9.81  # m, –, m, m/s²
FALL = np.sqrt(2 * HEIGHT / G)
REST = FALL * (1 + E) / (1 - E)
FORWARD = 0.6  # m/s, so that bounces lie side by side


def main(quick=False):
    b = mf.FigureBuilder()
    shape = Ball(RADIUS)
    b.segment("ball", None, joints.free(), mass=shape.mass_properties(mass=1.0), shape=shape, color=(0.72, 0.33, 0.24))
    figure = b.build()
    points = contact.points_of_shape(figure, "ball", restitution=E, friction=0.0)
    start = {"q0": figure.configuration(ball=(0, HEIGHT + RADIUS, 0, 1, 0, 0, 0))}
    start["v0"] = figure.velocity(ball=(0, 0, 0, FORWARD, 0, 0))
    contacts = contact.Contacts(points, contact.floor())
    return mf.simulate(figure, contacts=contacts, **start, t1=4.5, rate=100 if quick else 400, rtol=1e-11, atol=1e-13)


def instants(rec, what):
    return np.array([event.time for event in rec.events if event.name.startswith(what)])


def check(rec):
    hits = instants(rec, "impact")
    assert len(hits) > 40
    exact = FALL * (1 + 2 * np.cumsum([0.0, *E ** np.arange(1, len(hits))]))
    assert np.abs(hits - exact).max() <= 1e-8
    (rest,) = instants(rec, "rests")
    assert abs(rest - REST) <= 1e-8
    assert abs(REST - 4.063712769) <= 1e-9
    late = rec.time("q") > REST
    assert np.abs(rec["ball.position"][late, 1] - RADIUS).max() <= 1e-9  # m
    assert np.abs(rec["contact.force"][late, 0, 1] - G).max() <= 1e-9  # N: it carries its weight


def draw(rec, folder):
    chart = Figure(figsize=(8, 3.2), layout="constrained")
    left, right = chart.subplots(1, 2, width_ratios=(3, 2))
    t, hits = rec.time("q"), instants(rec, "impact")
    left.plot(t, rec["ball.position"][:, 1] - RADIUS, color="#0072B2")
    left.axvline(REST, color="#D55E00", linestyle="--", label=f"{REST:.3f} s")
    left.set(xlabel="time [s]", ylabel="height of the gap [m]")
    left.legend(frameon=False)
    right.semilogy(REST - hits, "o", color="#0072B2", markersize=4, label="impacts")
    right.semilogy(2 * FALL * E ** (1 + np.arange(len(hits))) / (1 - E), color="#555555", linewidth=1, label="formula")
    right.set(xlabel="impact", ylabel="time left until rest [s]")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "bounces.png", dpi=150)
    form = dress(rec)
    chosen = np.searchsorted(t, np.arange(0.0, 4.4, 0.055))
    parts = []
    for part in form.parts:
        moves = part.position.shape[0] > 1 and np.ptp(part.position[:, :, 1]) > 0
        many = {
            "position": part.position[chosen].reshape(1, -1, 3),
            "orientation": part.orientation[chosen].reshape(1, -1, 4),
        }
        one = {"position": part.position[:1], "orientation": part.orientation[:1]}
        parts.append(replace(part, **(many if moves else one)))
    form = replace(form, parts=tuple(parts), times=form.times[:1])
    camera = Camera((1.3, 0.9, 5.2), (1.3, 0.5, 0), fov=0.36)
    return [folder / "bounces.png", picture(form, folder / "ball.png", camera=camera, size=(1000, 620), ground=0.0)]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
