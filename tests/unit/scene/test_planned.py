"""What a run would record is told without running it; paths of parameters are those that scenes tell."""

import pytest

import motiform as mf
from motiform.base.errors import SceneError
from motiform.scene import list_scenes
from motiform.scene.planned import planned_recording
from motiform.scene.read.paths import check_path


@pytest.mark.parametrize("name", ["handle", "pendulum", "incline", "bowed-string", "paste"])
def test_the_plan_has_the_channels_of_the_run(name):
    scene = mf.load_scene(name, {"scene.duration": 0.1})
    planned, rec = planned_recording(scene), mf.simulate(scene)
    assert planned.names == rec.names
    for channel in rec:
        assert planned.labels(channel) == rec.labels(channel)
        assert planned.unit(channel) == rec.unit(channel)


@pytest.mark.parametrize("name", [entry.name for entry in list_scenes()])
def test_every_parameter_of_a_scene_is_accepted(name):
    scene = mf.load_scene(name)
    known = scene.parameters()
    for parameter in known[:: max(1, len(known) // 8)]:
        check_path(scene, parameter.path, parameter.value)
        check_path(scene, parameter.path, "no such value")  # that is for the case to tell
        with pytest.raises(SceneError, match="no such parameter"):
            check_path(scene, f"{parameter.path.rpartition('.')[0]}.no_such_key", 1.0)
