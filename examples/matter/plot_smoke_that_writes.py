r"""How does smoke record the motion of a censer?
=============================================

A censer swings along an aisle and releases its smoke, mass by mass. Each mass is held by a link that opens at its own
time (an automaton of two states). From then on the drag is −c v: within τ = m/c = 50 ms the mass loses the velocity of
the censer, and in still air it rises at v = (push − weight)/c = 0.5 m/s. So the smoke at height y above the censer left
it about y/v ago and stays above the point of release. A censer that moves at constant velocity u leaves a plume
inclined by u/v; a swinging one leaves a graph of its own motion X, with y in place of time:

    x = X(t − y/v).

How accurate is this? A mass released at s moves on by X'(s) τ and lags in its rise by v τ, and X(s) + X'(s) τ = X(s +
τ) up to τ²/2 · max \|X''\| [Taylor]. Before its release its link is stretched by the forces c \|X'\| horizontally and c
v upward. Both together are less than 4 mm, in a plume that is 3 m high.

The air of the scene is not still: eddies stir the smoke (`motions.Eddies`), so that it strays from that graph, the
farther the older it is, but never faster than the sum of all eddies blows. The masses are drawn as puffs that grow by
diffusion, σ² = σ₀² + 2 D t, and let more and more light through: the same smoke in more air.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures

MASS, DRAG, STIFFNESS, PUSH, WEIGHT = 2e-5, 4e-4, 1.0, 3.962e-4, 2e-5 * 9.81  # kg, N s/m, N/m, N, N
RISE, TAU = (PUSH - WEIGHT) / DRAG, MASS / DRAG  # m/s, s
U, A, W = 0.25, 0.25, np.pi  # the censer: m/s along the aisle, a swing of so many metres, at rad/s


def censer(t):
    return U * t + A * np.sin(W * t)


def main(quick=False):
    """Return the smoke in still air, and in the air of the scene: the same masses are let go at the same times."""
    short = {"scene.duration": 3.0} if quick else {}
    still = mf.simulate("censer", settings={"environment.eddies": None, **short})
    return {"still": still, "stirred": mf.simulate("censer", settings=short)}


def strayed(result):
    """Return how far each mass is from where it were in still air [m] and how long it was free [s], at the end."""
    still, stirred = (result[air]["smoke.position"] for air in ("still", "stirred"))
    free = (result["stirred"]["held.state"] > 0).sum(axis=0) / 25.0
    return np.linalg.norm(stirred[-1] - still[-1], axis=1), free


def plume(rec):
    """Return where masses are that were let go after 10 τ and at least 16 τ ago, without their place in the censer."""
    smoke, grain = rec["smoke.position"], rec["incense.position"]
    away = np.linalg.norm(smoke - grain, axis=-1) > 0.02
    since = np.where(away.any(0), len(away) - 1 - away.argmax(0), 0) / 25.0
    end = rec.time("smoke.position")[-1]
    chosen = (since > 16 * TAU) & (since < end - 10 * TAU)
    return smoke[-1, chosen] - grain[0, chosen], rec["smoke.velocity"][-1, chosen], end


def check(result):
    place, velocity, end = plume(result["still"])
    assert len(place) > 50
    # At the start they are faster or slower by at most the censer's speed and the rise; e^−15 of it is left.
    fastest = U + A * W
    assert np.abs(velocity - (0, RISE, 0)).max() < (fastest + RISE) * np.exp(-15)
    held = (DRAG * fastest + fastest / RISE * DRAG * RISE) / STIFFNESS  # stretched aside, and upward: a later time
    assert np.abs(place[:, 0] - censer(end - place[:, 1] / RISE)).max() < 0.5 * TAU**2 * A * W**2 + held
    far, free = strayed(result)
    waves = mf.load_scene("censer").build().model.wind.values.table
    fastest = np.hypot(*np.linalg.norm(waves[:, 3:9].reshape(-1, 2, 3), axis=2).T).sum()
    slack = fastest * DRAG / STIFFNESS + fastest / 25.0  # while it is held, and from its release to the first sample
    assert (far <= fastest * free + slack).all()
    assert far[(free > 0) & (free < 1)].mean() < far[free > 1].mean()


def draw(result, folder):
    place, _, end = plume(result["still"])
    chart = Figure(figsize=(8, 4), layout="constrained")
    axes = chart.subplots()
    ago = np.linspace(0, end, 400)
    axes.plot(ago, censer(end - ago), color="#E69F00", linewidth=2, label="the censer, so long ago")
    axes.plot(place[:, 1] / RISE, place[:, 0], ".", color="#42526B", markersize=3, label="smoke at height y, at y/v")
    axes.set(xlabel="time ago [s]", ylabel="place along the aisle [m]")
    axes.legend(frameon=False)
    axes.grid(alpha=0.25)
    chart.savefig(folder / "smoke_chart.png", dpi=150)
    form, shots = dress(result["stirred"]), []
    for n, part in enumerate((0.4, 0.93)):
        shots.append(picture(form, folder / f"smoke_{n + 1}.png", time=part * end, size=(1000, 800)))
    return [*shots[::-1], folder / "smoke_chart.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
