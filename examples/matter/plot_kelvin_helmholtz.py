r"""How fast does the wave between two streams grow?
================================================

Mutually repelling masses form a fluid in a ring-shaped pan. The inner part rotates in one direction, the outer part in
the other, at U = 1 m/s where they meet. A wave with m crests is imposed on the interface. For an inviscid fluid, with
walls at R/q and q R, it grows as e^(σt) with

    σ = U/R √(m² − tanh²(m ln q)),

which is the Kelvin–Helmholtz rate k ΔU/2 except for the effect of rotation, and travels by U/R tanh(m ln q) [after
Chandrasekhar61 ch. XI: equal pressure on both sides of a material interface]. This holds for a vortex sheet of zero
thickness, and no velocity profile between U and −U grows faster. Passing masses exchange momentum, and the velocity
jump becomes a layer, which grows more slowly [Vapillon95 for such fluids]. So the wave must grow more slowly than on
the sheet. How much more slowly depends on the number of neighbours within the range of a mass: with many, a mass feels
the mean of all and fewer collisions mix the streams. With three crests the rate is 0.17 of the sheet's for 46
neighbours, 0.65 for 104, 0.73 for 184 and 0.79 for 415: it tends to the sheet's with neighbours, at the same density,
pressure and range. It does not with refinement alone: four times as many masses of half the range have the 46
neighbours that they had, and grow as slowly.

Later the wave rolls up, as the pictures of the scene show: 2400 masses of which each has a hundred neighbours, a little
viscosity, and three pushes that start the wave.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures
from motiform.motion.matter import Engine, NetworkState

SCENE, RANGE = "kelvin-helmholtz", 0.2  # m: how far masses repel one another where nothing else is said
R, Q, U, RATE, EVERY = 0.4, 1.6, 1.0, 525.0, 6  # m, ratio of radii, m/s, Hz, steps from sample to sample
WALLS, WAVE = (R / Q, R * Q), 0.012  # m, m: the wave at the start


def neighbours(count, reach):
    """Return how many masses are within the range of one."""
    return count * reach**2 / (WALLS[1] ** 2 - WALLS[0] ** 2)


def fluid(count, reach, drag=0.0):
    """Return the pan of the scene with so many masses, 64 kg and of one pressure, without pushes and viscosity."""
    share, finer = (R**2 - WALLS[0] ** 2) / (WALLS[1] ** 2 - WALLS[0] ** 2), RANGE / reach
    zones = [(678.0, 0.4735, 0.3335), (250.0, 0.714, 0.6665), (35.4, 1.0, 1.0)]  # N/m for 400 masses, by the range
    settings = {"network.0.push": []}
    for k, (low, high, part) in enumerate(((WALLS[0], R, share), (R, WALLS[1], 1 - share))):
        ring = {"inner": low, "radius": high, "count": round(part * count), "axis": [0, 0, 1]}
        for key, value in (("ring", ring), ("mass", 64.0 / count), ("drag", drag)):
            settings[f"network.0.masses.{k}.{key}"] = value
        settings[f"network.0.solid.{k}.zones"] = [
            *({"stiffness": f * finer**2 * 400 / count, "rest": a * reach, "until": b * reach} for f, a, b in zones),
            {"stiffness": 0},
        ]
    pressure = {"name": "pressure", "points": ["inner", "outer"], "law": "elastic_buffer", "threshold": reach}
    settings["network.0.reach"] = [{**pressure, "stiffness": 60.0 * finer**4 * (400 / count) ** 2}]
    return mf.load_scene(SCENE, settings).build().model


def at_rest(count, reach):
    """Return where the masses settle between the walls [m], those of the inner stream and those of the outer."""
    network = fluid(count, reach, drag=93.0 * RANGE / reach * 64.0 / count)  # as fast as neighbours swing
    start = network.initial_state().position
    engine = Engine(network, state=NetworkState(start, start))
    engine.advance(300)
    return np.split(engine.state().position, [network.groups[0].count])


def flow(place, m, wall, amplitude):
    """Return the field [m or m/s] without vorticity whose radial part is Re(amplitude e^(imθ)) at R, 0 at a wall."""
    r, angle = np.hypot(*place.T[:2]), np.arctan2(place[:, 1], place[:, 0])
    wave = amplitude * np.exp(1j * m * angle) * R / r / ((R / wall) ** m - (wall / R) ** m)
    out, on = wave * ((r / wall) ** m - (wall / r) ** m), 1j * wave * ((r / wall) ** m + (wall / r) ** m)
    x, y = np.cos(angle), np.sin(angle)
    return np.stack((out * x - on * y, out * y + on * x, 0 * r), -1).real


def run(rest, reach, m, phase):
    """Return positions [m], (samples, masses, 3), over a growth time of the growing wave, and its growth [1/s]."""
    frequency = U / R * (-np.tanh(m * np.log(Q)) + 1j * np.sqrt(m**2 - np.tanh(m * np.log(Q)) ** 2))
    places, velocities = [], []
    for place, wall, turn in zip(rest, WALLS, (U / R, -U / R), strict=True):
        moved = place + flow(place, m, wall, WAVE * np.exp(1j * phase))
        places.append(moved)
        wave = flow(place, m, wall, -1j * (frequency - m * turn) * WAVE * np.exp(1j * phase))
        velocities.append(turn * np.stack((-moved[:, 1], moved[:, 0], 0 * moved[:, 0]), -1) + wave)
    start = np.concatenate(places)
    engine = Engine(fluid(len(start), reach), state=NetworkState(start, start - np.concatenate(velocities) / RATE))
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
    fluids = [(400, RANGE), (900, RANGE), (1600, RANGE), (3600, RANGE), (1600, RANGE / 2)]
    waves = {}
    for count, reach in fluids[:2] if quick else fluids:
        rest = at_rest(count, reach)
        for m in (3,) if quick else (2, 3):
            runs = [run(rest, reach, m, phase) for phase in np.arange(4) * np.pi / 2]
            waves[count, reach, m] = [np.abs(wave_of(position, len(rest[0]), m)) for position, _ in runs], runs[0][1]
    short = {"scene.duration": 0.04} if quick else None
    return {"waves": waves, "rolled": mf.simulate(SCENE, settings=short)}


def growth(result, key):
    """Return the growth over the first growth time of the sheet by that of the sheet, and its standard error."""
    sizes, sheet = result["waves"][key]
    found = [np.log(size[-1] / size[0]) / ((len(size) - 1) * EVERY / RATE) for size in sizes]
    return np.mean(found) / sheet, np.std(found, ddof=1) / len(found) ** 0.5 / sheet


def check(result):
    for m in sorted({m for _, _, m in result["waves"]}):
        found = [(*growth(result, key), key) for key in result["waves"] if key[1:] == (RANGE, m)]
        # Places of the wave on the same masses are samples: three standard errors.
        assert all(rate < 1 - 3 * error for rate, error, _ in found)
        (few, error, _), (many, other, _) = found[0], found[-1]
        assert many - few > 3 * np.hypot(error, other)
        if (1600, RANGE / 2, m) in result["waves"]:  # refined alone, with the neighbours of the first
            fine, doubt = growth(result, (1600, RANGE / 2, m))
            assert fine < many - 3 * np.hypot(doubt, other)


def draw(result, folder):
    chart = Figure(figsize=(9, 4), layout="constrained")
    left, right = chart.subplots(1, 2)
    for m, color in ((2, "#0072B2"), (3, "#D55E00")):
        keys = [key for key in result["waves"] if key[1:] == (RANGE, m)]
        if keys:
            sizes, sheet = result["waves"][keys[-1]]
            for size in sizes:
                time = sheet * np.arange(len(size)) * EVERY / RATE
                left.semilogy(time, size / size[0], color=color, linewidth=0.7, alpha=0.6)
            left.plot([], [], color=color, label=f"{m} crests")
            found = np.array([growth(result, key) for key in keys])
            around = [neighbours(*key[:2]) for key in keys]
            right.errorbar(around, found[:, 0], found[:, 1], color=color, marker="o", capsize=3, label=f"{m} crests")
        for key in result["waves"]:
            if key[2] == m:
                rate, error = growth(result, key)
                print(f"{m} crests, {neighbours(*key[:2]):.0f} neighbours in {key[1]} m: {rate:.2f} ± {error:.2f}")
                if key[1] < RANGE:
                    right.plot(neighbours(*key[:2]), rate, "s", color=color, fillstyle="none")
    left.plot([0, 1], [1, np.e], "--", color="#30343a", linewidth=1, label="vortex sheet")
    left.set(xlabel="time by the growth time of the sheet", ylabel="wave, of that at the start")
    right.plot([], [], "s", color="#30343a", fillstyle="none", label="refined alone")
    right.set(xlabel="neighbours in range", ylabel="growth by that of the sheet", ylim=(-0.2, 1))
    for axes in (left, right):
        axes.legend(frameon=False)
        axes.grid(alpha=0.25, which="both")
    chart.savefig(folder / "wave_growth.png", dpi=150)
    form, shots = dress(result["rolled"]), []
    for n, time in enumerate((0.1, 0.3, 0.55, 0.8)):
        path, sample = folder / f"streams_{n + 1}.png", int(np.argmin(np.abs(form.times - time)))
        shots.append(picture(form, path, sample=sample, size=(700, 640)))
    return [*shots, folder / "wave_growth.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
