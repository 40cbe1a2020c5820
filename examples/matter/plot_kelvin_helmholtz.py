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
the mean of all and fewer collisions mix the streams. With three crests, begun as the growing mode of the sheet in
places and velocities, a liquid of masses at a thermal speed of 0.4 m/s grows at 0.49 of the sheet's rate for 46
neighbours, 0.68 for 104 and 0.73 for 184, at the same density, pressure and range. Refinement alone does not help: four
times as many masses of half the range have 46 neighbours as before, and 0.47 of the rate.

Masses that have settled without order are no liquid but a soft solid, which holds the wave: from such a start the rate
is 0.17 for 46 neighbours. It is no number of the fluid. Streams twice as fast grow at 0.5 from settled masses and
streams half as fast not at all, waves of twice the height at 0.4, and masses in straight rows along the interface, over
which those of the other stream slide, at 0.9 (plane streams, other code).

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
M, PHASES, HEAT = 3, np.arange(4) * np.pi / 2, 0.4  # crests, rad, m/s: thermal speed of the liquid along an axis


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


def melted(rest, reach, seed):
    """Return places [m] and velocities [m/s] of each stream after half a second at the thermal speed."""
    start = np.concatenate(rest)
    velocity = HEAT * np.random.default_rng(seed).normal(size=start.shape) * (1, 1, 0)
    state = NetworkState(start, start - (velocity - velocity.mean(0)) / RATE)
    engine = Engine(fluid(len(start), reach), state=state)
    engine.advance(round(0.5 * RATE))
    state = engine.state()
    order = np.argsort(np.hypot(*state.position.T[:2]), kind="stable")  # masses are equal: the inner ones are inside
    inner, outer = np.split(order, [len(rest[0])])
    return [(state.position[own], state.velocity(RATE)[own]) for own in (inner, outer)]


def flow(place, m, wall, amplitude):
    """Return the field [m or m/s] without vorticity whose radial part is Re(amplitude e^(imθ)) at R, 0 at a wall."""
    r, angle = np.hypot(*place.T[:2]), np.arctan2(place[:, 1], place[:, 0])
    wave = amplitude * np.exp(1j * m * angle) * R / r / ((R / wall) ** m - (wall / R) ** m)
    out, on = wave * ((r / wall) ** m - (wall / r) ** m), 1j * wave * ((r / wall) ** m + (wall / r) ** m)
    x, y = np.cos(angle), np.sin(angle)
    return np.stack((out * x - on * y, out * y + on * x, 0 * r), -1).real


def run(streams, reach, m, phase):
    """Return positions [m], (samples, masses, 3), over a growth time of the growing wave, and its growth [1/s]."""
    frequency = U / R * (-np.tanh(m * np.log(Q)) + 1j * np.sqrt(m**2 - np.tanh(m * np.log(Q)) ** 2))
    places, velocities = [], []
    for (place, heat), wall, turn in zip(streams, WALLS, (U / R, -U / R), strict=True):
        moved = place + flow(place, m, wall, WAVE * np.exp(1j * phase))
        places.append(moved)
        wave = flow(place, m, wall, -1j * (frequency - m * turn) * WAVE * np.exp(1j * phase))
        velocities.append(turn * np.stack((-moved[:, 1], moved[:, 0], 0 * moved[:, 0]), -1) + wave + heat)
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


def waves(count, reach, liquid, seeds=6):
    """Return the waves [m], one of each arrangement, or of each phase for masses that are settled; and the growth."""
    rest, found = at_rest(count, reach), []
    starts = (
        [melted(rest, reach, seed) for seed in range(seeds)] if liquid else [[(place, 0 * place) for place in rest]]
    )
    for streams in starts:
        runs = [run(streams, reach, M, phase) for phase in PHASES]
        aligned = [
            wave_of(place, len(rest[0]), M) * np.exp(-1j * phase)
            for (place, _), phase in zip(runs, PHASES, strict=True)
        ]
        found += [np.abs(np.mean(aligned, axis=0))] if liquid else list(np.abs(aligned))
    return found, runs[0][1]


def main(quick=False):
    fluids = [(400, RANGE), (900, RANGE), (1600, RANGE), (1600, RANGE / 2)]
    chosen = [(*one, True) for one in (fluids[:2] if quick else fluids)] + [(400, RANGE, False)]
    short = {"scene.duration": 0.04} if quick else None
    return {
        "waves": {key: waves(*key, seeds=3 if quick else 6) for key in chosen},
        "rolled": mf.simulate(SCENE, settings=short),
    }


def growth(result, key):
    """Return the growth over the first growth time of the sheet by that of the sheet, and its standard error."""
    sizes, sheet = result["waves"][key]
    found = [np.log(size[-1] / size[0]) / ((len(size) - 1) * EVERY / RATE) for size in sizes]
    return np.mean(found) / sheet, np.std(found, ddof=1) / len(found) ** 0.5 / sheet


def check(result):
    keys = [key for key in result["waves"] if key[1:] == (RANGE, True)]
    found = [growth(result, key) for key in keys]
    # Arrangements of the masses, or places of the wave on the same ones, are samples: three standard errors.
    assert all(rate < 1 - 3 * error for rate, error in found)
    (few, error), (many, other) = found[0], found[-1]
    assert many - few > 3 * np.hypot(error, other)
    solid, spread = growth(result, (400, RANGE, False))
    assert solid < few - 3 * np.hypot(error, spread)
    if (1600, RANGE / 2, True) in result["waves"]:  # refined alone, with the neighbours of the first
        fine, spread = growth(result, (1600, RANGE / 2, True))
        assert fine < many - 3 * np.hypot(spread, other)


def draw(result, folder):
    chart = Figure(figsize=(9, 4), layout="constrained")
    left, right = chart.subplots(1, 2)
    keys = [key for key in result["waves"] if key[1:] == (RANGE, True)]
    for key, color, text in ((keys[-1], "#D55E00", f"{neighbours(*keys[-1][:2]):.0f} neighbours"),
                             (keys[0], "#0072B2", f"{neighbours(*keys[0][:2]):.0f} neighbours"),
                             ((400, RANGE, False), "#6b7078", "settled")):  # fmt: skip
        sizes, sheet = result["waves"][key]
        for size in sizes:
            left.semilogy(sheet * np.arange(len(size)) * EVERY / RATE, size / size[0], color=color, linewidth=0.7)
        left.plot([], [], color=color, label=text)
    found = np.array([growth(result, key) for key in keys])
    around = [neighbours(*key[:2]) for key in keys]
    right.errorbar(around, found[:, 0], found[:, 1], color="#D55E00", marker="o", capsize=3, label="liquid")
    for count, reach, liquid in result["waves"]:
        rate, error = growth(result, (count, reach, liquid))
        what = "liquid" if liquid else "settled"
        print(f"{what}, {neighbours(count, reach):.0f} neighbours in {reach} m: {rate:.2f} ± {error:.2f}")
        if reach < RANGE or not liquid:
            look = {"color": "#D55E00" if liquid else "#6b7078", "label": "refined alone" if liquid else "settled"}
            right.errorbar(neighbours(count, reach), rate, error, marker="s", fillstyle="none", capsize=3, **look)
    left.plot([0, 1], [1, np.e], "--", color="#30343a", linewidth=1, label="vortex sheet")
    left.set(xlabel="time by the growth time of the sheet", ylabel="wave, of that at the start")
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
