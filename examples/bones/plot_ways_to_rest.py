"""Which way down to rest costs least?
====================================

Four bones of the proximal row come to rest after the hand was flexed by 10°: 24 coordinates, one energy. [Perez94]
names the ways down (10.3.2): Nelder–Mead, which asks for the energy alone; steepest descent, which zigzags; conjugate
gradients, which remember where they came from. `settle` goes by Levenberg–Marquardt, with second derivatives. All of
them start from the neutral pose and end in one pose. Left: the energy above the least one against evaluations; below
the line the pose is known to 10 µm (or 1 mrad), as an energy of curvature λ or more is at least λ δ²/2 at a distance δ.

Middle and right: the potential of contact that the document proposes, K/d between the centres of two balls that touch
and K/a below a (10.3.1, fig. 1), beside that of cartilage. It does not fall to zero where the contact opens: for a pair
of balls it jumps by K/(r₁ + r₂), and so does its sum over the balls of two bones at each pair that begins to touch.
The energy of cartilage begins with no slope at all.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize

import motiform as mf
from motiform.geometry import maps
from motiform.image import show_pictures
from motiform.motion.bones.pack import neutral_poses, workspace
from motiform.motion.bones.settle_kernels import evaluate, settle
from motiform.spatial import Transform, exp_rotation, log_rotation

COARSE = mf.wrist.BoneResolution(spacing=8e-4, points=2e-3, margin=5e-3, band=2e-3)
LEVER = 1e-2  # m by which turns and shifts are compared
SURE = 1e-5  # m: how near to rest a pose must be known
MOST = 40_000  # evaluations


class Energy:
    """Energy of the free bodies by their shifts and by turns about their centres, from a start; it keeps count."""

    def __init__(self, packed, start):
        self.packed, self.start, self.space, self.seen = packed, start, workspace(packed), []
        self.free = np.flatnonzero(packed.slots >= 0)
        rotations = start[:, :9].reshape(-1, 3, 3)
        self.centers = np.einsum("bij,bj->bi", rotations, packed.middles) + start[:, 9:]

    def poses(self, x):
        found = self.start.copy()
        for b, (w, v) in zip(self.free, x.reshape(-1, 2, 3), strict=True):
            turn = exp_rotation(w / LEVER)
            found[b, :9] = (turn @ found[b, :9].reshape(3, 3)).reshape(9)
            found[b, 9:] = turn @ (found[b, 9:] - self.centers[b]) + self.centers[b] + v
        return found

    def at(self, poses):
        packed = self.packed
        return evaluate(poses, packed.slots, packed.middles, packed.model, packed.settings, *self.space)

    def value(self, x):
        self.seen.append(self.at(self.poses(x)))
        return self.seen[-1]

    def value_and_gradient(self, x):
        """The gradient by twists of where the bodies are, taken to coordinates by the left Jacobian of the turn."""
        value, gradient = self.value(x), self.space[1].copy().reshape(-1, 2, 3)
        for k, (w, _) in enumerate(x.reshape(-1, 2, 3) / LEVER):
            angle, K = max(np.linalg.norm(w), 1e-5), np.cross(np.eye(3), w)
            sine, versine = np.sin(angle), 1 - np.cos(angle)
            left = np.eye(3) + versine / angle**2 * K + (angle - sine) / angle**3 * K @ K
            gradient[k, 0] = left.T @ gradient[k, 0] / LEVER
        return value, gradient.ravel()


def nelder_mead(energy, x, enough):
    while (
        len(energy.seen) < MOST and min(energy.seen, default=np.inf) > enough
    ):  # a simplex that fell flat is set up anew
        simplex = np.vstack([x, x + 5e-4 * np.eye(len(x))])
        options = {"adaptive": True, "maxfev": MOST, "fatol": 1e-12, "xatol": 1e-8, "initial_simplex": simplex}
        x = minimize(energy.value, x, method="Nelder-Mead", options=options).x
    return x


def steepest_descent(energy, x, enough):
    (value, slope), step = energy.value_and_gradient(x), 1e-7
    while len(energy.seen) < MOST and value > enough:
        step *= 2.0
        after, there = energy.value_and_gradient(x - step * slope)
        while after > value - 1e-4 * step * slope @ slope:
            step *= 0.5
            after, there = energy.value_and_gradient(x - step * slope)
        x, value, slope = x - step * slope, after, there
    return x


def conjugate_gradients(energy, x, enough):
    return minimize(energy.value_and_gradient, x, jac=True, method="CG", options={"gtol": 1e-4, "maxiter": MOST}).x


WAYS = {"Nelder–Mead": nelder_mead, "steepest descent": steepest_descent, "conjugate gradients": conjugate_gradients}


def levenberg_marquardt(packed, start, most):
    """Return the poses after at most so many evaluations, and how many there were."""
    size, poses = 6 * packed.free, start.copy()
    space = (*workspace(packed), np.zeros((size, size)), np.zeros(size))
    given = packed.slots, packed.middles, packed.model, packed.settings
    used = settle(poses, *given, most, np.empty_like(poses), workspace(packed), space)[1]
    return poses, used


def main(quick=False):
    hand = mf.wrist.from_meshes(mf.wrist.synthetic_bones(), fineness=COARSE)
    packed = hand.packed(hand.bodies())
    start = neutral_poses(packed)
    start[1, :9] = exp_rotation(np.deg2rad(10) * np.cross(hand.axes.distal, hand.axes.palmar)).reshape(9)
    energy = Energy(packed, start)
    rest, used = levenberg_marquardt(packed, start, 200)
    least = energy.at(rest)
    scale = np.tile([1 / LEVER] * 3 + [1.0] * 3, packed.free)
    softest = np.linalg.eigvalsh(energy.space[2] * np.outer(scale, scale))[0]
    bound = softest * SURE**2 / 2
    seen = {"Levenberg–Marquardt": [energy.at(levenberg_marquardt(packed, start, n)[0]) for n in range(1, used + 1)]}
    ends = {}
    for name in list(WAYS)[1 if quick else 0 :]:
        way = Energy(packed, start)
        ends[name] = way.poses(WAYS[name](way, np.zeros(6 * packed.free), least + 0.25 * bound))
        seen[name] = way.seen
    above = {name: np.minimum.accumulate(values) - least for name, values in seen.items()}
    found = {"above": above, "ends": ends, "rest": rest, "bound": bound, "softest": softest, "packed": packed}
    return found | {"pushed": pushed(hand), "quick": quick}


def pushed(hand, a=1e-3):
    """Return Σ K/d over the pairs of balls of lunate and capitate that touch, K = 1, as one goes into the other [m]."""
    covers = []
    for name in ("lunate", "capitate"):
        mesh = hand.bones[name].mesh
        grid = maps.grid_around(*mesh.bounds, 1e-3)
        covers.append(maps.cover_labels(maps.mesh_voxels(mesh, grid), grid))
    one, other = covers
    way = hand.bones["capitate"].center - hand.bones["lunate"].center
    shifts, sums = np.linspace(1.4e-3, 1.9e-3, 251), []
    for shift in shifts:
        pose = Transform(np.eye(3), -shift * way / np.linalg.norm(way))
        pairs, deep = maps.ball_pairs(one, other, pose=pose)
        sums.append((1 / np.maximum(one.radii[pairs[:, 0]] + other.radii[pairs[:, 1]] - deep, a)).sum())
    return shifts, np.array(sums)


def sure_after(result, name):
    """Return how many evaluations it took until the pose was known."""
    return int((result["above"][name] > result["bound"]).sum()) + 1


def off(result, poses):
    """Return how far poses are from rest: turns by the lever, and shifts of centres [m]."""
    rest, packed, square = result["rest"], result["packed"], 0.0
    for b in np.flatnonzero(packed.slots >= 0):
        R, S = poses[b, :9].reshape(3, 3), rest[b, :9].reshape(3, 3)
        shift = (R - S) @ packed.middles[b] + poses[b, 9:] - rest[b, 9:]
        square += (LEVER * np.linalg.norm(log_rotation(R @ S.T))) ** 2 + shift @ shift
    return np.sqrt(square)


def check(result):
    counts = {name: sure_after(result, name) for name in result["above"]}
    for name, poses in result["ends"].items():
        assert result["above"][name][-1] < result["bound"], name
        assert off(result, poses) < 2 * SURE, name  # twice, as λ is that at rest
    assert counts["Levenberg–Marquardt"] < 40
    assert 5 * counts["Levenberg–Marquardt"] < counts["conjugate gradients"] < counts["steepest descent"] / 5
    if not result["quick"]:
        assert counts["Nelder–Mead"] > 5 * counts["conjugate gradients"]
    _, sums = result["pushed"]
    assert sums[0] == 0.0
    assert np.diff(sums).max() > 0.05 * sums.max()  # a pair that begins to touch is a step


def draw(result, folder):
    chart = Figure(figsize=(12, 3.9), layout="constrained")
    ways, pair, bones = chart.subplots(1, 3, width_ratios=(1.4, 1, 1))
    for name, above in result["above"].items():
        label = f"{name}: {sure_after(result, name)}"
        ways.loglog(np.arange(1, len(above) + 1), np.maximum(above, 1e-13), label=label)
    ways.axhline(result["bound"], color="0.5", lw=0.8, ls="--")
    ways.set(ylim=(1e-11, 1e5), xlabel="evaluations", ylabel="energy above the least (J)")
    ways.legend(fontsize=8, title="evaluations to the line", title_fontsize=8, loc="upper right")
    ways.set_title("ten degrees of flexion at once", fontsize=10)
    r, a, t = 6.0, 2.0, 1.4  # mm
    d = np.linspace(0.5, 8.0, 700)
    pair.plot(d, np.where(d < r, a / np.maximum(d, a), 0.0), label="K/d, K/a below a")
    p = np.maximum(t - (d - r), 0.0)
    pair.plot(d, p**2 / 4, label="cartilage, 1.4 mm thick")
    pair.axvline(r, color="0.7", lw=0.8)
    pair.set(ylim=(-0.05, 1.1), xlabel="distance of the centres of two balls (mm)", ylabel="energy, relative")
    pair.set_title("two balls of r₁ + r₂ = 6 mm, a = 2 mm", fontsize=10)
    pair.legend(fontsize=8, loc="lower left")
    shifts, sums = result["pushed"]
    bones.plot(1e3 * shifts, sums / sums.max())
    bones.set(xlabel="lunate moved towards the capitate (mm)", ylabel="Σ K/d over pairs, relative")
    bones.set_title("two bones of balls", fontsize=10)
    chart.savefig(folder / "ways_to_rest.png", dpi=150)
    return [folder / "ways_to_rest.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
