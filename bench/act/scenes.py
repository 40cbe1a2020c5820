"""Scenes of actuation: how many seconds are simulated in a second."""

from typing import NamedTuple

from bench.report import Result
from bench.turns import best_runs

__all__ = ["SCENES", "measure_scenes"]


class _Scene(NamedTuple):
    name: str
    duration: float
    """[s]"""
    about: str


SCENES = (
    _Scene("arm-reach", 0.3, "six Hill-type muscles with elastic tendons, adaptive steps"),
    _Scene("fes-swing-up", 0.5, "two stimulated muscles, adaptive steps with events"),
    _Scene("kondo-squat", 0.5, "seventeen motors on contacts, steps of 1 ms, servos every 5 ms"),
    _Scene("bip-one-step", 0.2, "fifteen motors on contacts, steps of 1 ms; sensors, observer and task control every "
           "5 ms"),
    _Scene("balance", 0.2, "drives of 36 joints on contacts, steps of 1 ms; an optimisation every 5 ms"),
    _Scene("fes-sit-to-stand", 0.2, "four stimulated muscles, drives of the arms, contacts, steps of 2 ms"),
    _Scene("jump", 0.2, "eight Hill-type muscles on contacts, adaptive steps"),
)  # fmt: skip


def measure_scenes(threads: int) -> list[Result]:
    """Return simulated seconds a second of each scene, as users call it, reading and building included."""
    from motiform.scene import simulate

    found = []
    for scene in SCENES:
        settings = {"scene.duration": scene.duration}
        simulate(scene.name, settings=settings)  # compiles
        took = best_runs({"ours": lambda s=scene, given=settings: simulate(s.name, settings=given)})["ours"]  # type: ignore[misc]
        note = f"{scene.about}; the first {scene.duration:g} s"
        found.append(
            Result(f"scene/{scene.name}", "cpu", threads, "s/s", "higher", scene.duration / took, {}, note=note)
        )
    return found
