"""Files read by us and by the engines whose formats they are: same poses, sites, inertia matrix, nonlinear effects.

Both sides do the same arithmetic in float64 on trees of about ten bodies. Rounding grows with the number of products
along a branch: some hundred of 1e-16 each, so 1e-12 of the largest entry, and 1e-11 leaves room for the engines' own
storage of the model (MuJoCo keeps quaternions and principal axes, which costs a few more digits).
"""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.geometry import Mesh, write_mesh
from motiform.motion.tree.algorithms.closures import constraint
from motiform.motion.tree.algorithms.dynamics import inertia_matrix, nonlinear_effects
from motiform.motion.tree.algorithms.kinematics import forward_kinematics, tags
from motiform.motion.tree.algorithms.loops import close_loops
from motiform.motion.tree.read import read_figure, read_mjcf, read_urdf
from motiform.spatial import random_rotation

mujoco = pytest.importorskip("mujoco")
pinocchio = pytest.importorskip("pinocchio")

from engines import FromPinocchio, mujoco_state, random_qpos, velocity_change  # noqa: E402

TOLERANCE = 1e-11


def close(ours, theirs, tolerance=TOLERANCE):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    scale = max(1.0, np.abs(theirs).max(initial=0.0))
    assert np.abs(ours - theirs).max(initial=0.0) <= tolerance * scale


def numbers(values):
    return " ".join(repr(float(x)) for x in np.atleast_1d(values))


# ---- MuJoCo ----------------------------------------------------------------------------------------------------------


def compare_with_mujoco(figure, model, rng, states=5, tolerance=TOLERANCE):
    assert (figure.nq, figure.nv) == (model.nq, model.nv)
    for _ in range(states):
        q, v = random_qpos(model, rng), rng.standard_normal(model.nv)
        data, M = mujoco_state(model, q, v)
        compare_frames(figure, model, data, q, tolerance)
        B, bias = velocity_change(model, q, v)
        ours = inertia_matrix(figure, q)
        close(B.T @ ours @ B, M, tolerance)
        h = nonlinear_effects(figure, q, B @ v)
        close(B.T @ (h + ours @ bias), data.qfrc_bias - data.qfrc_passive, tolerance)


def compare_frames(figure, model, data, q, tolerance=TOLERANCE):
    R, p = forward_kinematics(figure, q)
    for b in range(1, model.nbody):
        n = figure.index(model.body(b).name or f"body{b}")
        close(p[n], data.xpos[b])
        close(R[n], data.xmat[b].reshape(3, 3))
        assert figure.segments[n].mass == pytest.approx(model.body_mass[b], rel=tolerance)
    for name, point in zip(figure.tag_names, tags(figure, q), strict=True):
        close(point, data.site(name).xpos)


def read_both(tmp_path, text, **options):
    path = tmp_path / "model.xml"
    path.write_text(text, "utf-8")
    return read_mjcf(path, **options), mujoco.MjModel.from_xml_path(str(path))


