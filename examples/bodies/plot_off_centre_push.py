"""What does a push beside the centre of mass do?
==============================================

The same push J on four equal boxes. Through the centre of mass it moves a box and does not turn it. Beside it, it moves
the box just as fast, and turns it, too [Zara]:

    v = J/M,    ω = I⁻¹ (r × J),

with r from the centre of mass to the point that is pushed. Along its line of action a force may be moved: the moment
stays, and so does all that follows. Pushed at another place across it, the box turns about another axis.

The run is the loop of the course: 18 numbers for each body, explicit Euler, 24 frames a second, for ten seconds. It is
written out below, as in the course, and gives the same numbers. With steps so long the matrices of what turns do not
stay rotations, by √(1 + h²ω²) a step; the energy–momentum method, at the same step, keeps them.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import Form, Part
from motiform.geometry import Box
from motiform.image import Camera, picture, show_pictures
from motiform.motion.bodies import Environment, Load

FRAME, END = 1 / 24, 10.0  # s
BOX = Box((0.5, 0.3, 0.4))
MATTER = BOX.mass_properties(density=100)  # 6 kg
PUSH = np.array([1.2, 0.0, 0.0])  # N s
POINTS = {"centre": (0, 0, 0), "above": (-0.25, 0.12, 0), "ahead": (0.2, 0.12, 0), "corner": (-0.25, 0.12, 0.16)}
COLORS = {"centre": "#555555", "above": "#0072B2", "ahead": "#009E73", "corner": "#D55E00"}


def run_pushed():
    """Push for the first frame: explicit Euler takes the moment at its start, so that it is a blow."""
    bodies = [mf.Body(name, MATTER, BOX, position=(0, 0, k)) for k, name in enumerate(POINTS)]
    pushes = [Load(name, force=PUSH / FRAME, at=at, until=FRAME) for name, at in POINTS.items()]
    model = mf.Bodies(tuple(bodies), loads=tuple(pushes), environment=Environment(gravity=(0, 0, 0)))
    return mf.simulate(model, t1=END, rate=24, integrator="euler", step=FRAME)


def spin_of(at):
    return np.linalg.solve(MATTER.inertia, np.cross(at, PUSH))


def run_after():
    """Begin with what the push has made."""
    started = [
        mf.Body(name, MATTER, BOX, position=(0, 0, k), velocity=PUSH / MATTER.mass, spin=spin_of(at))
        for k, (name, at) in enumerate(POINTS.items())
    ]
    model = mf.Bodies(tuple(started), environment=Environment(gravity=(0, 0, 0)))
    return mf.simulate(model, t1=END, rate=24, integrator="lie-midpoint", step=FRAME)


def course_loop(at):
    """Return x, P, L of every frame by the loop of the course, for one body: x0, xFinal, Dxdt, solve."""
    inverse, pushed = np.linalg.inv(MATTER.inertia), np.array(at, float)

    def dxdt(t, x):
        R = x[3:12].reshape(3, 3)
        v, w = x[12:15] / MATTER.mass, R @ inverse @ R.T @ x[15:18]
        star = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        force = PUSH / FRAME if t < 0.5 * FRAME else np.zeros(3)
        return np.concatenate([v, (star @ R).ravel(), force, np.cross(R @ pushed, force)])

    final = np.concatenate([np.zeros(3), np.eye(3).ravel(), np.zeros(6)])
    frames = [final]
    for k in range(round(END / FRAME)):
        x0 = final
        final = x0 + FRAME * dxdt(k * FRAME, x0)
        frames.append(final)
    return np.array(frames)


def main(quick=False):
    return {"euler": run_pushed(), "lie-midpoint": run_after()}


def check(result):
    rec, off = result["euler"], []
    for name, at in POINTS.items():
        spin = spin_of(at)
        v, w = rec[f"{name}.velocity"], rec[f"{name}.angular_velocity"]
        rounding = 1e-14
        assert np.abs(v[1:] - PUSH / MATTER.mass).max() <= rounding
        assert np.abs(w[1] - spin).max() <= rounding * max(1.0, np.abs(spin).max())
        frames = course_loop(at)
        rounding = 240 * 1e-15 * np.abs(frames[-1]).max()  # a few units in the last place of each step
        assert np.abs(rec[f"{name}.position"] - frames[:, :3] - rec[f"{name}.position"][0]).max() <= rounding
        R = frames[-1, 3:12].reshape(3, 3)
        off.append(np.linalg.norm(R.T @ R - np.eye(3)))
    assert abs(rec["orthogonality"][-1] - max(off)) <= 1e-9 * max(off)  # of the one that is farthest off
    assert result["lie-midpoint"]["orthogonality"].max() <= 240 * 1e-15
    assert (rec["centre.angular_velocity"] == 0).all()
    for channel in ("angular_velocity", "orientation"):  # the same moment
        assert np.abs(rec[f"above.{channel}"] - rec[f"ahead.{channel}"]).max() <= 1e-12
    assert np.abs(rec["above.angular_velocity"][1, :2]).max() == 0  # about z alone
    assert np.abs(rec["corner.angular_velocity"][1, 1]) > 0.1


def draw(result, folder):
    rec, free = result["euler"], result["lie-midpoint"]
    parts = []
    for k, name in enumerate(POINTS):
        frames = np.arange(0, 217, 72)
        place = free[f"{name}.position"][frames] + [0, 0, 0.1 * k]
        color = np.array([int(COLORS[name][i : i + 2], 16) / 255 for i in (1, 3, 5)]) ** 2.2
        parts.append(Part(name, BOX, np.zeros(3), color, place[None], free[f"{name}.orientation"][frames][None]))
    form = Form(tuple(parts), np.zeros(1))
    camera = Camera.framing(form, direction=(0.1, 0.9, 1), fov=0.3, aspect=1.9)
    chart = Figure(figsize=(9, 3.2), layout="constrained")
    spins, growth = chart.subplots(1, 2)
    t = rec.time("centre.angular_velocity")
    for name, color in COLORS.items():
        dashes = (0, (4, 4)) if name == "ahead" else "-"
        w = np.linalg.norm(free[f"{name}.angular_velocity"], axis=1)
        spins.plot(t, w, color=color, label=name, linestyle=dashes)
    for name, at in POINTS.items():
        R = course_loop(at)[:, 3:12].reshape(-1, 3, 3)
        off = np.linalg.norm(np.swapaxes(R, 1, 2) @ R - np.eye(3), axis=(1, 2))
        growth.plot(t, off, color=COLORS[name], linestyle=(0, (4, 4)) if name == "ahead" else "-")
    spins.set(xlabel="time [s]", ylabel="|ω| [rad/s]", title="after the push, lie-midpoint")
    growth.set(xlabel="time [s]", ylabel="|RᵀR − 1|", title="the course's loop")
    for axes in (spins, growth):
        axes.grid(alpha=0.25)
    spins.legend(frameon=False)
    chart.savefig(folder / "spins.png", dpi=150)
    return [picture(form, folder / "boxes.png", camera=camera, size=(1000, 520)), folder / "spins.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
