"""Does the ball get round the loop?
=================================

A ball is sent into a loop, a tube that lies on its side. Where the tube would have to pull, the ball falls through it
and lands in it again. With L the way of its centre from the middle of the loop, and θ counted upward from the middle,

    sin θ = (v₀²/(g L) − 2)/3 without friction,    sin θ = (7 v₀²/(g L) − 10)/17 if it never slips,

so it gets round from v₀² = 5 g L, or 27/7 g L: a rolling ball needs less, as its spin lifts it too. With real friction
it rolls, slips where the normal force becomes small, leaves, and is rolling again some time after it has landed.

One run of a contact joint does all of that: `joints.contact(…, release=True)`. In flight the joint has six velocities,
and the energy that is missing in the end is what friction and the impacts took.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import Transform, joints, surfaces
from motiform.geometry import Ball
from motiform.image import show_pictures

LOOP, RADIUS, G = 1.0, 0.1, 9.81  # m, m, m/s²
L = LOOP - RADIUS
ROLLS, SLIDES, REAL = {}, {"sliding": True}, {"sliding": True, "friction": 0.25, "restitution": 0.4}
NAMES = {0: "flies", 1: "rolls", 2: "slips"}
COLORS = {0: "#999999", 1: "#0072B2", 2: "#D55E00"}


def run(options, share, spins, t1, rate=100):
    """Send a ball in at v₀² = share · g L, rolling or without spin."""
    joint = joints.contact(surfaces.cylinder(LOOP, inside=True), surfaces.sphere(RADIUS), release=True, **options)
    b = mf.FigureBuilder()
    b.segment("ball", None, joint, mass=Ball(RADIUS).mass_properties(mass=1.0), shape=Ball(RADIUS))
    figure = b.build()
    q0 = joint.touch(Transform.translation_of((0, -L, 0)))
    speed = np.sqrt(share * G * L)
    v0 = np.linalg.solve(joint.subspace(q0), [0, 0, -speed / RADIUS if spins else 0, speed, 0, 0])
    return mf.simulate(figure, q0=q0, v0=v0, t1=t1, rate=rate, rtol=1e-11, atol=1e-13)


def main(quick=False):
    found = {
        "rolls": run(ROLLS, 3.0, True, 0.8),
        "slides": run(SLIDES, 3.5, False, 0.8),
        "real": run(REAL, 3.4, True, 1.6 if quick else 3.0, rate=400),
    }
    for name, options, least, spins in (("rolls", ROLLS, 27 / 7, True), ("slides", SLIDES, 5.0, False)):
        for word, factor in (("below", 1 - 1e-4), ("above", 1 + 1e-4)):
            found[f"{name}, {word}"] = run(options, factor * least, spins, 1.0)
    return found


def leaving_angle(rec):
    """Return sin θ where the ball leaves, from its last sample on the loop and the speed and instant of the event."""
    t, at = rec.time("q"), next(event.time for event in rec.events if event.name == "ball lifts off")
    k = int(np.searchsorted(t, at))  # the first sample of the parabola, and back along it
    p, v, h = rec["ball.position"][k], rec["momentum"][k], t[k] - at
    return (p[1] - v[1] * h - 0.5 * G * h**2) / L


def check(result):
    assert abs(leaving_angle(result["rolls"]) - (7 * 3.0 - 10) / 17) <= 1e-8
    assert abs(leaving_angle(result["slides"]) - (3.5 - 2) / 3) <= 1e-8
    for name in ("rolls", "slides"):
        assert result[f"{name}, below"].events[0].name == "ball lifts off"
        assert result[f"{name}, above"].events == []
        assert result[f"{name}, above"]["ball.position"][:, 1].max() > 0.999 * L
    rec = result["real"]
    names = [event.name for event in rec.events]
    assert names[:3] == ["ball slips", "ball lifts off", "ball lands"]
    assert names[-1] == "ball sticks"
    inside = np.linalg.norm(rec["ball.position"][:, :2], axis=1) <= L * (1 + 1e-9)
    assert inside.all()
    lost = sum(event.detail.get("lost", 0.0) for event in rec.events)
    power = np.nan_to_num((rec["ball.friction_force"] * rec["ball.slip_velocity"]).sum(-1))
    t = rec.time("q")
    work = float(np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(t)))
    # the trapezoid misses up to half a sample of the power where a slide begins or ends
    switches = np.sum(np.diff(rec["ball.contact_mode"]) != 0)
    missed = switches * np.abs(power).max() * 0.5 / 400
    assert abs(rec["energy"][0] - rec["energy"][-1] - lost + work) <= missed
    assert missed < 0.1 * (rec["energy"][0] - rec["energy"][-1])


def draw(result, folder):
    chart = Figure(figsize=(9, 4), layout="constrained")
    axes, books = chart.subplots(1, 2, width_ratios=(1, 1.2))
    turn = np.linspace(0, 2 * np.pi, 400)
    axes.plot(LOOP * np.cos(turn), LOOP * np.sin(turn), color="#555555", linewidth=2)
    rec = result["real"]
    p, mode, t = rec["ball.position"], rec["ball.contact_mode"], rec.time("q")
    for number, color in COLORS.items():
        own = np.where(((mode == number) & (t < 2.0))[:, None], p[:, :2], np.nan)
        axes.plot(*own.T, color=color, label=NAMES[number], linewidth=1.6)
    for k in np.flatnonzero(t <= 1.2)[::24]:
        axes.add_patch(_disk(p[k], COLORS[int(mode[k])]))
    axes.set(aspect="equal", xticks=[], yticks=[])
    axes.set_axis_off()
    axes.legend(frameon=False, loc="center")
    books.plot(t, rec["energy.kinetic"], color="#009E73", label="kinetic")
    books.plot(t, rec["energy"] + G * L, color="#222222", label="whole")
    for event in rec.events:
        if event.name == "ball lands":
            books.axvline(event.time, color="#bbbbbb", linewidth=0.7, zorder=0)
    books.set(xlabel="time [s], lines where it lands", ylabel="energy [J]")
    books.grid(alpha=0.25)
    books.legend(frameon=False)
    chart.savefig(folder / "loop.png", dpi=150)
    return [folder / "loop.png"]


def _disk(place, color):
    from matplotlib.patches import Circle

    return Circle(place[:2], RADIUS, facecolor=color, edgecolor="none", alpha=0.25)


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
