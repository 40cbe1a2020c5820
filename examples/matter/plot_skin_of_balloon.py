"""When does the skin follow the balloon?
======================================

A balloon has six masses and a skin of twenty; only the skin touches the floor and the hand [Habibi97 §5.5]. Must the
skin be simulated, or could it be placed geometrically? If the skin is light and its links are stiff, it follows the six
masses without delay: it is a transmitter. The criterion is m ω²/k, the fraction of the transmitted force that
accelerates its masses [Habibi97 4.29-4.33].

The six are shaken together by 1 mm at 4 Hz, with a light, a heavier and a heavy skin. With the matrix K of its links
(and Z of their dampers) the skin deviates from the six by e = (K + jωZ − mω²)⁻¹ mω² u. Its real part shows that the
deviation is at most mω²/(k − mω²) for the smallest stiffness k of the skin, the smallest eigenvalue of K: the
transmission of one spring and one mass. So a skin may be placed geometrically if that is small, and not otherwise.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures
from motiform.motion.matter import Signal
from motiform.motion.matter.coupling import spring_transmission

MASSES = (0.002, 0.006, 0.018)  # kg, each of the skin's
OMEGA, SHAKEN, RATE = 8 * np.pi, 1e-3, 1050.0  # rad/s, m, Hz
PERIODS, SHORTEST = 4, 0.125  # that are measured, at the end; m, the shortest link


def balloon(mass):
    """Return the balloon out of reach of floor and hand, its six masses shaken up and down."""
    network = mf.load_scene("balloon", {"network.0.masses.1.mass": mass}).build().model
    inside, *others = network.groups
    start = inside.position
    shake = Signal(lambda t: start + np.array([0, SHAKEN * np.sin(OMEGA * t), 0]))
    moved = replace(inside, kind="imposed", mass=np.full(6, np.inf), free=np.zeros(6, np.uint8), motion=shake)
    return network.replace(groups=(moved, *others), solids=(), reaches=(), gravity=(0.0, 0.0, 0.0))


def main(quick=False):
    masses, time = (MASSES[:2], 2.0) if quick else (MASSES, 4.0)
    runs = {mass: mf.simulate(balloon(mass), t1=time, rate=RATE) for mass in masses}
    return {"runs": runs, "pressed": mf.simulate("balloon")}


def matrices(network):
    """Return K [N/m] and Z [N s/m] of the skin's links, (40, 40), with the six held."""
    place, skin = network.initial_state().position, network.group("skin")
    found = np.zeros((2, network.count, 2, network.count, 2))
    for name in ("bonds", "hoop"):
        bundle = network.bundle(name)
        for a, b in bundle.pairs:
            u = (place[b] - place[a])[:2] / np.linalg.norm(place[b] - place[a])
            for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                zone = bundle.law.zones[0]
                found[:, i, :, j] += sign * np.array([zone.stiffness, zone.damping])[:, None, None] * np.outer(u, u)
    own = slice(skin.first, skin.first + skin.count)
    return found[:, own, :, own].reshape(2, 40, 40)


def predicted(mass):
    """Return the lag of the skin by what the six move, (20, 2), by the scheme's own steps; the least k and z."""
    K, Z = matrices(balloon(mass))
    z = np.exp(1j * OMEGA / RATE)
    inertia = mass * (2 - z - 1 / z).real * RATE**2  # m ω², of steps of finite length
    lag = np.linalg.solve(K + Z * RATE * (1 - 1 / z) - inertia * np.eye(40), inertia * np.tile([0.0, 1.0], 20))
    return lag.reshape(20, 2), np.linalg.eigvalsh(K)[0], np.linalg.eigvalsh(Z)[0]


def measured(rec):
    """Return the same from the last periods of a run."""
    last = round(PERIODS * 2 * np.pi / OMEGA * RATE)
    time = rec.time("skin.position")[-last:]
    turn = np.exp(-1j * OMEGA * time) * 2j / last  # of sin(ω t), the amplitude 1
    moves = rec["skin.position"][-last:, :, :2] - rec["skin.position"][0, :, :2]
    return np.einsum("t,tpa->pa", turn, moves) / SHAKEN - (0.0, 1.0)


def rms(lag):
    return np.sqrt((np.abs(lag) ** 2).sum(-1).mean())


def check(result):
    for mass, rec in result["runs"].items():
        (lag, softest, damping), found = predicted(mass), measured(rec)
        # Links turn by what their ends move apart, which changes their pull by that part. Swings of the start die out.
        turned = np.abs(lag).max() * SHAKEN / SHORTEST
        settled = rec.time("skin.position")[-1] - PERIODS * 2 * np.pi / OMEGA
        assert rms(found - lag) < turned * rms(lag) + np.exp(-damping / (2 * mass) * settled)
        assert rms(found) <= spring_transmission(mass, softest, OMEGA)[0]


def draw(result, folder):
    masses = np.geomspace(1e-3, 0.02, 40)
    lags = [(rms(lag), spring_transmission(m, k, OMEGA)[0]) for m in masses for lag, k, _ in [predicted(m)]]
    exact, bound = np.array(lags).T
    chart = Figure(figsize=(8, 4), layout="constrained")
    axes = chart.subplots()
    axes.loglog(1000 * masses, bound, "--", color="#30343a", linewidth=1, label="mω²/(k − mω²), softest k")
    axes.loglog(1000 * masses, exact, color="#0072B2", label="links of the skin, linear")
    found = [rms(measured(rec)) for rec in result["runs"].values()]
    axes.loglog(1000 * np.array(list(result["runs"])), found, "o", color="#D55E00", label="simulated")
    axes.axhline(0.01, color="#6b7178", linestyle=":", linewidth=1)
    axes.set(xlabel="mass of a point of the skin [g]", ylabel="lag of the skin, of what the six move")
    axes.legend(frameon=False)
    axes.grid(alpha=0.25, which="both")
    chart.savefig(folder / "skin_lag.png", dpi=150)
    path = picture(dress(result["pressed"]), folder / "balloon.png", time=1.3, size=(1000, 800))
    return [path, folder / "skin_lag.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