CREATURE = """
<mujoco model="creature">
  <compiler angle="degree" eulerseq="zYx" autolimits="true"/>
  <option gravity="0.3 -9.7 1.1" timestep="0.002" integrator="RK4"><flag contact="disable"/></option>
  <default>
    <joint armature="0.02" damping="0.1"/>
    <geom density="800" rgba="0.8 0.5 0.3 1"/>
    <default class="limb">
      <joint type="hinge" axis="0 1 0" armature="0.05" pos="0.01 0.02 0"/>
      <geom type="capsule" size="0.04 0.15"/>
      <site pos="0 0 -0.3"/>
      <default class="foot"><geom type="box" size="0.1 0.05 0.02" euler="10 20 30"/></default>
    </default>
  </default>
  <asset><material name="skin" rgba="0.9 0.7 0.6 1"/></asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="3 3 0.1"/>
    <body name="trunk" pos="0.1 0.2 1.0" euler="10 20 30">
      <freejoint name="root"/>
      <geom type="ellipsoid" size="0.2 0.15 0.3" material="skin"/>
      <geom type="sphere" size="0.1" pos="0 0.1 0.35" mass="1.7"/>
      <site name="back" pos="-0.2 0 0"/>
      <body name="arm" pos="0.2 0 0.2" axisangle="1 2 3 40" childclass="limb">
        <joint name="shoulder" type="ball" armature="0.03" pos="0.02 -0.01 0.03"/>
        <geom fromto="0 0 0 0.1 0.2 -0.3" size="0.03"/>
        <body name="hand" pos="0 0 -0.3" zaxis="0.3 0.2 1">
          <joint name="elbow" range="-30 120" ref="20"/>
          <joint name="twist" axis="0.2 0.3 -1" pos="0 0 0" damping="0"/>
          <joint name="reach" type="slide" axis="1 0 1" ref="0.05"/>
          <inertial pos="0.01 0.02 -0.1" mass="0.6" diaginertia="0.003 0.004 0.002" euler="5 6 7"/>
          <site name="finger"/>
        </body>
      </body>
      <frame pos="0 -0.1 -0.2" xyaxes="1 0.1 0 -0.1 1 0.2" childclass="limb">
        <body name="thigh">
          <joint name="hip1"/><joint name="hip2" axis="1 0 0"/>
          <geom type="cylinder" pos="0 0 -0.15"/>
          <frame pos="0.02 0 0" quat="1 0.1 0.2 0.3"><geom size="0.03" type="cylinder" pos="0 0 -0.15"/></frame>
          <body name="shank" pos="0 0 -0.3">
            <joint name="knee"/>
            <inertial pos="0 0 -0.1" mass="1.2" fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"/>
            <body name="foot" pos="0 0 -0.3"><geom class="foot"/><site name="toe" pos="0.1 0 0"/></body>
          </body>
        </body>
      </frame>
    </body>
    <body pos="1 0 0">
      <joint type="ball"/><joint type="slide" axis="0 0 1"/>
      <geom type="box" fromto="0 0 0 0 0.2 0.4" size="0.05"/>
    </body>
  </worldbody>
  <actuator><motor joint="knee"/></actuator>
  <sensor><jointpos joint="knee"/></sensor>
</mujoco>
"""


def test_a_creature_with_every_kind_of_joint_is_the_one_of_mujoco(tmp_path):
    figure, model = read_both(tmp_path, CREATURE)
    compare_with_mujoco(figure, model, np.random.default_rng(1))
    np.testing.assert_allclose(figure.gravity, model.opt.gravity, rtol=0, atol=0)
    low, high = figure.limits[figure.coordinates.index("elbow")]
    np.testing.assert_allclose([low, high], model.joint("elbow").range, rtol=1e-15)


