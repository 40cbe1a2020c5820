"""At which speed does a stimulated muscle contract?
=================================================

The force of the contractile element changes as the spring in series with it stretches, a line over the contractile
speed w, and as its own equation says, two half-lines that meet at w = 0. The speed is where both say the same. There is
one such place if the spring's line falls faster than the second half-line, (k_s + k_c) L_c0 > F_c.

Two checks. The place is where the equations of a run have it; and beyond the bound there is none, or more than one.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

from motiform.image import show_pictures
from motiform.motion.actuation import QUADRICEPS

U, SHARE = 5.0, 0.8  # [1/s] calcium signal, share of fibres


def lines(muscle, stiffness, force, speed, w):
    """Return rates of the force [N/s] by the spring and by the contractile element, at rest length."""
    spring = muscle.series * (speed - muscle.contractile_length * w)
    element = -(U + abs(w)) * force + SHARE * muscle.force * U + stiffness * muscle.contractile_length * w
    return spring, element


def contractile_speed(muscle, stiffness, force, speed):
    """Return w = (k_s L_0 dε/dt + F_c |u| − α F_0 |u|₊)/((k_s + k_c) L_c0 − F_c sign w)."""
    push = muscle.series * speed + force * U - SHARE * muscle.force * U
    return push / ((muscle.series + stiffness) * muscle.contractile_length - force * np.sign(push))


def main(quick=False):
    cases = {"shortens": (3000.0, 100.0, 0.0), "lengthens": (3000.0, 300.0, 0.1)}
    return {name: (case, contractile_speed(QUADRICEPS, *case)) for name, case in cases.items()}


def check(result):
    for case, w in result.values():
        spring, element = lines(QUADRICEPS, *case, w)
        assert abs(spring - element) < 1e-9 * abs(spring)
    assert result["shortens"][1] < 0 < result["lengthens"][1]
    w = np.linspace(-20, 20, 4001)
    for force, unique in ((800.0, True), (1500.0, False)):  # (k_s + k_c) L_c0 = 1066 N
        spring, element = lines(QUADRICEPS, 3000.0, force, 0.1, w)
        assert (np.count_nonzero(np.diff(np.sign(spring - element))) == 1) == unique


def draw(result, folder):
    page = Figure(figsize=(8, 3.4), layout="constrained")
    w = np.linspace(-4, 4, 401)
    for axes, (name, (case, found)) in zip(page.subplots(1, 2, sharey=True), result.items(), strict=True):
        spring, element = lines(QUADRICEPS, *case, w)
        axes.plot(w, spring / 1e3, label="spring in series")
        axes.plot(w, element / 1e3, label="contractile element")
        axes.plot(found, lines(QUADRICEPS, *case, found)[0] / 1e3, "ko", label=f"w = {found:.2f} 1/s")
        axes.axvline(0, color="0.8", zorder=0)
        axes.set(xlabel="contractile speed w [1/s]", title=name)
        axes.legend()
    page.axes[0].set_ylabel("dF$_c$/dt [kN/s]")
    page.savefig(Path(folder) / "contractile_speed.png", dpi=130)
    return [Path(folder) / "contractile_speed.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
