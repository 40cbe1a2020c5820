"""Figures on the CPU and on an NVIDIA GPU. Run on a machine with one: ``pytest -m gpu``.

The GPU contracts a·b + c to one rounding and has its own sin, cos and sqrt: each operation may differ by an ulp of its
size. No number of a state depends on more than 25 000 operations (forward dynamics with loads takes 20 916 additions,
multiplications and divisions for the mixed tree, 19 416 without loads for the human, counted as in
`bench.tree.gpu.count_operations`; a few hundred sines and roots come on top), so they differ by
25 000 · 1.1e-16 = 2.75e-12 of the size of the numbers at most.
"""

import numpy as np
import pytest

from bench.tree import human42
from motiform import FigureBuilder, joints, surfaces
from motiform.motion.tree import (
    Joint,
    advance,
    centroidal_bias,
    centroidal_matrix,
    coriolis_matrix,
    forward_dynamics,
    forward_kinematics,
    inertia_matrix,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    joint_axes,
)
from motiform.spatial import Transform, exp_rotation

BOUND = 25_000 * 1.1e-16
STATES = 300  # two whole blocks of 128 and a part of one


class Bent(Joint):
    """A joint that no kernel knows: a shift along x that lifts, y = x²/2."""

    nq = nv = 1
    names = ("x",)
    plain = True

    def neutral(self):
        return np.zeros(1)

    def transform(self, q):
        x = q[..., 0]
        return Transform(np.broadcast_to(np.eye(3), (*x.shape, 3, 3)), np.stack([x, x * x / 2, 0 * x], -1))

    def subspace(self, q):
        x = q[..., 0]
        return np.stack([0 * x, 0 * x, 0 * x, 1 + 0 * x, x, 0 * x], -1)[..., None]

    def subspace_rate(self, q, v):
        u = v[..., 0]
        return np.stack([0 * u, 0 * u, 0 * u, 0 * u, u, 0 * u], -1)[..., None]

    def rate(self, q, v):
        return v


def mixed_figure():
    """Return a figure with every kind of joint, two roots, armature and damping."""
    knee = [
        (joints.Axis("revolute", (0, 0, 1)), joints.linear(), "knee"),
        (joints.Axis("prismatic", (1, 0, 0)), joints.Spline([-2.0, -1.0, 0.5, 2.0], [0.1, 0.3, 0.0, -0.2]), "knee"),
        (joints.Axis("prismatic", (0, 1, 0)), joints.Polynomial((0.1, 0.2, -0.3)), "knee"),
        (joints.Axis("revolute", (1, 0, 0)), joints.linear(0.5), "twist"),
    ]
    chain = [
        ("base", None, joints.free()),
        ("hinge", "base", joints.revolute((1, 2, -1), point=(0.1, 0, 0.2), offset=0.3)),
        ("slide", "hinge", joints.prismatic((0, 1, 1))),
        ("screw", "base", joints.helical((0, 0, 1), 0.1)),
        ("cross", "screw", joints.universal((1, 0, 0), (0, 1, 0))),
        ("turns", "cross", joints.cardan("zyx", (1, -1, 1))),
        ("ball", "turns", joints.spherical()),
        ("plate", "base", joints.planar((0, 0, 1))),
        ("stump", "plate", joints.fixed()),
        ("knee", "stump", joints.function(knee)),
        ("roller", "knee", joints.contact(surfaces.ellipsoid((0.5, 0.4, 0.3)), surfaces.sphere(0.2))),
        ("slider", "base", joints.contact(surfaces.plane(), surfaces.torus(0.4, 0.1), sliding=True)),
        ("bent", "slider", Bent()),
        ("ground", None, joints.fixed()),
        ("wheel", "ground", joints.contact(surfaces.plane(), surfaces.cylinder(0.3))),
        ("bowl", "ground", joints.contact(surfaces.sphere(1.0, inside=True), surfaces.sphere(0.2))),
    ]
    rng = np.random.default_rng(5)
    builder = FigureBuilder(name="mixed")
    for name, parent, joint in chain:
        root = rng.normal(size=(3, 3))
        builder.segment(
            name,
            parent,
            joint,
            placement=Transform(exp_rotation(rng.normal(size=3)), rng.normal(size=3)),
            mass=0.0 if name == "stump" else 1.0 + rng.random(),
            com=(0, 0, 0) if name == "stump" else 0.2 * rng.normal(size=3),
            inertia=None if name == "stump" else 0.1 * np.eye(3) + 0.02 * root @ root.T / 3,
            armature=0.05,
            damping=0.1,
        )
    return builder.build()