class RandomMjcf:
    """A random tree with all the ways of writing it."""

    def __init__(self, seed):
        self.rng, self.count = np.random.default_rng(seed), 0

    def pick(self, *options):
        return options[self.rng.integers(len(options))]

    def orientation(self):
        R = random_rotation(self.rng)
        return self.pick(
            "",
            f'quat="{numbers(self.rng.standard_normal(4))}"',
            f'euler="{numbers(self.rng.uniform(-3, 3, 3))}"',
            f'axisangle="{numbers(self.rng.uniform(-2, 2, 4))}"',
            f'xyaxes="{numbers([*R[0], *(R[1] + 0.3 * R[0])])}"',
            f'zaxis="{numbers(self.rng.standard_normal(3))}"',
        )

    def place(self):
        return f'pos="{numbers(self.rng.uniform(-0.5, 0.5, 3))}" {self.orientation()}'

    def joints(self, top):
        if top and self.rng.random() < 0.4:
            return "<freejoint/>"
        kinds = [self.pick("hinge", "slide", "ball") for _ in range(self.rng.integers(0, 3))]
        if "ball" in kinds:  # MuJoCo takes one in a body, and no hinge behind it
            kinds = [kind for kind in kinds if kind == "hinge"] + self.pick(["ball", "slide"], ["slide", "ball"])
        return "".join(self.joint(kind) for kind in kinds)

    def joint(self, kind):
        extra = (
            f'axis="{numbers(self.rng.standard_normal(3))}" ref="{self.rng.uniform(-1, 1)}"' if kind != "ball" else ""
        )
        more = f'armature="{self.rng.uniform(0, 0.1)}" damping="{self.rng.uniform(0, 2)}"'
        return f'<joint type="{kind}" pos="{numbers(self.rng.uniform(-0.2, 0.2, 3))}" {extra} {more}/>'

    def geom(self):
        kind = self.pick("sphere", "capsule", "box", "cylinder", "ellipsoid")
        size = numbers(self.rng.uniform(0.03, 0.2, 3))
        place = self.place()
        if kind != "sphere" and self.rng.random() < 0.3:
            place = f'fromto="{numbers(self.rng.uniform(-0.4, 0.4, 6))}"'
        amount = self.pick("", 'mass="2.5"', 'density="300"')
        return f'<geom type="{kind}" size="{size}" {place} {amount}/>'

    def body(self, depth):
        self.count += 1
        name = f"b{self.count}"
        matter = self.geom() + (self.geom() if self.rng.random() < 0.5 else "")
        if self.rng.random() < 0.3:
            matter = f'<inertial {self.place()} mass="1.3" diaginertia="0.02 0.03 0.04"/>'
        inside = "".join(self.body(depth + 1) for _ in range(self.rng.integers(0, 3) if depth < 4 else 0))
        inside += f'<site name="{name}" pos="{numbers(self.rng.uniform(-0.3, 0.3, 3))}"/>'
        if self.rng.random() < 0.3:
            inside = f"<frame {self.place()}>{inside}</frame>"
        return f'<body name="{name}" {self.place()}>{self.joints(depth == 0)}{matter}{inside}</body>'

    def text(self):
        bodies = "".join(self.body(0) for _ in range(2))
        settings = f'angle="radian" eulerseq="{self.pick("xyz", "ZYX", "zXz", "YxY")}"'
        return f"<mujoco><compiler {settings}/><worldbody>{bodies}</worldbody></mujoco>"


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_are_those_of_mujoco(tmp_path, seed):
    figure, model = read_both(tmp_path, RandomMjcf(seed).text())
    assert model.nv > 0
    compare_with_mujoco(figure, model, np.random.default_rng(seed), states=2)


COUPLED = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="a"><joint name="lead" axis="0 1 0" ref="0.2"/><geom size="0.1" pos="0.3 0 0"/>
      <body name="b" pos="0.5 0 0"><joint name="follow" axis="0 0 1" ref="-0.3"/><geom size="0.1" pos="0.2 0 0.1"/>
        <body name="c" pos="0.5 0 0.2">
          <joint name="held" axis="1 2 0" pos="0.1 0 0" ref="0.4"/><joint name="free" axis="0 1 1" pos="0 0.2 0.1"/>
          <geom type="box" size="0.1 0.2 0.05" pos="0.2 0 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint joint1="follow" joint2="lead" polycoef="0.1 -0.7 0.4 0.2 -0.1"/>
    <joint joint1="held" polycoef="0.25"/>
    <joint joint1="free" joint2="lead" active="false"/>
  </equality>
