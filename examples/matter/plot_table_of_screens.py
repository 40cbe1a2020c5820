r"""How do thirteen screens answer to one push?
===========================================

The experiments of table 8.1 [Habibi97 §8.5]: a line of 96 pins of 10 g with fixed edges, at 1000 steps a second (the
thesis writes 1050 Hz; only a step of 1 ms puts its numbers on the cardinal points). Action 1: the middle pin is let go
7 cm above rest. Action 2: an object goes along the line for 0.4 s, presses it, and is taken away. Time goes down, pins
go across; red is above rest, blue below. Row 10 is printed like row 9 and left out.

What the thesis says of each is checked: marks that never fade (1, 7), that fade in z_s/k_s = 1 s (2), that need as long
to be made as to fade (3), that are gone with the object (4); waves of half a pin a sample (5) that become smooth (6); a
wire whose neighbours are pulled below rest (8); a plate of which the fundamental rings longest (9); soil in which every
mark rounds off (11, 12); a fluid whose waves die (13). Where nothing holds a screen, what is touched goes away (7).
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

from motiform.image import show_pictures
from motiform.motion.screens import EXPERIMENTS, Engraver, Screen, ScreenEngine, modes_of_fields

PINS, MIDDLE, REST, RATE = 96, 48, 0.03, 1000.0
NAMES = {
    1: "S: marks stay", 2: "S≈: marks fade slowly", 3: "S≈, soft object", 4: "C: no memory", 5: "I: waves",
    6: "I≈: smooth waves", 7: "II: viscous, free", 8: "II≈: a wire", 9: "III: a plate", 11: "IV: plastic soil",
    12: "IV≈: soil that levels", 13: "V: viscous fluid",
}  # fmt: skip
ROWS = tuple(NAMES)
AWAY, REACH = 0.4, 0.05  # s until the object is taken away, m


def object_at(t):
    """Return where the object is [m]: it presses the line from above and goes along it."""
    return [[0.2 + 0.5 * min(t, AWAY) / AWAY, REST + (0.01 if t < AWAY else 1.0), 0.0]]


def screen(number, action):
    law = EXPERIMENTS[number].law
    if action == 1:
        start = np.full(PINS, REST)
        start[MIDDLE] = 0.1
        return Screen(shape=PINS, spacing=0.01, law=law, frequency=RATE, rest=REST, heights=start)
    stiffness = 40.0 if number == 3 else 4000.0  # N/m: K = 0.4, and the soft one of row 3
    tip = Engraver(name="object", points=object_at, stiffness=stiffness, reach=REACH, height=None)
    return Screen(shape=PINS, spacing=0.01, law=law, frequency=RATE, rest=REST, engravers=(tip,))


def main(quick=False):
    found = {}
    for number in ROWS:
        for action in (1, 2):
            engine, trace = ScreenEngine(screen(number, action)), []
            for _ in range(801):
                trace.append(engine.heights() - REST)
                engine.advance()
            found[number, action] = np.array(trace)
    return found


def check(result):
    u = {number: result[number, 1][:, MIDDLE] for number in ROWS}
    gone = {number: result[number, 2][int(AWAY * RATE) + 1 :] for number in ROWS}
    eps = 64 * np.finfo(float).eps
    for number in (1, 7):
        assert np.abs(u[number] - 0.07).max() < 801 * eps * 0.07
    assert (gone[1] == gone[1][0]).all()
    assert gone[1].min() < -0.02
    fades = gone[2][-1].min() / gone[2][0].min()
    assert abs(fades - np.exp(-(len(gone[2]) - 1) / RATE)) < 2e-3  # a step of 1 s
    assert np.abs(u[4][1:]).max() < eps * 0.07
    assert np.abs(gone[4][1:]).max() < eps
    deepest = {n: -result[n, 2].min() for n in (2, 3)}
    assert deepest[3] < 0.3 * deepest[2]  # a soft object has no time to mark
    front = np.abs(result[5, 1][60])
    assert abs(abs(int(front.argmax()) - MIDDLE) - 30) <= 3
    rough = [np.abs(np.diff(result[n, 1][400], 2)).max() for n in (5, 6)]
    assert rough[1] < 0.5 * rough[0]
    assert result[7, 2].min() < -0.1  # beyond what the object reaches: it goes away
    assert abs(result[8, 1].min() + 0.0188) < 2e-4
    line = screen(9, 1)
    x = {k: modes_of_fields(line, result[9, 1][k]) for k in (0, 1, 750, 751)}
    early, late = (x[k] ** 2 + x[k + 1] ** 2 - x[k] * x[k + 1] for k in (0, 750))  # of a swing by 60° a step, at K = 1
    for j in (1, 3, 5):  # falls in 2/Z_j samples: 7.6 s, 0.85 s, 0.31 s
        assert abs(np.sqrt(late / early)[j - 1] / np.exp(-0.75 * j**2 / 7.6) - 1) < 0.02
    assert result[11, 1].min() > -801 * eps * 0.07
    bent = [np.abs(np.diff(gone[11][k], 2)).max() for k in (0, 100, 300)]
    assert bent[0] > bent[1] > bent[2]
    assert abs(u[13][10] - 7e-5) < 5e-6
    left = [np.abs(result[n, 1][600:]).max() for n in (13, 5)]
    assert left[0] < 0.2 * left[1]


def draw(result, folder):
    chart = Figure(figsize=(12, 9.5), layout="constrained")
    axes = chart.subplots(4, 6)
    for n, number in enumerate(ROWS):
        for action, most in ((1, 0.01), (2, 0.03)):
            place = axes[2 * (n // 6) + action - 1, n % 6]
            place.imshow(
                result[number, action], aspect="auto", cmap="RdBu_r", vmin=-most, vmax=most, extent=(0, 95, 0.8, 0)
            )
            place.set(xticks=[], yticks=[0, 0.4, 0.8] if n % 6 == 0 else [])
            if action == 1:
                place.set_title(f"{number}  {NAMES[number]}", fontsize=10)
            if n % 6 == 0:
                place.set_ylabel(f"action {action}, time [s]")
    chart.savefig(folder / "table_8_1.png", dpi=110)
    return [folder / "table_8_1.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