def some_states(figure):
    rng = np.random.default_rng(6)
    start = rng.uniform(-0.7, 0.7, (STATES, figure.nv))
    q = advance(figure, figure.neutral(), start, 1.0)
    v, a = rng.normal(size=(2, STATES, figure.nv))
    return q, v, a, rng.normal(size=(STATES, len(figure.segments), 6))


@pytest.fixture(scope="module", params=["human42", "human42 native", "mixed"])
def case(request):
    figures = {"human42": human42.figure, "human42 native": lambda: human42.figure("native"), "mixed": mixed_figure}
    figure = figures[request.param]()
    return figure, *some_states(figure)


def apart(gpu, cpu):
    """Return the largest difference, relative to the largest number of each state."""
    assert gpu.shape == cpu.shape
    assert np.isfinite(gpu).all()
    axes = tuple(range(1, cpu.ndim))
    return (np.abs(gpu - cpu).max(axis=axes) / np.abs(cpu).max(axis=axes)).max()


def test_poses_agree(case):
    figure, q, *_ = case
    for gpu, cpu in zip(forward_kinematics(figure, q, device="cuda"), forward_kinematics(figure, q), strict=True):
        assert apart(gpu, cpu) < BOUND


def test_joint_axes_agree(case):
    figure, q, *_ = case
    assert apart(joint_axes(figure, q, device="cuda"), joint_axes(figure, q)) < BOUND


def test_inverse_dynamics_agrees(case):
    figure, q, v, a, loads = case
    assert apart(inverse_dynamics(figure, q, v, a, device="cuda"), inverse_dynamics(figure, q, v, a)) < BOUND
    loaded = inverse_dynamics(figure, q, v, a, loads)
    assert apart(inverse_dynamics(figure, q, v, a, loads, device="cuda"), loaded) < BOUND


def test_inertia_matrix_agrees(case):
    figure, q, *_ = case
    assert apart(inertia_matrix(figure, q, device="cuda"), inertia_matrix(figure, q)) < BOUND


def test_forward_dynamics_agrees(case):
    """Accelerations differ by as much as forces that differ by roundings make: compared as forces, M δa.

    The forces that cancel in M a have the size |M| |a|.
    """
    figure, q, v, tau, loads = case
    M = inertia_matrix(figure, q)
    for external in (None, loads):
        cpu = forward_dynamics(figure, q, v, tau, external)
        gpu = forward_dynamics(figure, q, v, tau, external, device="cuda")
        assert np.isfinite(gpu).all()
        off = (M @ (gpu - cpu)[..., None])[..., 0]
        size = (np.abs(M) @ np.abs(cpu)[..., None])[..., 0].max(axis=-1, keepdims=True)
        assert (np.abs(off) < BOUND * size).all()


def test_matrices_agree(case):
    figure, q, v, *_ = case
    for function, arguments in ((coriolis_matrix, (q, v)), (centroidal_matrix, (q,)), (centroidal_bias, (q, v))):
        assert apart(function(figure, *arguments, device="cuda"), function(figure, *arguments)) < BOUND


@pytest.mark.parametrize("manner", ["axes", "native"])
def test_derivatives_of_inverse_dynamics_agree(manner):
    figure = human42.figure(manner)
    q, v, a, loads = some_states(figure)
    cpu = inverse_dynamics_derivatives(figure, q, v, a, loads)
    for gpu, same in zip(inverse_dynamics_derivatives(figure, q, v, a, loads, device="cuda"), cpu, strict=True):
        assert apart(gpu, same) < BOUND


def test_one_state_is_taken_too(case):
    figure, q, v, a, _ = case
    single = inverse_dynamics(figure, q[0], v[0], a[0], device="cuda")
    assert single.shape == (figure.nv,)
    assert apart(single[None], inverse_dynamics(figure, q[0], v[0], a[0])[None]) < BOUND


def test_a_state_that_is_not_finite_is_refused(case):
    from motiform.base.errors import MotiformError

    figure, q, v, a, _ = case
    broken = q.copy()
    broken[7, 1] = np.nan
    with pytest.raises(MotiformError, match="the number must be finite"):
        inverse_dynamics(figure, broken, v, a, device="cuda")
