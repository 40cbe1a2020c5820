r"""Can a gesture be done again?
============================

``motiform view --live hand`` shows a block of jelly and a ball: drag the ball, and it pushes the jelly while the
simulation runs. The motion of the hand is recorded at every step, 1050 positions a second. Here a scripted hand
replaces the user: it pokes the jelly from the side and strokes over its top, in jerks, as a mouse does; the hand
follows smoothly within some hundredths of a second.

The gesture is saved as a recording with one channel, ``hand.position``, and a scene replays it with ``motion = {
recording = { file = "gesture.mf", channel = "hand.position" } }``. The motion of the jelly is then reproduced bit for
bit: the same network, the same steps, the same numbers. A gesture that differs by a nanometre gives different bits.
"""

import tempfile
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures
from motiform.record import Recording
from motiform.scene import load_scene, parse_scene
from motiform.studio.live import LiveNetwork, replayed

RATE, FILM = 1050, 50
JERKS = [(-0.3, 0.12, 0), (-0.18, 0.13, 0), (-0.1, 0.13, 0), (-0.3, 0.14, 0), (-0.2, 0.3, 0), (0.0, 0.15, 0.02),
         (0.15, 0.16, -0.02), (0.2, 0.3, 0)]  # fmt: skip


def gesture(quick):
    """Return a live run that was pushed by hand, and where the jelly was at its pictures."""
    live, seen = LiveNetwork(load_scene("hand").build().model), []
    for target in JERKS[:4] if quick else JERKS:
        live.move(target)
        for _ in range(FILM // 5):
            live.advance(RATE // FILM)
            seen.append(live.engine.state().position[:-1])
    return live, np.array(seen)


def replay(live, folder):
    """Return the run of a scene that reads the recorded gesture from its own folder."""
    live.gesture(folder / "gesture.mf")
    hand = {"name": "hand", "radius": 0.05, "color": [0.92, 0.66, 0.50]}
    hand["motion"] = {"recording": {"file": "gesture.mf", "channel": "hand.position"}}
    settings = {"network.0.imposed": [hand], "scene.duration": live.seconds}
    return mf.simulate(parse_scene(load_scene("hand").text, folder=folder, settings=settings))


def main(quick=False):
    live, seen = gesture(quick)
    with tempfile.TemporaryDirectory() as folder:
        again = replay(live, Path(folder))
    hand = live.gesture()
    off = Recording.from_arrays([hand.channel("hand.position")], {"hand.position": hand["hand.position"] + 1e-9})
    other = mf.simulate(replayed(live.network, off), t1=live.seconds, rate=FILM)
    return {"seen": seen, "again": again, "other": other, "hand": hand["hand.position"][:, 0]}


def check(result):
    jelly = result["again"]["jelly.position"]
    assert np.array_equal(jelly[1:], result["seen"])  # to the last bit
    assert np.abs(jelly - jelly[0]).max() > 0.02  # m: it was pushed
    assert not np.array_equal(result["other"]["jelly.position"], jelly)


def draw(result, folder):
    chart = Figure(figsize=(9, 3.0), layout="constrained")
    left, right = chart.subplots(1, 2)
    t = np.arange(len(result["hand"])) / RATE
    jerks = np.repeat(np.array(JERKS)[: round(t[-1] * 5)], 2, axis=0)
    edges = np.repeat(np.arange(len(jerks) // 2 + 1) / 5, 2)[1:-1]
    for axis, color in enumerate(("#D55E00", "#0072B2")):
        left.plot(edges, jerks[:, axis], color=color, linewidth=0.6, linestyle=":")
        left.plot(t, result["hand"][:, axis], color=color, linewidth=1.2, label=f"hand, {'xy'[axis]}")
    left.set(xlabel="time [s]", ylabel="position [m]")
    left.legend(frameon=False)
    rec = result["again"]
    middle = rec["jelly.position"].mean(axis=1)
    right.plot(rec.time("jelly.position"), middle[:, 0] - middle[0, 0], color="#CC3355", label="replayed")
    live = result["seen"].mean(axis=1)
    right.plot((np.arange(len(live)) + 1)[::5] / FILM, live[::5, 0] - middle[0, 0], "k.", markersize=3, label="live")
    right.set(xlabel="time [s]", ylabel="jelly's middle, x [m]")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.grid(alpha=0.25)
    chart.savefig(folder / "gesture.png", dpi=150)
    shown = picture(dress(rec), folder / "jelly.png", sample=int(0.36 * len(live)), size=(1200, 700))
    return [shown, folder / "gesture.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
