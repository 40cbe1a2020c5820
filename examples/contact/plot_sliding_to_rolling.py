"""How fast does a sliding ball roll in the end?
=============================================

A ball is thrown along the ground without spin, as in bowling. It slides; friction μ m g decelerates it and accelerates
its rotation, until the velocity of the contact point is zero. For a homogeneous ball the slip velocity decreases by 7/2
μ g per second, so it rolls from

    t = 2 v₀/(7 μ g)   on, with   5/7 v₀.

That velocity depends on neither friction nor radius: the angular momentum about a line on the ground is conserved.
Thrown with back spin the ball is slower, and may even come back. When slip ends the friction force drops to zero
discontinuously, which a simulation must not step over; here it is the event "sticks".
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform import contact, joints
from motiform.geometry import Ball
from motiform.image import show_pictures

RADIUS, SPEED, G = 0.1, 2.0, 9.81  # m, m/s, m/s²
CASES = {"μ = 0.1": (0.1, 0.0), "μ = 0.3": (0.3, 0.0), "μ = 0.1, back spin": (0.1, 60.0)}  # friction, spin [rad/s]


def main(quick=False):
    b = mf.FigureBuilder()
    shape = Ball(RADIUS)
    b.segment("ball", None, joints.free(), mass=shape.mass_properties(mass=1.0), shape=shape, color=(0.20, 0.36, 0.55))
    figure = b.build()
    start = figure.configuration(ball=(0, RADIUS, 0, 1, 0, 0, 0))
    found = {}
    for name, (mu, spin) in CASES.items():
        contacts = contact.Contacts(contact.points_of_shape(figure, "ball", friction=mu), contact.floor())
        v0 = figure.velocity(ball=(0, 0, spin, SPEED, 0, 0))
        tight = {"rtol": 1e-11, "atol": 1e-13}
        found[name] = mf.simulate(
            figure, contacts=contacts, q0=start, v0=v0, t1=3.0, rate=50 if quick else 200, **tight
        )
    return found


def closed_form(name, t):
    """Return the instant at which it rolls [s], and speed and rim speed −r ω [m/s] at t."""
    mu, spin = CASES[name]
    until = 2 * (SPEED + RADIUS * spin) / (7 * mu * G)
    slides = np.minimum(t, until)
    return until, SPEED - mu * G * slides, -RADIUS * spin + 2.5 * mu * G * slides


def check(result):
    for name, rec in result.items():
        until, speed, rim = closed_form(name, rec.time("q"))
        (event,) = rec.events
        assert event.name == "sticks: ball on ground"
        assert abs(event.time - until) <= 1e-8
        assert np.abs(rec["momentum"][:, 0] - speed).max() <= 1e-8  # of a kilogram
        assert np.abs(-RADIUS * rec["v"][:, 2] - rim).max() <= 1e-8
        spin = CASES[name][1]
        assert abs(rec["momentum"][-1, 0] - (5 * SPEED - 2 * RADIUS * spin) / 7) <= 1e-8


def draw(result, folder):
    chart = Figure(figsize=(8, 3.4), layout="constrained")
    axes = chart.subplots()
    for (name, rec), color in zip(result.items(), ("#0072B2", "#009E73", "#D55E00"), strict=True):
        t = rec.time("q")
        until, speed, _ = closed_form(name, t)
        axes.plot(t, rec["momentum"][:, 0], color=color, label=name)
        axes.plot(t, -RADIUS * rec["v"][:, 2], color=color, linestyle=":")
        axes.plot(until, speed[-1], "o", color=color)
    axes.axhline(5 / 7 * SPEED, color="#555555", linewidth=0.8)
    axes.text(2.98, 5 / 7 * SPEED + 0.08, "5/7 of the start", ha="right", color="#555555")
    axes.set(xlabel="time [s]", ylabel="speed (line) and rim speed (dots) [m/s]")
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, loc="lower right")
    chart.savefig(folder / "speeds.png", dpi=150)
    return [folder / "speeds.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