</mujoco>
"""


def test_coupled_and_held_joints_move_the_bodies_as_in_mujoco(tmp_path):
    figure, model = read_both(tmp_path, COUPLED)
    assert figure.coordinates == ("lead", "free")
    x, free = 0.7, -0.4
    s = x - 0.2
    qpos = np.array([x, -0.3 + 0.1 - 0.7 * s + 0.4 * s**2 + 0.2 * s**3 - 0.1 * s**4, 0.4 + 0.25, free])
    slope = -0.7 + 0.8 * s + 0.6 * s**2 - 0.4 * s**3
    data, M = mujoco_state(model, qpos, np.zeros(4))
    compare_frames(figure, model, data, [x, free])
    G = np.array([[1.0, 0.0], [slope, 0.0], [0.0, 0.0], [0.0, 1.0]])
    close(inertia_matrix(figure, [x, free]), G.T @ M @ G)
    assert any("not active" in note for note in figure.notes)


def test_bounds_and_balance_of_inertia_are_those_of_mujoco(tmp_path):
    body = '<body name="a"><joint/><geom size="0.1" mass="0.01"/></body>'
    flat = (
        '<body name="b"><joint axis="1 1 1"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 5" euler="9 8 7"/></body>'
    )
    settings = '<compiler boundmass="0.5" boundinertia="0.3" balanceinertia="true"/>'
    text = f"<mujoco>{settings}<worldbody>{body}{flat}</worldbody></mujoco>"
    compare_with_mujoco(*read_both(tmp_path, text), np.random.default_rng(5))


def u_shape():
    """Return corners and outward faces of a prism over a U: closed, not convex."""
    outline = 0.1 * np.array([[0, 0], [3, 0], [3, 3], [2, 3], [2, 1], [1, 1], [1, 3], [0, 3]])
    n = len(outline)
    corners = np.concatenate([np.c_[outline, np.zeros(n)], np.c_[outline, np.full(n, 0.1)]])
    lid = np.array([(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (0, 5, 6), (0, 6, 7)])
    sides = [face for i in range(n) for j in [(i + 1) % n] for face in ((i, j, j + n), (i, j + n, i + n))]
    return corners, np.concatenate([lid[:, ::-1], lid + n, sides])


def write_msh(path, corners, faces):
    counts = np.array([len(corners), 0, 0, len(faces)], "<i4")
    path.write_bytes(counts.tobytes() + corners.astype("<f4").tobytes() + faces.astype("<i4").tobytes())


MESH = """<mujoco><compiler inertiafromgeom="true"/><asset><mesh name="u" {}/></asset><worldbody><body name="a">
    <joint axis="1 2 3"/><joint axis="0 1 0"/><geom {} mesh="u" pos="0.2 0.1 0" euler="10 20 30"/></body>
    </worldbody></mujoco>"""
# MuJoCo turns the inertia of a mesh into principal axes up to some 1e-7 of it; mass and centre agree to rounding.
OF_MESHES = 2e-7


@pytest.mark.parametrize("rule", ["", "legacy", "exact", "convex", "shell"])
@pytest.mark.parametrize("whole", [True, False], ids=["closed", "open"])
def test_matter_of_a_mesh_is_that_of_mujoco(tmp_path, rule, whole):
    corners, faces = u_shape()
    write_mesh(Mesh(corners, faces if whole else faces[3:]), tmp_path / "u.obj")
    given = f'file="u.obj" scale="1 -1.5 0.7" refpos="0.1 0.2 0.3" refquat="1 2 3 4" {rule and f"inertia={rule!r}"}'
    figure, model = read_both(tmp_path, MESH.format(given, 'type="mesh"'))
    compare_with_mujoco(figure, model, np.random.default_rng(2), tolerance=OF_MESHES)
    assert figure.mass == pytest.approx(model.body_mass[1], rel=1e-13)
    np.testing.assert_allclose(figure.segments[0].com, model.body_ipos[1], rtol=0, atol=1e-14)
    assert len(figure.segment("a").parts) == 1


def test_meshes_in_the_file_and_of_msh_files_are_those_of_mujoco(tmp_path):
    corners, faces = u_shape()
    write_msh(tmp_path / "u.msh", corners, faces)
    for given in (f'vertex="{numbers(corners.ravel())}"', 'file="u.msh"'):
        figure, model = read_both(tmp_path, MESH.format(given, 'type="mesh"'))
        compare_with_mujoco(figure, model, np.random.default_rng(2), tolerance=OF_MESHES)
    (tmp_path / "u.msh").write_bytes((tmp_path / "u.msh").read_bytes()[:-4])
    with pytest.raises(InputError, match=r"must be a \.msh file"):
        read_mjcf(tmp_path / "model.xml")


OBJ = """o first
{corners}
f 1 2 3 4
f 5/1 8/2 7/3 6/4
f 1//1 5//1 6//1 2//1
f 2 6 7 3
f -6 -2 -1 -5
f 4 8 5 1
o second
v 9 9 9
f 1 2 9
"""


def test_the_first_object_of_an_obj_file_is_that_of_mujoco(tmp_path):
    """Its sides are not flat, so that the mass tells by which diagonal they are split: 1 % of it.

    Texts become float32 in two ways, one unit of 6e-8 apart.
    """
    rng = np.random.default_rng(3)
    corners = np.array([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (0, 1), (1, 1), (1, 0))]) * 0.2
    rows = "\n".join(f"v {numbers(x)}" for x in corners + rng.uniform(-0.03, 0.03, (8, 3)))
    (tmp_path / "box.obj").write_text(OBJ.format(corners=rows))
    body = '<body name="a"><joint axis="1 1 0"/><geom type="mesh" mesh="box"/></body>'
    text = f'<mujoco><asset><mesh file="box.obj"/></asset><worldbody>{body}</worldbody></mujoco>'
    figure, model = read_both(tmp_path, text)
    compare_with_mujoco(figure, model, np.random.default_rng(4), tolerance=1e-7)
    assert any("all but the first object of box.obj" in note for note in figure.notes)
    (tmp_path / "box.obj").write_text("v 0 0 0\nv 1 0 0\nf 1 2 7\n")
    with pytest.raises(InputError, match="must be an OBJ file"):
        read_mjcf(tmp_path / "model.xml")


@pytest.mark.parametrize("count", [5, 7, 12, 101])
def test_faces_of_many_corners_are_those_of_mujoco(tmp_path, count):
    """Lids that are neither convex nor flat: a fan would change the mass by per cents. Those above 100 are left out."""
    rng = np.random.default_rng(count)
    turn = 2 * np.pi * np.arange(count) / count
    outline = rng.uniform(0.08, 0.2, count)[:, None] * np.c_[np.cos(turn), np.sin(turn)] + (0.3, 0.1)
    ends = [np.c_[outline, z + rng.uniform(-0.02, 0.02, count)] for z in (0.0, 0.1)]
    around = [(i + 1, (i + 1) % count + 1) for i in range(count)]
    rows = [f"v {numbers(x)}" for end in ends for x in end]
    rows += [f"f {i} {j} {j + count} {i + count}" for i, j in around]
    rows += ["f " + " ".join(map(str, lid)) for lid in (range(count, 0, -1), range(count + 1, 2 * count + 1))]
    (tmp_path / "u.obj").write_text("\n".join(rows))
    figure, model = read_both(tmp_path, MESH.format('file="u.obj" inertia="legacy"', 'type="mesh"'))
    compare_with_mujoco(figure, model, np.random.default_rng(4), tolerance=OF_MESHES)
    assert any("faces with more than 100 corners of u.obj" in note for note in figure.notes) == (count > 100)


@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
def test_shapes_fitted_to_a_mesh_are_those_of_mujoco(tmp_path, kind):
    write_mesh(Mesh(*u_shape()), tmp_path / "u.obj")
    figure, model = read_both(tmp_path, MESH.format('file="u.obj"', f'type="{kind}" fitscale="1.3"'))
    compare_with_mujoco(figure, model, np.random.default_rng(2), tolerance=OF_MESHES)


def test_a_free_joint_with_armature_is_that_of_mujoco(tmp_path):
    """Three slides and a ball have the velocities of MuJoCo, in its order."""
    text = CREATURE.replace('<freejoint name="root"/>', '<joint name="root" type="free" damping="0.3" armature="0.7"/>')
    figure, model = read_both(tmp_path, text)
    np.testing.assert_allclose(figure.neutral(), model.qpos0, rtol=0, atol=1e-15)
    rng = np.random.default_rng(6)
    for _ in range(3):
        q, v = random_qpos(model, rng), rng.standard_normal(model.nv)
        data, M = mujoco_state(model, q, v)
        close(inertia_matrix(figure, q), M)
        close(nonlinear_effects(figure, q, v), data.qfrc_bias - data.qfrc_passive)


def test_the_total_mass_is_that_of_mujoco(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file where it stands
    text = CREATURE.replace("<compiler ", '<compiler settotalmass="50" ')
    figure, model = read_both(tmp_path, text)
    assert figure.mass == pytest.approx(50.0, rel=1e-14)
    compare_with_mujoco(figure, model, np.random.default_rng(3), states=1)


def test_the_neutral_configuration_is_the_reference_of_mujoco(tmp_path):
    figure, model = read_both(tmp_path, CREATURE)
    np.testing.assert_allclose(figure.neutral(), model.qpos0, rtol=0, atol=1e-15)


CHAIN = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="a"><joint name="w" axis="0 1 0" ref="0.2"/><geom size="0.1" pos="0.3 0 0"/>
      <body name="b" pos="0.5 0 0"><joint name="x" axis="0 0 1" ref="-0.3"/><geom size="0.1" pos="0.2 0 0.1"/>
        <body name="c" pos="0.5 0 0.2"><joint name="y" axis="1 2 0" ref="0.4"/><geom size="0.1" pos="0.2 0 0.1"/>
          <body name="d" pos="0.5 0 0"><joint name="z" axis="0 1 1"/><geom type="box" size="0.1 0.2 0.05"/>
            <body name="e" pos="0.5 0 0"><joint name="s" axis="0 1 1"/><joint name="t"/><geom size="0.1" pos="1 0 0"/>
          </body></body>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="sum"><joint joint="s" coef="2"/><joint joint="w" coef="-0.5"/></fixed>
    <fixed name="one"><joint joint="t" coef="4"/></fixed>
  </tendon>
  <equality>
    <joint joint1="y" joint2="x" polycoef="0.1 -0.7 0.4"/>
    <joint joint1="x" joint2="w" polycoef="0.2 0.5 0.3"/>
    <joint joint1="y" joint2="z" polycoef="0.1 2"/>
    <tendon tendon1="sum" polycoef="0.3"/>
    <tendon tendon1="one" polycoef="0.8"/>
  </equality>
</mujoco>
"""


