r"""
How fast does the wave between two streams grow?
================================================

Four hundred masses that push one another apart are a fluid in a ring-shaped pan. The inner part turns one way, the
outer part the other, at U = 4 m/s where they meet. A wave with m crests is put on the interface. For a fluid without
viscosity, with walls at R/q and q R, it grows as e^(σt) with

    σ = U/R √(m² − tanh²(m ln q)),

which is Kelvin's and Helmholtz's k ΔU/2 but for the turning, and travels by U/R tanh(m ln q) [after Chandrasekhar61
ch. XI: pressure is the same on both sides, and each fluid stays on its own]. That is for a sheet without thickness, and
no stream between U and −U grows faster. Masses that pass one another rub, and the jump of velocity becomes a layer,
which grows more slowly, and the more so the shorter the wave [Vapillon95 for such fluids]. So the wave must grow, more
slowly than on the sheet; and three crests grow faster than two, but not by more than on the sheet. Measured over the
first growth time it is a little more than half of what the sheet gives, for both. Later it rolls up and mixes.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.geometry import Cylinder
from motiform.geometry.closest import Hollow
from motiform.image import Camera, picture
from motiform.motion.matter import Engine, NetworkBuilder, links
from motiform.spatial import Transform

COUNT, SPACE, R, Q, U, RATE = 400, 0.05, 0.4, 1.6, 4.0, 2100.0  # masses, m, m, ratio of radii, m/s, Hz
WALLS, WAVE = (R / Q, R * Q), 0.7 * SPACE  # m, m: the wave at the start
INNER, OUTER = (0.86, 0.44, 0.20), (0.16, 0.42, 0.62)
# What fluid beyond a wall would do, n k r³/3 (1 − gap/r)³ for n masses/m² of stiffness k and range r, in three zones.
WALL = links.zones((113, 0, 0.0947, 0.0667), (41.6, 0, 0.1428, 0.1333), (5.9, 0, 0.2, 0.2), (0, 0, 0, np.inf))
LYING = Transform(np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]]), np.zeros(3))


def fluid(places, velocities, drag=0.0):
    builder = NetworkBuilder(rate=RATE, gravity=(0, 0, 0), keep_velocity=True)
    layers = [
        builder.masses(name, x, 0.01, velocity=v, axes="xy", drag=drag, color=color)
        for name, x, v, color in zip(("inner", "outer"), places, velocities, (INNER, OUTER), strict=True)
    ]
    both = layers[0] + layers[1]
    builder.reach("pressure", both, law=links.elastic_buffer(10.0, 4 * SPACE))
    for name, shape in (("pan", Hollow(Cylinder(WALLS[1], 1.0))), ("core", Cylinder(WALLS[0], 0.1))):
        builder.solid(name, shape, LYING, both, law=WALL)
    builder.look("pan", draw="none")
    for layer, color in (("inner", INNER), ("outer", OUTER)):
        builder.look(layer, color=color, radius=0.45 * SPACE)
    return builder.build()


def at_rest():
    """Return masses that have settled between the walls [m], those inside R and those outside."""
    area = WALLS[0] ** 2 + (WALLS[1] ** 2 - WALLS[0] ** 2) * (np.arange(COUNT) + 0.5) / COUNT
    turn = np.pi * (3 - 5**0.5) * np.arange(COUNT)
    start = np.sqrt(area)[:, None] * np.stack((np.cos(turn), np.sin(turn), 0 * turn), -1)
    inside = area < R**2
    engine = Engine(fluid((start[inside], start[~inside]), (0.0, 0.0), drag=0.2))
    engine.advance(6000)
    return np.split(engine.state().position, [inside.sum()])


def flow(place, m, wall, amplitude):
    """Return the field [m or m/s] without vorticity whose radial part is Re(amplitude e^(imθ)) at R, 0 at a wall."""
    r, angle = np.hypot(*place.T[:2]), np.arctan2(place[:, 1], place[:, 0])
    wave = amplitude * np.exp(1j * m * angle) * R / r / ((R / wall) ** m - (wall / R) ** m)
    out, on = wave * ((r / wall) ** m - (wall / r) ** m), 1j * wave * ((r / wall) ** m + (wall / r) ** m)
    x, y = np.cos(angle), np.sin(angle)
    return np.stack((out * x - on * y, out * y + on * x, 0 * r), -1).real


def run(rest, m, phase, growths):
    """Return a run of so many growth times that begins with the growing wave."""
    frequency = U / R * (-np.tanh(m * np.log(Q)) + 1j * np.sqrt(m**2 - np.tanh(m * np.log(Q)) ** 2))
    places, velocities = [], []
    for place, wall, turn in zip(rest, WALLS, (U / R, -U / R), strict=True):
        moved = place + flow(place, m, wall, WAVE * np.exp(1j * phase))
        places.append(moved)
        wave = flow(place, m, wall, -1j * (frequency - m * turn) * WAVE * np.exp(1j * phase))
        velocities.append(turn * np.stack((-moved[:, 1], moved[:, 0], 0 * moved[:, 0]), -1) + wave)
    samples = round(growths / frequency.imag * RATE / 6)
    return mf.simulate(fluid(places, velocities), t1=6 * samples / RATE, rate=RATE / 6), frequency.imag


def wave_of(rec, m):
    """Return the wave of the interface [m], complex, (samples,): from what is on which side."""
    area = np.pi * (WALLS[1] ** 2 - WALLS[0] ** 2) / COUNT
    total = 0.0
    for name, side in (("inner", 1), ("outer", -1)):
        x, y = np.moveaxis(rec[f"{name}.position"][..., :2], -1, 0)
        total = total + side * np.exp(-1j * m * np.arctan2(y, x)).sum(1)
    return area * total / (2 * np.pi * R)


def main(quick=False):
    rest, phases = at_rest(), np.arange(4 if quick else 8) * np.pi / 4
    result = {m: [run(rest, m, phase, 1.0) for phase in phases] for m in (2, 3)}
    return {"waves": result, "rolled": run(rest, 3, 0.0, 0.5 if quick else 3.0)[0]}


def growth(result, m):
    """Return the growth over the first growth time of the sheet, its standard error, and that of the sheet [1/s]."""
    runs = result["waves"][m]
    found = [np.diff(np.log(np.abs(wave_of(rec, m)[[0, -1]])))[0] / rec.time("momentum")[-1] for rec, _ in runs]
    return np.mean(found), np.std(found, ddof=1) / len(found) ** 0.5, runs[0][1]


def check(result):
    (two, error, sheet), (three, other, sheet_three) = (growth(result, m) for m in (2, 3))
    # Eight places of the wave on the same masses are eight samples: three standard errors either way.
    assert 3 * error < two < sheet - 3 * error
    assert 3 * other < three < sheet_three - 3 * other
    doubt = 3 * np.hypot(error / two, other / three)
    assert three / two * (1 + doubt) > 1
    assert three / two * (1 - doubt) < sheet_three / sheet


def draw(result, folder):
    chart = Figure(figsize=(8, 4), layout="constrained")
    axes = chart.subplots()
    for m, color in ((2, "#0072B2"), (3, "#D55E00")):
        sheet = result["waves"][m][0][1]
        for rec, _ in result["waves"][m]:
            size = np.abs(wave_of(rec, m))
            axes.semilogy(sheet * rec.time("momentum"), size / size[0], color=color, linewidth=0.7, alpha=0.6)
        axes.plot([], [], color=color, label=f"{m} crests, eight runs")
    axes.plot([0, 1], [1, np.e], "--", color="#30343a", linewidth=1, label="vortex sheet")
    axes.set(xlabel="time by the growth time of the sheet", ylabel="wave, of that at the start")
    axes.legend(frameon=False)
    axes.grid(alpha=0.25, which="both")
    chart.savefig(folder / "wave_growth.png", dpi=150)
    form, camera = dress(result["rolled"]), Camera((0, -0.4, 1.9), (0, 0, 0), fov=0.68)
    shots = []
    for n, part in enumerate((0.0, 0.35, 0.7)):
        sample = int(part * (len(form.times) - 1))
        path = folder / f"streams_{n + 1}.png"
        shots.append(picture(form, path, sample=sample, camera=camera, size=(700, 640), ground=False))
    return [*shots, folder / "wave_growth.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    pictures = draw(result, Path(*sys.argv[1:]))
