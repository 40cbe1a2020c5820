"""How does a human of capsules become one body?
==============================================

The shapes of a human's segments are blended into one smooth surface, once, in a posture with arms and legs apart. Its
vertices then follow the segments by dual quaternions. Four postures: standing, a step, a squat, twisted arms and trunk.

Three checks. The surface is closed in one piece and has no handle (Euler's number 2). In each posture its volume is
within 5 % of that of the posture it was made in. Midway between upper arm and forearm, which are twisted by 85°
against one another, the surface is as far from the elbow as before, within 15 %: a linear blend would lose 26 %.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from motiform.form import dress, looks_of
from motiform.image import Camera, picture, show_pictures
from motiform.motion import tree
from motiform.motion.figures import human36
from motiform.record import Channel, Recording
from motiform.spatial import quaternion_from_rotation

POSTURES = [  # degrees
    {},
    {"right_hip_flexion": 28, "left_hip_flexion": -18, "right_knee_extension": -8, "left_knee_extension": -35,
     "right_shoulder_flexion": -25, "left_shoulder_flexion": 25, "elbow_flexion": 25},
    {"hip_flexion": 115, "knee_extension": -130, "ankle_dorsiflexion": 25, "shoulder_flexion": 80, "elbow_flexion": 60},
    {"shoulder_abduction": 90, "forearm_supination": -85, "thorax_left_rotation": 40, "head_left_rotation": 30},
]  # fmt: skip


def main(quick=False):
    man = human36()
    q = np.zeros((len(POSTURES), man.nq))
    for row, angles in zip(q, POSTURES, strict=True):
        for name, angle in angles.items():
            for one in [name] if name in man.coordinates else [f"right_{name}", f"left_{name}"]:
                row[man.coordinates.index(one)] = np.radians(angle)
    rotation, position = tree.forward_kinematics(man, q)
    data = {}
    for n, segment in enumerate(man.segments):
        turn = np.array([quaternion_from_rotation(r) for r in rotation[:, n]])
        for word, values in (("position", position[:, n]), ("orientation", turn)):
            name, unit = f"{segment.name}.{word}", "m" if word == "position" else "1"
            data[name] = Channel(name, unit=unit, shape=values.shape[1:], dims=("axis",), rate=1.0), values
    looks = looks_of(man)
    return dress(Recording.from_arrays(data, manifest=looks.manifest(), statics=looks.statics()), skin=True)


def volume(vertices, faces):
    """Return the volume inside by the divergence theorem [m³]."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def check(form):
    [skin] = form.skins
    rig = skin.vertices.rig
    edges = np.sort(np.concatenate([rig.faces[:, [0, 1]], rig.faces[:, [1, 2]], rig.faces[:, [2, 0]]]), axis=1)
    edges, shared = np.unique(edges, axis=0, return_counts=True)
    assert (shared % 2 == 0).all()
    assert len(rig.vertices) - len(edges) + len(rig.faces) == 2
    for sample in range(len(POSTURES)):
        assert abs(volume(skin.vertices[sample], rig.faces) / volume(rig.vertices, rig.faces) - 1) < 0.05
    forearm, upper = (rig.segments.index(f"right_{name}") for name in ("forearm", "upper_arm"))
    midway = np.isin(rig.joint[:, :2], (forearm, upper)).all(axis=1) & (rig.weight[:, :2].min(axis=1) > 0.4)
    before = np.linalg.norm(rig.vertices[midway] - rig.position[forearm], axis=1)
    now = np.linalg.norm(skin.vertices[3][midway] - skin.vertices.position[3, forearm], axis=1)
    assert (now / before).min() > 0.85


def draw(form, folder):
    import imageio.v3 as iio

    shots = []
    for sample in range(len(POSTURES)):
        vertices = form.skins[0].vertices[sample]
        middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
        camera = Camera(tuple(middle + np.array([2.9, 0.7, 1.8])), tuple(middle), fov=0.62)
        low = float(vertices[:, 1].min())
        shot = folder / f"posture-{sample}.png"
        shots.append(iio.imread(picture(form, shot, sample=sample, camera=camera, size=(360, 480), ground=low)))
    path = folder / "one-body.png"
    iio.imwrite(path, np.concatenate(shots, axis=1))
    return [path]


if __name__ == "__main__":
    form = main()
    check(form)
    show_pictures(draw(form, Path(mkdtemp())))
