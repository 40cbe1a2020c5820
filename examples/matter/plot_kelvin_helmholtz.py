r"""How fast does the wave between two streams grow?
================================================

Four hundred mutually repelling masses form a fluid in a ring-shaped pan. The inner part rotates in one direction, the
outer part in the other, at U = 1 m/s where they meet. A wave with m crests is imposed on the interface. For an inviscid
fluid, with walls at R/q and q R, it grows as e^(σt) with

    σ = U/R √(m² − tanh²(m ln q)),

which is the Kelvin–Helmholtz rate k ΔU/2 except for the effect of rotation, and travels by U/R tanh(m ln q) [after
Chandrasekhar61 ch. XI: equal pressure on both sides of a material interface]. This holds for a vortex sheet of zero
thickness, and no velocity profile between U and −U grows faster. Passing masses exchange momentum, and the velocity
jump becomes a layer, which grows more slowly, the more so the shorter the wave [Vapillon95 for such fluids]. So the
wave must grow more slowly than on the sheet; and three crests grow faster than two, but not by more than on the sheet.
Measured over the first growth time the rate is slightly more than half of that of the sheet, for both. More masses
alone do not change that: the rate tends to the sheet's with the number of neighbours within range, from 0.58 of it to
0.76, because then a mass feels the mean of many and fewer collisions mix the streams. Later the wave rolls up
and mixes, as the pictures of the scene show, where three pushes start the wave.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures
from motiform.motion.matter import Engine, NetworkState

SCENE, RINGS = "kelvin-helmholtz", 8
R, Q, U, RATE, EVERY = 0.4, 1.6, 1.0, 525.0, 6  # m, ratio of radii, m/s, Hz, steps from sample to sample
WALLS, WAVE = (R / Q, R * Q), 0.035  # m, m: the wave at the start


def fluid(drag=0.0):
    """Return the masses of the scene without its pushes."""
    drags = {f"network.0.masses.{k}.drag": drag for k in range(RINGS)}
    return mf.load_scene(SCENE, {"network.0.push": [], **drags}).build().model


def at_rest():
    """Return where the masses settle between the walls [m], those of the inner stream and those of the outer."""
    network = fluid(drag=0.8)
    start = network.initial_state().position
    engine = Engine(network, state=NetworkState(start, start))
    engine.advance(6000)
    inner = sum(group.count for group in network.groups if group.name.startswith("inner"))
    return np.split(engine.state().position, [inner])


def flow(place, m, wall, amplitude):
    """Return the field [m or m/s] without vorticity whose radial part is Re(amplitude e^(imθ)) at R, 0 at a wall."""
    r, angle = np.hypot(*place.T[:2]), np.arctan2(place[:, 1], place[:, 0])
    wave = amplitude * np.exp(1j * m * angle) * R / r / ((R / wall) ** m - (wall / R) ** m)
    out, on = wave * ((r / wall) ** m - (wall / r) ** m), 1j * wave * ((r / wall) ** m + (wall / r) ** m)
    x, y = np.cos(angle), np.sin(angle)
    return np.stack((out * x - on * y, out * y + on * x, 0 * r), -1).real


def run(rest, m, phase):
    """Return positions [m], (samples, masses, 3), over a growth time of the growing wave, and its growth [1/s]."""
    frequency = U / R * (-np.tanh(m * np.log(Q)) + 1j * np.sqrt(m**2 - np.tanh(m * np.log(Q)) ** 2))
    places, velocities = [], []
    for place, wall, turn in zip(rest, WALLS, (U / R, -U / R), strict=True):
        moved = place + flow(place, m, wall, WAVE * np.exp(1j * phase))
        places.append(moved)
        wave = flow(place, m, wall, -1j * (frequency - m * turn) * WAVE * np.exp(1j * phase))
        velocities.append(turn * np.stack((-moved[:, 1], moved[:, 0], 0 * moved[:, 0]), -1) + wave)
    start = np.concatenate(places)
    engine = Engine(fluid(), state=NetworkState(start, start - np.concatenate(velocities) / RATE))
    samples = [start]
    for _ in range(round(RATE / EVERY / frequency.imag)):
        engine.advance(EVERY)
        samples.append(engine.state().position)
    return np.array(samples), frequency.imag


def wave_of(position, inner, m):
    """Return the wave of the interface [m], complex, (samples,): from what is on which side."""
    count = position.shape[1]
    side = np.where(np.arange(count) < inner, 1, -1)
    angle = np.arctan2(position[..., 1], position[..., 0])
    return R / 2 * (Q**2 - Q**-2) / count * (np.exp(-1j * m * angle) @ side)


def main(quick=False):
    rest, phases = at_rest(), np.arange(4 if quick else 8) * np.pi / 4
    waves = {}
    for m in (2, 3):
        runs = [run(rest, m, phase) for phase in phases]
        waves[m] = [np.abs(wave_of(position, len(rest[0]), m)) for position, _ in runs], runs[0][1]
    short = {"scene.duration": 0.04} if quick else None
    return {"waves": waves, "rolled": mf.simulate(SCENE, settings=short)}


def growth(result, m):
    """Return the growth over the first growth time of the sheet, its standard error, and that of the sheet [1/s]."""
    sizes, sheet = result["waves"][m]
    found = [np.log(size[-1] / size[0]) / ((len(size) - 1) * EVERY / RATE) for size in sizes]
    return np.mean(found), np.std(found, ddof=1) / len(found) ** 0.5, sheet


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
        sizes, sheet = result["waves"][m]
        for size in sizes:
            time = sheet * np.arange(len(size)) * EVERY / RATE
            axes.semilogy(time, size / size[0], color=color, linewidth=0.7, alpha=0.6)
        axes.plot([], [], color=color, label=f"{m} crests, eight runs")
    axes.plot([0, 1], [1, np.e], "--", color="#30343a", linewidth=1, label="vortex sheet")
    axes.set(xlabel="time by the growth time of the sheet", ylabel="wave, of that at the start")
    axes.legend(frameon=False)
    axes.grid(alpha=0.25, which="both")
    chart.savefig(folder / "wave_growth.png", dpi=150)
    form, shots = dress(result["rolled"]), []
    for n, time in enumerate((0.0, 0.3, 0.5)):
        path, sample = folder / f"streams_{n + 1}.png", int(np.argmin(np.abs(form.times - time)))
        shots.append(picture(form, path, sample=sample, size=(700, 640)))
    return [*shots, folder / "wave_growth.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