def test_chains_of_equalities_and_of_tendons_hold_as_in_mujoco(tmp_path):
    """The residuals of all equalities vanish in MuJoCo where our figure is, and its motion is within their rows."""
    figure, model = read_both(tmp_path, CHAIN)
    assert figure.coordinates == ("w",)
    rng, names = np.random.default_rng(4), ["w", "x", "y", "z", "s", "t"]
    for value in rng.uniform(-0.5, 0.5, 4):
        q = figure.coupled.expand(np.array([value]))
        at = {name: q[figure.layout.places_q[name][0]] for name in names if name in figure.layout.places_q}
        at["t"] = model.joint("t").qpos0[0] + 0.8 / 4  # it stands still
        data = mujoco.MjData(model)
        data.qpos[:] = [at[name] for name in names]
        mujoco.mj_forward(model, data)
        assert data.nefc == 5
        np.testing.assert_allclose(data.efc_pos, 0.0, atol=1e-15)
        compare_frames(figure, model, data, [value])


LOOP = """
<mujoco>
  <worldbody>
    <body name="a" pos="0 0 1"><joint name="i" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>
      <body name="b" pos="0.5 0.1 0" euler="10 20 30"><joint name="j" type="ball"/><geom size="0.1" pos="0.2 0 0.1"/>
        <site name="sb" pos="0.1 0.2 0.3" euler="30 0 0"/></body>
    </body>
    <body name="c" pos="1 0 1" euler="40 0 10"><joint name="k" axis="0 1 0"/><joint name="l" axis="1 0 0"/>
      <geom size="0.1" pos="0.1 0 0"/>
      <body name="d" pos="0.2 0 0"><joint name="m" type="ball"/><geom size="0.1"/>
        <site name="sd" pos="0.3 -0.2 0.1" euler="0 50 0"/></body></body>
  </worldbody>
  <equality>{}</equality>
</mujoco>
"""


