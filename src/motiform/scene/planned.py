"""What a run of a scene would record, told without running it."""

from motiform.base.errors import SceneError, outside_data
from motiform.motion.run.kinds import find_kind
from motiform.record import Recording
from motiform.record.sources import MemorySource
from motiform.scene.read.load import Scene
from motiform.scene.simulate import KINDS

__all__ = ["planned_recording"]


def planned_recording(scene: Scene) -> Recording:
    """Return the recording of a scene before its first sample: the channels of a run, with their labels."""
    built = scene.build()
    kind = find_kind(KINDS, built.model, built.arguments)
    with outside_data(scene.place("motion"), "the scene cannot be run", SceneError):
        system = kind.system(built.model, kind.options(built.model, built.options), **built.arguments)
    manifest = {"title": scene.title, "labels": dict(system.labels)}
    return Recording(system.channels(), MemorySource({}, {}, {}), manifest=manifest)
