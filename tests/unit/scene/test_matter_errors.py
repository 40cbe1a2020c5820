"""Wrong networks are told by file, line and remedy; settings and parameters reach into them."""

# ruff: noqa: E501, tables of errors: a case a line

import pytest

from motiform import simulate
from motiform.base.errors import SceneError
from motiform.scene import parse_scene
from motiform.scene.build.matter import build_networks

ROPE = """\
[scene]
title = "A rope"
duration = 0.1
[[network]]
name = "net"
[[network.masses]]
name = "rope"
line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }
mass = 0.01
radius = 0.01
[[network.fixed]]
name = "nail"
at = [0, 1.2, 0]
[[network.link]]
name = "strand"
chain = ["nail", "rope"]
law = "spring"
stiffness = 100
damping = 0.1
[[network.solid]]
name = "ground"
floor = -1
law = "elastic_buffer"
stiffness = 100
"""


def error_of(text: str, settings=None, **more) -> str:
    """Return what the error says; the scene is read and built."""
    with pytest.raises(SceneError) as caught:
        build_networks(parse_scene(text, name="rope.toml", settings=settings, **more))
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("line = {", "lien = {", "rope.toml:8 network.0.masses.0.lien: unknown key. Did you mean 'line'?"),
        ("count = 5", "count = 0", "rope.toml:8 network.0.masses.0.line.count: Input should be greater than or equal to 1 (got 0)"),
        ("mass = 0.01", "mass = '1 m'", "rope.toml:9 network.0.masses.0.mass: the unit has the wrong dimension (got '1 m'; allowed: a unit like kg)"),
        ("mass = 0.01", "mass = [1, 'x']", "rope.toml:9 network.0.masses.0.mass: a quantity must be a number (got 'x'"),
        ("mass = 0.01", "mass = 0", "rope:6: masses 'rope': a mass must be above 0 (got '0.0 kg at [0]'"),
        ("mass = 0.01", "mass = [1, 2]", "rope:6: masses 'rope': mass does not fit (got [1.0, 2.0]; allowed: numbers of shape (5,))"),
        ("mass = 0.01", "mass = 1\ntotal = 2", "rope.toml:6 network.0.masses.0: give mass (of each) or total (of all)"),
        ("mass = 0.01", "mass = 1\naxes = 'xx'", "rope:6: masses 'rope': axes must name each axis once at most (got 'xx'"),
        ("mass = 0.01", "mass = 1\naxes = 'xz'\nspin = { axis = [1, 0, 0], speed = 1, center = [0, 0, 1] }", "rope:6: masses 'rope': velocity must be along the axes of motion (allowed: along xz)"),
        ("mass = 0.01", "mass = 1\nspin = { axis = [0, 0, 0], speed = 1 }", "rope:6: spin.axis: a direction must have a length above 0 (got [0.0, 0.0, 0.0])"),
        ("mass = 0.01", "mass = 1\nspin = { speed = '1 m' }", "rope.toml:10 network.0.masses.0.spin.speed: an angular rate must have a unit of angle per time (got '1 m'"),
        ("mass = 0.01", "mass = 1\nspin = { axis = [0, 1, 0] }", "rope.toml:10 network.0.masses.0.spin.speed: missing"),
        ("mass = 0.01", "mass = 1\npoints = [[0, 0, 0]]", "rope.toml:6 network.0.masses.0: give exactly one of at, points, grid, line, ring, fill, mesh; got points, line"),
        ("line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }", "points = []", "rope:6: points must not be empty (allowed: one or more)"),
        ("line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }", "mesh = 'a.obj'", "rope:6: scene 'rope': a scene from text cannot read files (got 'a.obj')"),
        ("line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }", "grid = { shape = [2, 2], spacing = 1, axes = 'xx' }", "rope.toml:8 network.0.masses.0.grid: axes must be letters of xyz"),
        ("line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }", "grid = { shape = [2, 2], spacing = [1, 0] }", "rope.toml:8 network.0.masses.0.grid: spacing must be above 0"),
        ("line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }", "ring = { radius = 1, count = 5, axis = [0, 0, 0] }", "rope:6: axis: a direction must have a length above 0 (got [0.0, 0.0, 0.0])"),
        ("line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }", "fill = { box = [1, 1, 1] }", "rope.toml:8 network.0.masses.0.fill: give spacing or count"),
        ("line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }", "fill = { box = [1, 1, 1], spacing = 0.01 }", "rope:6: points of these radii overlap (got 'spacing 0.01 m, radius 0.01 m')"),
        ("line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }", "fill = { box = [1, 1, 1], spacing = 0.5, count = 100 }", "rope:6: the shape holds fewer points (got 100; allowed: at most 8)"),
        ("line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }", "fill = { ball = 0.02, count = 100 }", "rope:6: "),
        ("line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }", "fill = { ball = 0.005, spacing = 0.1 }", "rope:6: the shape holds no point (got 'spacing 0.1 m'). Take it smaller."),
        ("line = { from = [0, 1, 0], to = [0, 0, 0], count = 5 }", "fill = { box = [1e9, 1, 1], spacing = 0.03 }", "rope:6: too many points"),
        ("[[network.fixed]]", "[[network.fixd]]", "rope.toml:11 network.0.fixd: unknown key. Did you mean 'fixed'?"),
        ('"nail"\nat', '"rope"\nat', "rope:11: two things have one name (got 'rope')"),
        ('chain = ["nail", "rope"]', 'chain = ["nale", "rope"]', "rope:16: no such points (got 'nale'; allowed: rope, nail). Did you mean 'nail'?"),
        ('chain = ["nail", "rope"]', 'chain = "nail"', "rope:16: a rule must make at least one link (got 'nail'). Give two points or more."),
        ('chain = ["nail", "rope"]', "chain = []", "rope:16: points must be named (allowed: one name or several)"),
        ('chain = ["nail", "rope"]', 'chain = "rope[9]"', "rope:16: no such point (got 'rope[9]'; allowed: 0 to 4)"),
        ('chain = ["nail", "rope"]', 'chain = "rope[7:]"', "rope:16: no such point (got 'rope[7:]')"),
        ('chain = ["nail", "rope"]', 'chain = "rope[::0]"', "rope:16: the index of points must be a number or a range (got 'rope[::0]'"),
        ('chain = ["nail", "rope"]', 'chain = "rope[a]"', "rope:16: the index of points must be a number or a range (got 'rope[a]'"),
        ('chain = ["nail", "rope"]', 'chain = "rope[0, 1]"', "rope:16: the index of points must have one part for each axis (got 'rope[0, 1]'; allowed: one number or range)"),
        ('chain = ["nail", "rope"]', 'chain = "other.rope"', "rope:16: no such network (got 'other'; allowed: net)"),
        ('chain = ["nail", "rope"]', 'chain = "my rope"', "rope:16: the name must be of points (got 'my rope'"),
        ('chain = ["nail", "rope"]', 'chian = "rope"', "rope.toml:16 network.0.link.0.chian: unknown key. Did you mean 'chain'?"),
        ('chain = ["nail", "rope"]', 'chain = "rope"\nloop = "rope"', "rope.toml:14 network.0.link.0: give exactly one of chain, loop, grid, agglomerate, near, edges, between, cross, pairs, plate, to; got chain, loop"),
        ('chain = ["nail", "rope"]', 'chain = "rope"\nshape = [2]', "rope.toml:14 network.0.link.0: shape belongs to grid"),
        ('chain = ["nail", "rope"]', 'near = "rope"', "rope.toml:14 network.0.link.0: give distance with near"),
        ('chain = ["nail", "rope"]', 'near = "rope"\ndistance = 0.1', "rope:16: a rule must make at least one link (got 'rope'). Raise distance."),
        ('chain = ["nail", "rope"]', 'grid = "rope"', "rope:16: the points must be those of a whole grid (got 'rope'). Give shape."),
        ('chain = ["nail", "rope"]', 'grid = "rope"\nshape = [2, 3]', "rope:14: the shape of a grid must match its points (got (2, 3)"),
        ('chain = ["nail", "rope"]', 'edges = "rope"', "rope:16: the points must be the corners of a mesh (got 'rope'). Give a group with mesh."),
        ('chain = ["nail", "rope"]', 'pairs = [["nail", "rope"]]', "rope:16: a pair is of two single points (got 'rope (5 points)'). Give between for sets."),
        ('chain = ["nail", "rope"]', 'between = ["rope[0:2]", "rope[2:5]"]', "rope:14: links 'strand': both ends of links must have the same number of points (got '2 and 3 points'"),
        ('chain = ["nail", "rope"]', 'pairs = [["nail", "nail"]]', "rope:14: links 'strand': the ends of a link must be different points"),
        ('chain = ["nail", "rope"]', 'points = "rope"\nto = { segment = "hand" }', "rope:17: no such segment (got 'hand'; allowed: none: the scene has neither figures nor bodies)"),
        ("at = [0, 1.2, 0]", "at = [0, 1, 0]", "rope:14: links 'strand': a link of no length has no direction (got 'nail and rope[0] at one place')"),
        ('law = "spring"', 'law = "sprong"', "rope:17: no such law (got 'sprong'; allowed: cohesion, damper, elastic_buffer, "),
        ('law = "spring"', 'law = "spring"\nthreshold = 1', "rope:18: law 'spring': no such parameter (got 'threshold'; allowed: stiffness, rest, damping)"),
        ('law = "spring"', 'law = "spring"\nstifness = 1', "rope.toml:18 network.0.link.0.stifness: unknown key. Did you mean 'stiffness'?"),
        ("stiffness = 100\ndamping", "damping", "rope:17: law 'spring': stiffness must be given (allowed: stiffness, rest, damping)"),
        ("damping = 0.1", "damping = -1", "rope:17: law 'spring': damping must not be negative: it would feed energy (got -1.0; allowed: 0 or more)"),
        ("stiffness = 100\ndamping", "stiffness = [1, 2]\ndamping", "rope:14: law 'spring': the numbers of a law must match its links (got '2 numbers for 5 links'"),
        ('law = "spring"', 'law = "cohesion"\nattraction = [1, 2]\ninner = 1\nouter = 2', "rope:18: law 'cohesion': the parameter must be one number for all links (got 'attraction'; allowed: a number, not a list)"),
        ('law = "spring"\nstiffness = 100\ndamping = 0.1', 'law = "automaton"\ntext = "state a: 1"', "rope:17: "),
        ('law = "spring"\nstiffness = 100\ndamping = 0.1', 'law = "automaton"\ntext = """\nparameters k\nstate a final: k, 0, start\n"""\nvalues = { K = 1 }', "rope:17: "),
        ("floor = -1", "flor = -1", "rope.toml:22 network.0.solid.0.flor: unknown key. Did you mean 'floor'?"),
        ("floor = -1", "plane = { normal = [0, 0, 0] }", "rope:20: plane.normal: a direction must have a length above 0"),
        ("floor = -1", "floor = -1\npose = { at = [1, 0, 0] }", "rope.toml:20 network.0.solid.0: a floor has no pose"),
        ("floor = -1", "segment = 'hand'", "rope:22: no such segment (got 'hand'"),
        ("floor = -1", "shape = { ball = 1 }\nmotion = { wave = { amplitude = 1, frequency = 1, direction = [0, 0, 0] } }", "rope:20: Wave.direction: a direction must have a length above 0"),
        ("floor = -1", "shape = { ball = 1 }\nmotion = {}", "rope.toml:23 network.0.solid.0.motion: give one or several of path, wave, circle, spin, recording"),
        ('law = "elastic_buffer"', 'law = "spring"', "rope:20: solid 'ground': the law of a solid must be a zone law of finite range (got 'spring'"),
        ("duration = 0.1", "duration = 0.1\nrate = 100", "rope:4: samples must fall on steps of the network (got '100 Hz at 1050 steps a second'"),
    ],
)  # fmt: skip
def test_wrong_networks_are_reported_by_file_line_and_remedy(old, new, text):
    assert old in ROPE
    assert error_of(ROPE.replace(old, new, 1)).startswith(text)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ("[[network]]\nname = 'net'", "rope.toml:26: two networks have one name (got 'net')"),
        ("[motion]\nstep = 0.001", "rope.toml: a network has steps of its own: give motion.frequency instead of motion.step"),
        ("[motion]\nfrequency = 0", "rope.toml:26 motion.frequency: must be above 0 (got 0)"),
        ("[motion]\ntwo_way = true", "rope.toml: motion.two_way and motion.replay belong to networks with figures or bodies"),
        ("[[obstacle]]\nname = 'o'\nfloor = 0", "rope.toml: contacts belong to figures and bodies"),
        ("[[force]]\nbody = 'b'\nforce = [1, 0, 0]", "rope.toml: forces belong to bodies; give networks pushes"),
        ("[image]\nplot = ['rope.positoin']", "rope.toml:26: no such channel (got 'rope.positoin'; allowed: momentum, "),
        ("[[network.imposed]]\nname = 'p'\nat = [0, 0, 0]\nmotion = { path = { times = [0, 0], points = [[0, 0, 0], [0, 0, 0]] } }", "rope:25: Path: times must rise"),
        ("[[network.imposed]]\nname = 'p'\nat = [0, 0, 0]\nmotion = { path = { times = [0], points = [[0, 0, 0]] } }", "rope:25: Path: a path needs two or more times"),
        ("[[network.imposed]]\nname = 'p'\nat = [0, 0, 0]\nmotion = { spin = {} }", "rope.toml:28 network.0.imposed.0.motion.spin: give speed, or amplitude and frequency"),
        ("[[network.imposed]]\nname = 'p'\nat = [0, 0, 0]\nmotion = { recording = { file = 'a' } }", "rope.toml:25 network.0.imposed.0: a recording gives the positions of the points: leave out at"),
        ("[[network.imposed]]\nname = 'p'\nmotion = { recording = { file = 'a' } }", "rope:25: scene 'rope': a scene from text cannot read files (got 'a')"),
        ("[[network.reach]]\nname = 'r'\npoints = 'rope'\nlaw = 'spring'\nstiffness = 1", "rope:25: reach 'r': the range of the law must be finite"),
        ("[[network.reach]]\nname = 'r'\npoints = 'rope'\nothers = 'nail'\nlaw = 'elastic_buffer'\nstiffness = 1", "rope:29: law 'elastic_buffer': threshold must be given"),
        ("[[network.reach]]\nname = 'r'\npoints = 'rope'\nlaw = 'elastic_buffer'\nstiffness = 1\nfriction = -1", "rope.toml:30 network.0.reach.0.friction: must be at least 0 (got -1)"),
        ("[[network.reach]]\nname = 'r'\npoints = 'rope'\nlaw = 'viscosity'\ndamping = 1\nfriction = 1", "rope:25: friction must have stiffness or damping"),
        ("[[network.piston]]\nname = 'p'\npairs = [['nail', 'rope']]\naxes = ['x']\nstiffness = 1\nrest = 1", "rope:25: pistons 'p': pistons must have sets of pairs of equal size"),
        ("[[network.push]]\nname = 'p'\npoints = 'ropes'\nforce = [1, 0, 0]", "rope:27: no such points (got 'ropes'; allowed: rope, nail). Did you mean 'rope'?"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(more, text):
    assert error_of(ROPE + more).startswith(text)


def test_other_scenes_have_no_rate_of_networks():
    text = '[scene]\ntitle = "A"\nduration = 1\n[[body]]\nname = "b"\nshape = { ball = 1, density = 1 }\n[motion]\nfrequency = 5\n'
    with pytest.raises(SceneError, match=r"motion\.frequency belongs to networks"):
        parse_scene(text)
    with pytest.raises(SceneError, match=r"a network must have masses: give \[\[network.masses\]\]"):
        parse_scene('[scene]\ntitle = "A"\nduration = 1\n[[network]]\nname = "b"\n')


def test_settings_and_parameters_reach_into_networks():
    scene = parse_scene(
        ROPE, settings={"network.net.link.strand.stiffness": "2 N/cm", "network.net.masses.rope.mass": 2}
    )
    network = build_networks(scene)
    assert network.bundle("strand").law.zones[0].stiffness == 200.0
    assert (network.group("rope").mass == 2.0).all()
    shown = {parameter.path: parameter for parameter in scene.parameters()}
    assert shown["network.net.link.strand.stiffness"].value == 200.0
    assert shown["network.net.link.strand.stiffness"].unit == "N/m"
    assert shown["network.net.masses.rope.mass"].unit == "kg"
    assert shown["motion.frequency"].value == 1050.0
    assert shown["scene.rate"].value == 25.0
    assert "motion.step" not in shown
    assert error_of(ROPE, {"network.net.link.strnd.stiffness": 1}).startswith(
        "rope.toml: setting 'network.net.link.strnd.stiffness': no such element (got 'strnd'; allowed: 0 to 0, or strand). Did you mean 'strand'?"
    )


def test_the_default_rate_of_samples_divides_the_steps():
    assert parse_scene(ROPE, settings={"motion.frequency": 1000}).document.scene.rate == 25.0
    assert parse_scene(ROPE, settings={"motion.frequency": 990}).document.scene.rate == 990.0


def test_lines_of_text_in_an_automaton_are_no_keys():
    text = ROPE.replace(
        'law = "spring"\nstiffness = 100\ndamping = 0.1',
        'law = "automaton"\ntext = """\nlaw = 3\n[[network.solid]]\n"""',
    )
    assert error_of(text).startswith("rope:17: ")
    assert error_of(text.replace("floor = -1", "flor = -1")).startswith(
        "rope.toml:24 network.0.solid.0.flor: unknown key"
    )


def test_a_network_that_would_diverge_is_refused_or_run_on_demand():
    stiff = {"network.net.link.strand.stiffness": 1e6, "scene.duration": 0.04}
    with pytest.raises(SceneError, match=r"the network (may )?diverge"):
        simulate(parse_scene(ROPE), settings=stiff)
    assert simulate(parse_scene(ROPE), settings=stiff | {"motion.unstable": True}).complete
    assert simulate(parse_scene(ROPE), settings=stiff, unstable=True).complete
    with pytest.raises(SceneError, match="the integrator must be one for a network"):
        simulate(parse_scene(ROPE), settings={"motion.integrator": "rk4"})
