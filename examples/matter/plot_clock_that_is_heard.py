r"""Can a clock be seen and heard without one model of both?
========================================================

The clock moves at some hertz; what is heard of it has some kilohertz. One model of both would step the whole clock 44
100 times a second. Two coupled ones do with less: the clock runs at 1050 steps a second, and the force of its weight on
the pallets, recorded, pushes a small gong that runs at 44 100 [Habibi97 2.5]. The gong is light, and does not act on
the clock: it is a dressing, as its picture is.

The gong is a row of n masses m and n + 1 springs k, whose tones are

.. math:: \sin(π f_j T_e) = T_e \sqrt{k/m}\, \sin\frac{π j}{2 (n + 1)}.

Checked: there is a tick where the weight falls on the other pallet, at each half period of the pendulum, and no other;
the lowest tone of the sound is that of the formula.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures
from motiform.motion.matter import Sound, links, topology
from motiform.record import write_sound

SLOW, FAST = 1050.0, 44100.0  # Hz
COUNT, MASS, STIFFNESS, DAMPING = 9, 1e-4, 2.5e4, 4e-3  # masses of the gong, kg, N/m, N s/m
BEATEN, HEARD = 3, 4  # masses


def gong(force):
    """Return the gong under a force on one mass, sampled as the clock is [N]."""
    b = mf.NetworkBuilder(frequency=FAST, gravity=(0, 0, 0))
    ends = b.fixed("ends", [[0, 0, 0], [0.1, 0, 0]])
    row = b.masses("row", np.linspace([0.01, 0, 0], [0.09, 0, 0], COUNT), MASS, axes="y", drag=DAMPING)
    chain = topology.chain([ends.indices[0], *row.indices, ends.indices[1]])
    b.link("wire", chain, links.spring(STIFFNESS), axis="y")
    samples = np.zeros((len(force), 1, 3))
    samples[:, 0, 1] = force
    b.push("beat", row[BEATEN], samples, rate=SLOW)
    return b.build()


def main(quick=False):
    until = 3.0 if quick else 6.0
    clock = mf.simulate("clock", settings={"scene.duration": until, "scene.rate": SLOW})
    force = np.asarray(clock["escapement.tension"]).sum(axis=1)
    sound = mf.simulate(gong(force), t1=until, rate=105, sound=Sound([f"row[{HEARD}]"], form="float32"))
    return {"clock": clock, "sound": sound}


def handed_over(clock):
    """Return when the weight falls on the other pallet [s]; it bounces on both for a tenth of a second."""
    bears = np.asarray(clock["escapement.tension"]) < -0.05  # N: it weighs 0.39
    last, times = int(bears[: int(0.1 * SLOW)].sum(axis=0).argmax()), []
    for k, pair in enumerate(bears):
        if pair[1 - last] and k / SLOW > (times[-1] if times else 0.0) + 0.1:
            times.append(k / SLOW)
            last = 1 - last
    return np.array(times)


def ticks(sound):
    """Return when it is loud after a silence [s]."""
    heard = np.abs(sound["sound"][:, 0])
    loud = np.maximum.reduceat(heard, np.arange(0, len(heard), 441))  # hundredths of a second
    begins = np.flatnonzero((loud[1:] > 0.2 * loud.max()) & (loud[:-1] < 0.1 * loud.max())) + 1
    return begins * 0.01


def check(result):
    clock, sound = result["clock"], result["sound"]
    handed, heard = handed_over(clock), ticks(sound)
    assert len(handed) > 4
    near = np.abs(heard[:, None] - handed[None]).min(axis=1)
    assert (near < 0.02).all(), near  # told to a hundredth of a second
    missed = np.abs(handed[:, None] - heard[None]).min(axis=1)
    assert (missed < 0.02).all(), missed
    x = clock["bob.position"][:, 0, 0]
    crossings = np.flatnonzero(x[1:] * x[:-1] < 0) / SLOW
    half = np.diff(crossings).mean()
    assert abs(np.diff(handed).mean() / half - 1) < 0.02
    tone = np.abs(np.fft.rfft(sound["sound"][:, 0]))
    at = np.fft.rfftfreq(len(sound["sound"]), 1 / FAST)[tone.argmax()]
    exact = FAST / np.pi * np.arcsin(np.sqrt(STIFFNESS / MASS) / FAST * np.sin(np.pi / (2 * (COUNT + 1))))
    assert abs(at - exact) < DAMPING / MASS / np.pi + 2 / 3.0  # the width of the resonance, and two bins
    assert np.isfinite(sound["sound"]).all()


def draw(result, folder):
    clock, sound = result["clock"], result["sound"]
    path = picture(dress(clock), folder / "clock.png", time=1.0, size=(900, 900))
    write_sound(sound, folder / "clock.wav")
    chart = Figure(figsize=(9, 4.6), layout="constrained")
    above, below = chart.subplots(2, 1, sharex=True)
    t = np.arange(len(clock["bob.position"])) / SLOW
    above.plot(t, 100 * clock["bob.position"][:, 0, 0], color="#0072B2")
    above.set(ylabel="bob, sideways [cm]")
    heard = sound["sound"][:, 0]
    below.plot(np.arange(len(heard)) / FAST, heard / np.abs(heard).max(), color="#30343a", linewidth=0.4)
    below.set(xlabel="time [s]", ylabel="sound")
    for when in handed_over(clock):
        for axes in (above, below):
            axes.axvline(when, color="#D55E00", linewidth=0.8, linestyle="--")
    chart.savefig(folder / "ticks.png", dpi=130)
    return [path, folder / "ticks.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
