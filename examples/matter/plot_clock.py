r"""Does a clock of springs and masses keep time?
=============================================

A pendulum, 25 cm long, carries two pallets. A weight rests on one of them until the other, moving up, takes it over;
the released tooth passes, and the next one is 8 mm farther up. So the weight falls by half a pitch at each half swing
and supplies the energy :math:`m_w g\, pitch/2` to the pendulum. The escapement is an automaton of four lines between
the weight and each pallet; it uses neither time nor angle.

Air drag dissipates energy in proportion to the square of the amplitude, and the weight supplies the same energy at each
tick: the amplitude converges, and differences decay as :math:`e^{-c t/m}`. A weight that is transferred at ± θ₀ also
acts as a restoring torque and shortens the period. To first order the period is

.. math:: T = 2π \sqrt{I/(m g L)}\,\frac{1 + θ^2/16}{\sqrt{1 + κ}},\quad κ = \frac{4 τ \cos φ}{π θ m g L},
    \quad \sin φ = θ_0/θ,

with the weight's torque τ on the pallet arms: the recoil error known from clockmaking.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure
from scipy.interpolate import CubicSpline

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures

G, BOB, PALLET, WEIGHT, DRAG = 9.81, 1.0, 0.01, 0.04, 0.15  # m/s², kg, kg, kg, N s/m
ARM, PITCH, GAP, CONTACT = 0.03, 0.008, 0.001, 1000.0  # m, m, m, N/m
ROD = 0.25 + BOB * G / 4e5  # m, with what the bob stretches it by
INERTIA = BOB * ROD**2 + (2 * PALLET + WEIGHT) * ARM**2  # kg m²: the weight goes up and down with the pallets
HANDED = PITCH / (4 * ARM)  # rad


def swing(start, duration):
    """Return a run that begins at an angle [rad], the weight on the higher pallet."""
    s, c = np.sin(start), np.cos(start)
    places = {"0.at": [0.25 * s, -0.25 * c, 0], "1.points": [[-ARM * c, -ARM * s, 0], [ARM * c, ARM * s, 0]]}
    places["2.at"] = [0.1, -0.078 + ARM * s, 0]
    settings = {f"network.0.masses.{key}": value for key, value in places.items()}
    rec = mf.simulate("clock", settings=settings | {"scene.duration": duration})
    x, t = rec["bob.position"][:, 0], rec.time("bob.position")
    angle, height = CubicSpline(t, np.arctan2(x[:, 0], -x[:, 1])), CubicSpline(t, rec["weight.position"][:, 0, 1])
    ticks, ends = angle.roots(extrapolate=False), angle.derivative().roots(extrapolate=False)
    return {"rec": rec, "ticks": ticks, "ends": ends, "swings": np.abs(angle(ends)), "heights": height(ticks)}


def main(quick=False):
    return {start: swing(start, 20.0 if quick else 40.0) for start in (0.1, 0.2)}


def period(theta):
    """Return the period at a swing [rad], κ, and how much of it the jolts at the pallets take at most."""
    phi = np.arcsin(HANDED / theta)
    kappa = 4 * WEIGHT * ARM * np.cos(phi) / (np.pi * theta * BOB * ROD)
    # A pallet that comes up meets the weight that goes down as fast: the pendulum loses 2 m_w a²/I of its speed.
    jolt = 2 * WEIGHT * ARM**2 / INERTIA * np.sin(phi) * np.cos(phi) / np.pi
    free = 2 * np.pi * np.sqrt(INERTIA / (BOB * G * ROD))
    return free * (1 + theta**2 / 16) / np.sqrt(1 + kappa), kappa, jolt


def check(result):
    for run in result.values():
        measured, theta = (run["ticks"][-1] - run["ticks"][-9]) / 4, run["swings"][-9:].mean()
        predicted, kappa, jolt = period(theta)
        assert abs(measured / predicted - 1) < kappa**2 / 4 + jolt  # averaging leaves out what is of second order in κ
        assert kappa / 2 > 10 * (kappa**2 / 4 + jolt)  # which is far less than what the weight does to the period
        falls = -np.diff(run["heights"])[4:]
        # The weight bobs on its contact by a part of its rest on it, m g/k; by how much it fell is by whole teeth.
        assert np.abs(falls - PITCH / 2).max() < 0.5 * WEIGHT * G / CONTACT
        assert np.isclose(falls.mean(), PITCH / 2, rtol=WEIGHT * G / CONTACT / (PITCH / 2 * len(falls)))
    low, high = (run["swings"] for run in result.values())
    count = min(len(low), len(high))
    apart = high[:count] ** 2 - low[:count] ** 2
    times = next(iter(result.values()))["ends"][:count]
    first, last = 4, min(count, 40) - 1
    rate = np.log(apart[first] / apart[last]) / (times[last] - times[first])
    # The air takes c/m of the energy a second (of its half that is kinetic 2 c/m); jolts 4 m_w a²/I of it at each tick.
    lost = 8 * WEIGHT * ARM**2 / INERTIA / 1.0
    assert DRAG / BOB * (BOB * ROD**2 / INERTIA) < rate < DRAG / BOB + lost


def draw(result, folder):
    chart = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = chart.subplots(1, 2)
    for run, color in zip(result.values(), ("#0072B2", "#D55E00"), strict=True):
        left.plot(run["ends"], np.degrees(run["swings"]), color=color, linewidth=1.2)
        right.plot(run["ticks"][1:], -1000 * np.diff(run["heights"]), ".", color=color, markersize=4)
    left.set(xlabel="time [s]", ylabel="swing [°]", ylim=(0, None))
    right.set(xlabel="time [s]", ylabel="fall of the weight per tick [mm]", ylim=(0, 5))
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "swings.png", dpi=150)
    rec = result[0.2]["rec"]
    shown = picture(dress(rec), folder / "clock.png", sample=int(0.25 * rec.count("bob.position")), size=(900, 1000))
    return [shown, folder / "swings.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