@pytest.mark.parametrize(
    "equality",
    [
        '<connect body1="b" body2="d" anchor="0.1 0.2 0.3"/>',
        '<connect body1="d" anchor="0.1 0.2 0.3"/>',
        '<connect site1="sb" site2="sd"/>',
        '<weld body1="b" body2="d"/>',
        '<weld body1="b" body2="d" anchor="0.1 0.2 0.3" relpose="0.45 -0.3 0.65 0.9 0.2 -0.2 -0.1"/>',
        '<weld body1="d" anchor="1 2 3"/>',
        '<weld site1="sb" site2="sd"/>',
    ],
)
def test_connect_and_weld_hold_what_mujoco_holds(tmp_path, equality):
    """Where our closure is closed their residual vanishes, and the rows of both span the same space."""
    figure, model = read_both(tmp_path, LOOP.format(equality))
    (closure,) = figure.closures
    q, _ = close_loops(figure, figure.neutral(), tolerance=1e-13)
    data, _ = mujoco_state(model, q, np.zeros(model.nv))
    assert data.nefc == closure.count
    np.testing.assert_allclose(data.efc_pos, 0.0, atol=1e-12)
    theirs = data.efc_J.reshape(-1, model.nv)
    ours = constraint(figure, q, np.zeros(figure.nv)).jacobian
    # Rows are of size 1: rank 1e-9 tells what is zero but for rounding of the closing (1e-13) and of products.
    rank = np.linalg.matrix_rank(theirs, tol=1e-9)
    assert rank == np.linalg.matrix_rank(ours, tol=1e-9) == np.linalg.matrix_rank(np.vstack([ours, theirs]), tol=1e-9)


