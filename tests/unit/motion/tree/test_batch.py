"""Many states at once: the same bits as one by one, on any number of threads, for any leading axes and arrays."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, joints
from motiform.base.errors import InputError, RunError
from motiform.base.kernels import cuda_device_name, threads
from motiform.motion import tree
from motiform.motion.tree.joints import Axis, Polynomial, Spline, linear
from motiform.spatial import random_rotation


class Turn(joints.Joint):
    """A hinge about x that no kernel knows."""

    nq = nv = 1
    names = ("turn",)

    @property
    def plain(self):
        return True

    def neutral(self):
        return np.zeros(1)

    def transform(self, q):
        return joints.revolute((1, 0, 0)).transform(q)

    def subspace(self, q):
        return np.broadcast_to(np.eye(6)[:, :1], (*q.shape[:-1], 6, 1))

    def subspace_rate(self, q, v):
        return np.zeros((*q.shape[:-1], 6, 1))

    def rate(self, q, v):
        return np.array(v)


def make(kind):
    rng = np.random.default_rng(4)
    b = FigureBuilder(name=kind)
    knee = [
        (Axis("revolute", (0, 0, 1)), linear(), "knee"),
        (Axis("prismatic", (1, 0, 0)), Spline([-1.0, 0.0, 1.0], [0.0, 0.1, 0.3]), "knee"),
    ]
    chain = [
        ("root", None, joints.free()),
        ("arm", "root", joints.cardan("zxy", (1, -1, 1))),
        ("hand", "arm", joints.spherical()),
        ("leg", "root", joints.helical((1, 2, 3), 0.1, point=(0.1, 0.2, 0.3))),
        ("shank", "leg", joints.function(knee)),
        ("foot", "shank", Turn() if kind == "asked" else joints.revolute((1, 0, 0), name="foot")),
        ("ball", None, joints.planar()),
    ]
    for name, parent, joint in chain:
        x = rng.normal(size=(5, 3)) * 0.2
        b.segment(
            name,
            parent,
            joint,
            placement=Transform(random_rotation(rng), rng.normal(size=3)),
            mass=rng.uniform(0.5, 2),
            com=rng.normal(size=3) * 0.1,
            inertia=np.eye(3) * (x**2).sum() - x.T @ x,
            armature=0.01,
            damping=0.02,
        )
    b.tag("tip", "hand", (0.1, 0.2, 0.3))
    b.tag("toe", "foot", (0.1, 0.0, 0.0))
    if kind == "coupled":
        b.couple("foot", "knee", Polynomial((0.1, 0.5, 0.2)))
    if kind == "closed":
        b.close("grip", "hand", (0.1, 0, 0), "foot", (0, 0.2, 0))
    return b.build()


FIGURES = {kind: make(kind) for kind in ("plain", "asked", "coupled", "closed")}

# function, how many of (q, v, a or tau, wrenches) it takes
FUNCTIONS = {
    "rotations": (lambda f, q: tree.forward_kinematics(f, q).rotation, 1),
    "positions": (lambda f, q: tree.forward_kinematics(f, q).position, 1),
    "tags": (tree.tags, 1),
    "joint_axes": (tree.joint_axes, 1),
    "tag_jacobians": (tree.tag_jacobians, 1),
    "jacobian": (lambda f, q: tree.jacobian(f, q, "hand", (0.1, 0.2, 0.0)), 1),
    "centers_of_mass": (tree.centers_of_mass, 1),
    "inertia_matrix": (tree.inertia_matrix, 1),
    "repair": (tree.repair, 1),
    "nonlinear_effects": (tree.nonlinear_effects, 2),
    "momentum": (tree.momentum, 2),
    "kinetic": (lambda f, q, v: tree.energy(f, q, v).kinetic, 2),
    "potential": (lambda f, q, v: tree.energy(f, q, v).potential, 2),
    "tag_velocities": (tree.tag_velocities, 2),
    "tag_accelerations": (tree.tag_accelerations, 2),
    "twists": (lambda f, q, v: tree.motion(f, q, v).twists, 2),
    "configuration_rate": (tree.configuration_rate, 2),
    "advance": (tree.advance, 2),
    "accelerations": (lambda f, q, v, a: tree.motion(f, q, v, a).accelerations, 3),
    "inverse_dynamics": (tree.inverse_dynamics, 3),
    "forward_dynamics": (tree.forward_dynamics, 3),
    "inverse_dynamics, loads": (tree.inverse_dynamics, 4),
    "forward_dynamics, loads": (tree.forward_dynamics, 4),
}
# what passes through BLAS or LAPACK may differ in the last bits between one and many: products of whole matrices
BY_MATRICES = {
    ("coupled", "inertia_matrix"),
    ("coupled", "joint_axes"),
    ("coupled", "forward_dynamics"),
    ("coupled", "forward_dynamics, loads"),
    ("coupled", "tag_jacobians"),
    ("coupled", "jacobian"),
    ("closed", "forward_dynamics"),
    ("closed", "forward_dynamics, loads"),
}
CASES = [pytest.param(kind, name, id=f"{kind}-{name}") for kind in FIGURES for name in FUNCTIONS]


def states(figure, shape=(), seed=0):
    rng = np.random.default_rng(seed)
    q = figure.neutral() + 0.5 * rng.normal(size=(*shape, figure.nq))
    v, a = rng.normal(size=(2, *shape, figure.nv))
    return q, v, a, rng.normal(size=(*shape, len(figure.segments), 6))


def call(kind, name, *inputs):
    function, count = FUNCTIONS[name]
    return function(FIGURES[kind], *inputs[:count])


def assert_same(kind, name, found, expected):
    if (kind, name) in BY_MATRICES:
        size = max(1.0, np.abs(expected).max(initial=0.0))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * size)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_one_by_one_and_many_have_the_same_bits(kind, name):
    for shape in ((1,), (3,), (37,), (2, 3, 4)):
        inputs = states(FIGURES[kind], shape)
        many = call(kind, name, *inputs)
        assert many.shape[: len(shape)] == shape
        for at in list(np.ndindex(shape))[:12]:
            one = call(kind, name, *(x[at] for x in inputs))
            assert one.shape == many.shape[len(shape) :]
            assert_same(kind, name, many[at], one)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_number_of_threads_changes_no_bit(kind, name):
    import numba

    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("one core")
    inputs = states(FIGURES[kind], (501,))
    with threads(1):
        alone = call(kind, name, *inputs)
    with threads(2):
        together = call(kind, name, *inputs)
    np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_empty_batches_have_no_results(kind, name):
    shape = call(kind, name, *states(FIGURES[kind])).shape
    for empty in ((0,), (2, 0), (0, 3)):
        assert call(kind, name, *states(FIGURES[kind], empty)).shape == (*empty, *shape)


@pytest.mark.parametrize(("kind", "name"), [case for case in CASES if FUNCTIONS[case.values[1]][1] > 1])
def test_one_state_is_taken_for_all(kind, name):
    inputs, count = states(FIGURES[kind], (5, 2)), FUNCTIONS[name][1]
    for single in range(count):
        mixed = [x[0, 0] if k == single else x for k, x in enumerate(inputs)]
        full = [np.broadcast_to(x[0, 0], x.shape) if k == single else x for k, x in enumerate(inputs)]
        assert_same(kind, name, call(kind, name, *mixed), call(kind, name, *full))
    column = [x[:, :1] if k == 0 else x[:1] for k, x in enumerate(inputs)]  # (5, 1) with (1, 2)
    full = [np.broadcast_to(y, x.shape) for x, y in zip(inputs, column, strict=True)]
    assert_same(kind, name, call(kind, name, *column), call(kind, name, *full))


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_every_kind_of_array_is_taken(kind, name):
    for shape in ((), (6,)):
        inputs = states(FIGURES[kind], shape)
        expected = call(kind, name, *inputs)
        assert_same(kind, name, call(kind, name, *(x.tolist() for x in inputs)), expected)
        assert_same(kind, name, call(kind, name, *(np.asfortranarray(x) for x in inputs)), expected)
        assert_same(kind, name, call(kind, name, *(np.repeat(x, 2, axis=-1)[..., ::2] for x in inputs)), expected)
        assert_same(kind, name, call(kind, name, *(x[..., ::-1].copy()[..., ::-1] for x in inputs)), expected)
        assert_same(kind, name, call(kind, name, *(x.astype(">f8") for x in inputs)), expected)
        frozen = [np.array(x) for x in inputs]
        for x in frozen:
            x.setflags(write=False)
        assert_same(kind, name, call(kind, name, *frozen), expected)
        rough = [x.astype(np.float32) for x in inputs]
        assert_same(kind, name, call(kind, name, *rough), call(kind, name, *(x.astype(float) for x in rough)))
        whole = [np.rint(3 * x).astype(int) + 1 for x in inputs]
        assert_same(kind, name, call(kind, name, *whole), call(kind, name, *(x.astype(float) for x in whole)))


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_results_are_the_callers_own(kind, name):
    figure = FIGURES[kind]
    for shape in ((), (5,)):
        inputs, others = states(figure, shape), states(figure, shape, seed=1)
        before = [np.array(x) for x in inputs]
        found = call(kind, name, *inputs)
        kept = np.array(found)
        for x, y in zip(inputs, before, strict=True):
            np.testing.assert_array_equal(x, y)  # inputs are not written to
            assert not np.shares_memory(found, x)
        if figure.single is not None:
            assert not np.shares_memory(found, figure.single.work)
            assert not np.shares_memory(found, figure.single.zeros)
        call(kind, name, *others)
        np.testing.assert_array_equal(found, kept)
        if np.ndim(found):
            found[...] = 7.0  # may be written to, and nothing inside depends on it
        np.testing.assert_array_equal(call(kind, name, *inputs), kept)


@pytest.mark.parametrize("kind", FIGURES)
def test_calls_from_many_python_threads_are_right(kind):
    inputs = states(FIGURES[kind], (40,))
    names = [name for name in FUNCTIONS if (kind, name) not in BY_MATRICES]
    expected = {name: call(kind, name, *inputs) for name in names}

    def work(k):
        for name in names:
            at = k % 40
            if not np.array_equal(call(kind, name, *(x[at] for x in inputs)), expected[name][at]):
                return f"{name} of one state"
            if not np.array_equal(call(kind, name, *inputs), expected[name]):
                return f"{name} of many"
        return None

    with ThreadPoolExecutor(4) as pool:
        assert [wrong for wrong in pool.map(work, range(12)) if wrong] == []


DEVICES = {
    "poses": lambda f, s, d: tree.forward_kinematics(f, s[0], device=d),
    "tags": lambda f, s, d: tree.tags(f, s[0], device=d),
    "joint_axes": lambda f, s, d: tree.joint_axes(f, s[0], device=d),
    "centers_of_mass": lambda f, s, d: tree.centers_of_mass(f, s[0], device=d),
    "inertia_matrix": lambda f, s, d: tree.inertia_matrix(f, s[0], device=d),
    "motion": lambda f, s, d: tree.motion(f, s[0], s[1], device=d),
    "nonlinear_effects": lambda f, s, d: tree.nonlinear_effects(f, s[0], s[1], device=d),
    "inverse_dynamics": lambda f, s, d: tree.inverse_dynamics(f, *s[:3], device=d),
    "forward_dynamics": lambda f, s, d: tree.forward_dynamics(f, *s[:3], device=d),
    "forward_dynamics, loads": lambda f, s, d: tree.forward_dynamics(f, *s, device=d),
}


@pytest.mark.parametrize("kind", FIGURES)
@pytest.mark.parametrize("name", DEVICES)
def test_devices_that_are_not_there_are_refused(kind, name):
    for shape in ((), (3,)):
        inputs = states(FIGURES[kind], shape)
        with pytest.raises(InputError, match="unknown device"):
            DEVICES[name](FIGURES[kind], inputs, "tpu")
        if cuda_device_name() is None:
            with pytest.raises(RunError, match="no CUDA device"):
                DEVICES[name](FIGURES[kind], inputs, "cuda")


def test_single_states_of_simple_figures_take_the_short_way():
    """What the tests above compare is two ways, not one."""
    assert FIGURES["plain"].single is not None
    assert all(FIGURES[kind].single is None for kind in ("asked", "coupled", "closed"))


# ---- wrong states --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_numbers_that_are_not_finite_are_named(kind, name):
    figure = FIGURES[kind]
    count = FUNCTIONS[name][1]
    for bad in (np.nan, np.inf, -np.inf):
        for shape in ((), (4, 2)):
            for which in range(min(count, 3)):
                inputs = [np.array(x) for x in states(figure, shape)]
                inputs[which][..., -1].flat[-1] = bad  # an angle of the ball, the last segment
                last = "ball" if which == 0 else figure.coordinates[-1]
                with pytest.raises(InputError, match=f"{last}.*the number must be finite") as error:
                    call(kind, name, *inputs)
                assert ("state 7" in str(error.value)) == bool(shape)


def test_wrenches_that_are_not_finite_are_named():
    for kind in FIGURES:
        *inputs, external = states(FIGURES[kind], (3,))
        external[1, 2, 4] = np.nan
        for function in (tree.inverse_dynamics, tree.forward_dynamics):
            with pytest.raises(InputError, match=r"external.*hand"):
                function(FIGURES[kind], *inputs, external)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_wrong_sizes_and_shapes_are_refused(kind, name):
    inputs, count = states(FIGURES[kind], (3,)), FUNCTIONS[name][1]
    for which in range(count):
        for wrong in (
            inputs[which][..., :-1],
            np.concatenate([inputs[which], inputs[which]], axis=-1),
            np.zeros(()),
            3.0,
            [],
            None,
            "abc",
            [[1.0], [2.0, 3.0]],
            inputs[which] * 1j,
            np.zeros((2, *inputs[which].shape[1:])) if count > 1 else np.zeros((3, 0)),
        ):
            if wrong is None and (which == 3 or name == "accelerations"):
                continue  # no wrenches, no accelerations
            given = list(inputs)
            given[which] = wrong
            with pytest.raises(InputError):
                call(kind, name, *given)


@pytest.mark.parametrize("kind", FIGURES)
def test_quaternions_without_length_are_refused(kind):
    figure = FIGURES[kind]
    for segment in ("root", "hand"):
        for shape in ((), (3,)):
            inputs = [np.array(x) for x in states(figure, shape)]
            at = figure.layout.q[figure.index(segment)][-4:]
            inputs[0][..., at] = 0.0
            for name, (_, count) in FUNCTIONS.items():
                with pytest.raises(InputError, match=f"{segment}.*quaternion"):
                    call(kind, name, *inputs[:count])


def test_a_figure_without_freedoms():
    b = FigureBuilder()
    b.segment("rock", None, joints.fixed(), placement=Transform.translation_of((1, 2, 3)), mass=2.0, com=(0, 1, 0))
    figure = b.build()
    for shape in ((), (4,), (0,), (2, 3)):
        none = np.zeros((*shape, 0))
        assert tree.forward_kinematics(figure, none).position.shape == (*shape, 1, 3)
        assert tree.centers_of_mass(figure, none).shape == (*shape, 2, 3)
        assert tree.joint_axes(figure, none).shape == (*shape, 0, 6)
        assert tree.inertia_matrix(figure, none).shape == (*shape, 0, 0)
        assert tree.inverse_dynamics(figure, none, none, none).shape == (*shape, 0)
        assert tree.forward_dynamics(figure, none, none, none).shape == (*shape, 0)
        assert tree.advance(figure, none, none, 0.1).shape == (*shape, 0)
        assert tree.energy(figure, none, none).total.shape == shape
    np.testing.assert_array_equal(tree.forward_kinematics(figure, []).position, [[1, 2, 3]])
    assert tree.forward_dynamics(figure, [], [], []).shape == (0,)
