"""What is the largest push that a man stands?
============================================

A man who keeps his balance (scene balance) is pushed at the chest for 0.1 s: forward, backward, to the side. The range
between an impulse that he stands and one under which he falls is halved until it is below 1 N s.

Checks. He stands the one and falls under the other, in each direction. He never stands more than a pendulum whose
centre of pressure goes to the edge of the feet at once, m ω₀ d [Hof05]: pushes at the chest turn him, too.
"""

from pathlib import Path
from tempfile import mkdtemp

from matplotlib.figure import Figure

import motiform as mf
from motiform import actuation as act
from motiform.image import show_pictures

TIME = 0.1  # [s] of the push
# direction, an impulse that he stands and one that he does not [N s], way from the centre of mass to the edge [m]
PUSHES = {
    "forward": ((1.0, 0.0, 0.0), 25.0, 60.0, 0.172),
    "backward": ((-1.0, 0.0, 0.0), 10.0, 40.0, 0.087),
    "sideways": ((0.0, 0.0, 1.0), 15.0, 60.0, 0.141),
}


def main(quick=False):
    return {name: narrowed(*PUSHES[name][:3], 25.0 if quick else 1.0) for name in (["forward"] if quick else PUSHES)}


def narrowed(direction, stood, fell, width):
    """Return the largest impulse that he stood and the least under which he fell [N s]."""
    while fell - stood > width:
        middle = 0.5 * (stood + fell)
        stood, fell = (middle, fell) if stands(direction, middle) else (stood, middle)
    return stood, fell


def stands(direction, impulse):
    push = [impulse / TIME * x for x in direction]
    try:
        rec = mf.simulate("balance", settings={"scene.duration": 2.4, "figure.man.load.0.force": push})
    except mf.MotiformError:  # limbs of one who fell may end a run
        return False
    return bool(rec["center_of_mass"][-1, 1] > 0.9)


def pendulum(name):
    """Greatest impulse that a pendulum with his mass and height stands [N s]."""
    rec = mf.simulate("balance", settings={"scene.duration": 0.02})
    mass = mf.load_scene("balance").build().model.mass
    return act.capture_impulse(mass, rec["center_of_mass"][0, 1], PUSHES[name][3])


def check(result):
    for name, (stood, fell) in result.items():
        direction, *_ = PUSHES[name]
        assert stood < fell
        assert stood < pendulum(name), (name, stood, pendulum(name))
        assert stands(direction, 0.95 * stood)  # nothing below falls
        assert not stands(direction, 1.1 * fell)


def draw(result, folder):
    page = Figure(figsize=(6, 3), layout="constrained")
    axes = page.subplots()
    for k, (name, (stood, fell)) in enumerate(result.items()):
        axes.bar(k - 0.2, stood, 0.35, color="tab:blue", label="stands" if k == 0 else None)
        axes.bar(k + 0.2, pendulum(name), 0.35, color="0.8", label="ankles of a pendulum" if k == 0 else None)
        axes.text(k - 0.2, stood + 0.5, f"{stood:.1f}–{fell:.1f}", ha="center", fontsize=8)
    axes.set_xticks(range(len(result)), list(result))
    axes.set(ylabel="impulse [N·s]", title="largest pushes at the chest")
    axes.legend(fontsize=8)
    page.savefig(folder / "largest_pushes.png", dpi=130)
    return [folder / "largest_pushes.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