# ---- Pinocchio -------------------------------------------------------------------------------------------------------


def compare_with_pinocchio(figure, model, rng, states=3):
    assert figure.nv == model.nv
    pinocchio.seed(1)
    data, change = model.createData(), FromPinocchio(figure, model)
    planar = any(joint.shortname() == "JointModelPlanar" for _, joint in change.joints)
    for _ in range(states):
        q, v = (
            pinocchio.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq)),
            rng.standard_normal(model.nv),
        )
        pinocchio.framesForwardKinematics(model, data, q)
        ours, B = change.configuration(q)
        R, p = forward_kinematics(figure, ours)
        for n, name in enumerate(figure.names):
            frame = data.oMf[model.getFrameId(name, pinocchio.FrameType.BODY)]
            close(p[n], frame.translation)
            close(R[n], frame.rotation)
        M = pinocchio.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        inertia = inertia_matrix(figure, ours)
        close(B.T @ inertia @ B, M)
        h = nonlinear_effects(figure, ours, B @ v)
        bias = change.bias(q, v) if planar else 0.0 * v
        theirs = pinocchio.nonLinearEffects(model, data, q, v) + model.damping * v
        # differences over 1e-6 leave 1e-10 of the turning of the planar joint's axes
        close(B.T @ (h + inertia @ bias), theirs, 1e-8 if planar else TOLERANCE)


ROBOT = """
<robot name="robot">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <joint name="lift" type="prismatic">
    <parent link="base"/><child link="column"/><origin xyz="0.1 0 0.2" rpy="0.1 0.2 0.3"/>
    <axis xyz="0 0.6 0.8"/><limit lower="-1" upper="2" effort="10" velocity="1"/><dynamics damping="0.7"/>
  </joint>
  <link name="column">
    <inertial><origin xyz="0 0.1 0.2" rpy="0.4 0.5 0.6"/><mass value="3"/>
      <inertia ixx="0.2" iyy="0.3" izz="0.25" ixy="0.01" ixz="-0.02" iyz="0.03"/></inertial>
    <visual><geometry><cylinder radius="0.05" length="0.4"/></geometry><material name="grey"/></visual>
  </link>
  <joint name="turn" type="continuous">
    <parent link="column"/><child link="arm"/><origin xyz="0 0 0.4"/><axis xyz="1 2 -1"/><dynamics damping="0.1"/>
  </joint>
  <link name="arm">
    <inertial><origin xyz="0.2 0 0"/><mass value="1.5"/><inertia ixx="0.01" iyy="0.05" izz="0.05"
      ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="flange" type="fixed"><parent link="arm"/><child link="plate"/><origin rpy="0 1.5 0"/></joint>
  <link name="plate">
    <inertial><origin xyz="0 0 0.05"/><mass value="0.4"/><inertia ixx="0.002" iyy="0.002" izz="0.003"
      ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="left" type="revolute"><parent link="plate"/><child link="finger1"/><origin xyz="0.03 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-0.5" upper="0.5" effort="1" velocity="1"/></joint>
  <link name="finger1"><inertial><origin xyz="0 0 0.04"/><mass value="0.1"/><inertia ixx="0.0002" iyy="0.0002"
    izz="0.0001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="right" type="revolute"><parent link="plate"/><child link="finger2"/><origin xyz="-0.03 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-0.5" upper="0.5" effort="1" velocity="1"/>
    <mimic joint="left" multiplier="-1.2" offset="0.1"/></joint>
  <link name="finger2"><inertial><origin xyz="0 0 0.04"/><mass value="0.1"/><inertia ixx="0.0002" iyy="0.0002"
    izz="0.0001" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>
"""


