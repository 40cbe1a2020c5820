import threading

from motiform.scene import SceneParameter, load_scene
from motiform.studio.parameters import ParameterInputs, grouped, label_of
from motiform.studio.stimulation import Later, stimulation_label

STEP = SceneParameter("motion.step", 1e-3, "s", "longest step")
RTOL = SceneParameter("motion.rtol", 1e-9, "", "relative tolerance")
KIND = SceneParameter("motion.integrator", "rk4", "", "", ("rk4", "euler"))
SPIN = SceneParameter("body.top.spin", (0.0, 120.0, 0.0), "rad/s")
COLOR = SceneParameter("body.top.color", (0.8, 0.52, 0.25), "")
COUNT = SceneParameter("body.top.copies.count", 10, "")
TURNED = SceneParameter("body.top.copies.turned", True, "")
RADIUS = SceneParameter("body.top.shape.parts.0.cylinder.radius", 0.1, "m")
ALL = [STEP, RTOL, KIND, SPIN, COLOR, COUNT, TURNED, RADIUS]


def test_nothing_is_changed_until_someone_does(server):
    page = ParameterInputs(server)
    page.load(ALL)
    assert page.changed() == {}


def test_changes_come_back_as_a_scene_takes_them(server):
    page = ParameterInputs(server)
    page.load(ALL)
    handles = {path: handle for path, (_, handle) in page._inputs.items()}
    handles["motion.step"].value = 5e-4
    handles["motion.rtol"].value = "1e-6"
    handles["motion.integrator"].value = "euler"
    handles["body.top.spin"].value = (1.0, 2.0, 3.0)
    handles["body.top.color"].value = (255, 0, 51)
    handles["body.top.copies.count"].value = 20
    assert page.changed() == {
        "motion.step": 5e-4,
        "motion.rtol": 1e-6,
        "motion.integrator": "euler",
        "body.top.spin": [1.0, 2.0, 3.0],
        "body.top.color": [1.0, 0.0, 0.2],
        "body.top.copies.count": 20,
    }
    page.reset()
    assert page.changed() == {}


def test_text_that_is_no_number_is_left_to_the_scene(server):
    page = ParameterInputs(server)
    page.load([RTOL])
    page._inputs["motion.rtol"][1].value = "1 ppm"
    assert page.changed() == {"motion.rtol": "1 ppm"}


def test_values_of_an_earlier_run_are_shown_as_changes(server):
    page = ParameterInputs(server)
    page.load([STEP], {"motion.step": 2e-3})
    assert page.changed() == {"motion.step": 2e-3}


def test_every_parameter_of_a_scene_has_an_input(server, scene):
    page = ParameterInputs(server)
    page.load(scene.parameters())
    assert set(page._inputs) == {parameter.path for parameter in scene.parameters()}
    assert page.changed() == {}


def test_labels_and_groups_read_well():
    assert label_of(STEP) == "step [s]"
    assert label_of(SPIN) == "spin [rad/s]"
    assert label_of(RADIUS) == "parts 0 cylinder radius [m]"
    assert label_of(SceneParameter("a.air_density", 1.2, "kg/m^3")) == "air density [kg/m³]"
    assert list(grouped(ALL)) == ["motion", "body top", "body top: shape"]


def test_commands_of_muscles_have_sliders(server):
    page = ParameterInputs(server)
    scene = load_scene("jump")
    page.load(scene.parameters())
    assert next(iter(grouped(scene.parameters()))) == "stimulation"
    parameter, handle = page._inputs["figure.jumper.muscle.vasti.excitation.values.1"]
    assert (handle.min, handle.max, handle.value) == (0.0, 1.0, 1.0)
    assert stimulation_label(parameter, {}) == "vasti from 0.09 s"
    handle.value = 0.5
    assert page.changed() == {parameter.path: 0.5}
    changed = load_scene("jump", page.changed())
    assert [one.excitation.values for one in changed.document.figure[0].muscle if one.name == "vasti"] == [
        [0.3214, 0.5, 0.228]
    ]


def test_pulses_have_sliders(server):
    page, scene = ParameterInputs(server), load_scene("fes-swing-up")
    page.load(scene.parameters())
    parameter, _ = page._inputs["figure.leg.stimulation.train.0.intensity"]
    assert stimulation_label(parameter, {one.path: one.value for one in scene.parameters()}) == "quadriceps pulses 1"


def test_many_moves_of_a_slider_are_one_call():
    called, done = [], threading.Event()
    later = Later(lambda: (called.append(1), done.set()), pause=0.05)
    for _ in range(5):
        later.ask()
    assert done.wait(5.0)
    later.stop()
    assert called == [1]
