"""A human as one body, and recordings of its postures."""

import numpy as np
import pytest

from motiform.form import looks_of
from motiform.form.rig import body_rig
from motiform.motion.figures import human36
from motiform.motion.tree import forward_kinematics
from motiform.record import Channel, Recording
from motiform.spatial import quaternion_from_rotation


@pytest.fixture(scope="session")
def human():
    return human36()


@pytest.fixture(scope="session")
def body(human):
    return body_rig(looks_of(human))


@pytest.fixture(scope="session")
def recorded(human):
    """Return the maker of a recording of postures, by {coordinate: angle [deg]}; without a side both move."""
    names = list(human.coordinates)

    def make(*postures, **manifest):
        q = np.zeros((len(postures), len(names)))
        for row, angles in zip(q, postures, strict=True):
            for name, angle in angles.items():
                for one in [name] if name in names else [f"right_{name}", f"left_{name}"]:
                    row[names.index(one)] = np.radians(angle)
        rotation, position = forward_kinematics(human, q)
        data = {}
        for n, segment in enumerate(human.segments):
            for word, size, unit, values in (
                ("position", 3, "m", position[:, n]),
                ("orientation", 4, "1", np.array([quaternion_from_rotation(r) for r in rotation[:, n]])),
            ):
                name = f"{segment.name}.{word}"
                data[name] = (Channel(name, unit=unit, shape=(size,), dims=("axis",), rate=10.0), values)
        looks = looks_of(human)
        return Recording.from_arrays(data, manifest={**looks.manifest(), **manifest}, statics=looks.statics())

    return make


@pytest.fixture(scope="session")
def deep(recorded):
    """Return standing, a squat, and an arm that is twisted and raised."""
    squat = {"hip_flexion": 115, "knee_extension": -130, "ankle_dorsiflexion": 25, "elbow_flexion": 100}
    twisted = {"shoulder_abduction": 90, "forearm_supination": -85, "thorax_left_rotation": 40}
    return recorded({}, squat, twisted)