def read_urdf_both(tmp_path, text, *, free=False, mimic=False):
    path = tmp_path / "robot.urdf"
    path.write_text(text, "utf-8")
    root = (pinocchio.JointModelFreeFlyer(),) if free else ()
    return read_urdf(path, free=free), pinocchio.buildModelFromXML(text, *root, mimic)


def test_a_robot_with_fingers_that_mimic_is_the_one_of_pinocchio(tmp_path):
    figure, model = read_urdf_both(tmp_path, ROBOT, mimic=True)
    assert figure.coordinates == ("lift", "turn", "left")
    compare_with_pinocchio(figure, model, np.random.default_rng(1))


def test_a_free_robot_is_the_one_of_pinocchio(tmp_path):
    figure, model = read_urdf_both(tmp_path, ROBOT, free=True, mimic=True)
    assert figure.nv == 9
    compare_with_pinocchio(figure, model, np.random.default_rng(2))


class RandomUrdf:
    """A random tree of links."""

    KINDS = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def origin(self):
        angles, at = numbers(self.rng.uniform(-3, 3, 3)), numbers(self.rng.uniform(-0.5, 0.5, 3))
        return f'<origin xyz="{at}" rpy="{angles}"/>'

    def link(self, n):
        a, b, c = self.rng.uniform(0.05, 0.5, 3) ** 2
        names = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), (b + c, a + c, a + b, 0, 0, 0), strict=True)
        moments = " ".join(f'{name}="{float(value)!r}"' for name, value in names)
        inertial = f'<inertial>{self.origin()}<mass value="{self.rng.uniform(0.5, 3)}"/><inertia {moments}/></inertial>'
        return f'<link name="l{n}">{inertial}</link>'

    def joint(self, n):
        kind = self.KINDS[self.rng.integers(len(self.KINDS))]
        axis = "0 0 1" if kind == "planar" else numbers(self.rng.standard_normal(3))
        limit = '<limit lower="-2" upper="2" effort="9" velocity="9"/>' if kind in ("revolute", "prismatic") else ""
        ends = f'<parent link="l{self.rng.integers(n)}"/><child link="l{n}"/>'
        return f'<joint name="j{n}" type="{kind}">{self.origin()}{ends}<axis xyz="{axis}"/>{limit}</joint>'

    def text(self, count=9):
        parts = [self.link(0), *(self.link(n) + self.joint(n) for n in range(1, count))]
        return f'<robot name="random">{"".join(parts)}</robot>'


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_are_those_of_pinocchio(tmp_path, seed):
    figure, model = read_urdf_both(tmp_path, RandomUrdf(seed).text())
    compare_with_pinocchio(figure, model, np.random.default_rng(seed), states=2)


def test_the_content_of_a_file_says_which_format_it_is(tmp_path):
    for name, text, count in (("a.txt", ROBOT, 6), ("b.txt", COUPLED, 3)):
        (tmp_path / name).write_text(text, "utf-8")
        assert len(read_figure(tmp_path / name).segments) == count
