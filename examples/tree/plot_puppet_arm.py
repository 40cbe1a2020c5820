"""What does it take to roll a ball with the hand?
===============================================

A puppet pushes a ball from rest to rest. The hand, a small ball itself, rolls on the large one while that rolls on the
ground: two contacts, one a joint of the tree, the other a loop closure. Together they leave one degree of freedom in
the plane, so the path of the ball's centre, here the smoothest one, determines all angles.

Two motors drive one degree of freedom: many efforts give the same motion, with different contact forces of the hand.
`effort` returns the minimum-norm solution and the force of the contact closure. Three checks: an arm driven by these
efforts moves the ball along its path, forward dynamics reproduces the accelerations, and no contact force is tensile.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, picture, show_pictures
from motiform.motion import tree

MOTORS, WAY, TIME = ["shoulder", "elbow"], 0.2, 1.2  # m, s


def course(t):
    """Return way, speed and acceleration of the ball's centre at times t [s]: least jerk from rest to rest."""
    x = np.asarray(t) / TIME
    s, u, w = x**3 * (10 - 15 * x + 6 * x**2), 30 * (x - x**2) ** 2 / TIME, 60 * x * (1 - x) * (1 - 2 * x) / TIME**2
    return WAY * s, WAY * u, WAY * w


def acceleration(figure, q, v, along):
    """Return the accelerations that keep the contacts and move the ball's centre along x by `along` [m/s²]."""
    _, J, bias = tree.constraint(figure, q, v)
    own = tree.motion(figure, q, v, np.zeros(figure.nv)).accelerations[figure.index("ball"), 3]
    rows = np.vstack([J, tree.jacobian(figure, q, "ball")[3]])
    return np.linalg.lstsq(rows, np.append(-bias, along - own), rcond=1e-10)[0]


def main(quick=False):
    puppet = mf.load_scene("puppet").build()
    figure, q0 = puppet.model, puppet.arguments["q0"]

    def motors(t, state):
        q, v = tree.close_loops(figure, state.q, state.v)  # within a step they are a little off
        return [*tree.effort(figure, q, v, acceleration(figure, q, v, course(t)[2]), MOTORS).tau, 0, 0, 0]

    run = {"t1": TIME, "rate": 20 if quick else 100, "rtol": 1e-7 if quick else 1e-9}
    rec = mf.simulate(figure, q0=q0, controls=motors, watch=False, **run)
    q, v = rec["q"], rec["v"]
    a = np.array([acceleration(figure, *state) for state in zip(q, v, course(rec.time("q"))[2], strict=True)])
    return {"figure": figure, "run": rec, "a": a, "effort": tree.effort(figure, q, v, a, MOTORS)}


def check(result):
    figure, rec, found = result["figure"], result["run"], result["effort"]
    x, t = rec["ball.position"][:, 0], rec.time("q")
    assert np.abs(x - x[0] - course(t)[0]).max() <= 1e-6  # m
    back = mf.forward_dynamics(figure, rec["q"], rec["v"], rec["tau"])
    assert np.abs(back - result["a"]).max() <= 1e-8 * np.abs(result["a"]).max()
    assert np.abs(found.tau - rec["tau"][:, :2]).max() <= 1e-8
    assert found.forces[:, 2].min() > 0  # of the ground on the ball
    assert rec["ball.contact_force"][:, 2].min() > 0  # of the hand


def draw(result, folder):
    rec = result["run"]
    chart = Figure(figsize=(7, 4.4), layout="constrained")
    panels, t = chart.subplots(2, 1, sharex=True), rec.time("q")
    panels[0].plot(t, result["effort"].tau, label=MOTORS)
    x, y, normal = rec["ball.contact_force"].T
    panels[1].plot(t, np.stack([normal, np.hypot(x, y)], 1), label=["hand presses", "hand rubs"])
    panels[0].set(ylabel="effort [N m]")
    panels[1].set(ylabel="force [N]", xlabel="time [s]")
    for axes in panels:
        axes.grid(alpha=0.25)
        axes.legend(frameon=False)
    chart.savefig(folder / "effort.png", dpi=150)
    camera = Camera((0.8, 0.65, 1.35), (0.2, 0.33, 0), fov=0.6)
    picture(dress(rec), folder / "puppet.png", time=0.4, camera=camera, size=(1000, 620))
    return [folder / "puppet.png", folder / "effort.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
