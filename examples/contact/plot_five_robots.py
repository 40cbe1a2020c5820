"""Do robots from files stand on the floor?
========================================

A dog, an arm on a heavy foot, a humanoid, a hand with a ball and a pair of legs, from MJCF and URDF files.
`read_robot` gives contacts and actuators. Position servos hold the keyframe of the file where they yield by less than
0.1 rad to what they carry. The others are held by posture control, with the efforts that standing needs, in the nearest
posture whose feet are flat and whose centre of mass is above them (`balanced_posture`).

After two seconds all stand still, and the floor carries the weight of each.

The environment variable MOTIFORM_ROBOTS names MJCF and URDF files, or folders of them, that are taken in place of these
(several are separated as in PATH), MOTIFORM_ROOTS the folders under which ``package://`` meshes lie. A quadruped, an
arm, a humanoid, a hand with a ball and a pair of legs of MuJoCo Menagerie stand on its floors by

.. code-block:: bash

   git clone https://github.com/google-deepmind/mujoco_menagerie
   for NAME in unitree_go1/scene universal_robots_ur5e/scene unitree_g1/scene wonik_allegro/scene_right \\
         berkeley_humanoid/scene
   do MOTIFORM_ROBOTS=$MOTIFORM_ROBOTS:mujoco_menagerie/$NAME.xml; done
   MOTIFORM_ROBOTS=${MOTIFORM_ROBOTS#:} python plot_five_robots.py

A URDF file does not say whether its root is free: it is, if the robot can stand by itself.
"""

import os
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import motiform as mf
from motiform import actuation, robots
from motiform.base.errors import MotiformError
from motiform.form import Form, dress
from motiform.image import Camera, picture, show_pictures
from motiform.motion import tree

POSTURES = {
    "arm": {"turn_axis": 0.4, "shoulder_axis": 0.5, "elbow_axis": 1.0, "wrist_axis": 1.2},
    "biped": {f"{n}_{joint}": a for n in "lr" for joint, a in (("pitch", -0.35), ("knee", 0.7), ("tip", -0.35))},
}
PLACES = {  # m: x, z
    "quadruped": (-0.2, -0.95),
    "arm": (-0.3, -0.25),
    "humanoid": (-0.5, 0.5),
    "hand": (0.9, 0.15),
    "biped": (-0.2, 1.15),
}


def posture(robot, angles):
    """Return the posture of a file, some angles changed, let down to the floor if it is not there."""
    q = robot.posture().q.copy()
    for name, angle in angles.items():
        q[robot.figure.layout.places_q[name]] = angle
    return q if -1e-6 < robot.gaps(q).min(initial=np.inf) < 1e-3 else robot.grounded(q)


def standing(robot, q):
    """Return the nearest posture that stands, and its efforts."""
    try:
        return q, actuation.standing_effort(robot.figure, robot.contacts, q).tau
    except MotiformError:
        q = actuation.balanced_posture(robot.figure, robot.contacts, q)
        return q, actuation.standing_effort(robot.figure, robot.contacts, q).tau


def load(path):
    """Return a robot with y up; that of a URDF file is free if it can stand."""
    roots = os.environ.get("MOTIFORM_ROOTS")
    options = {"up": "y", "touch": "solids", "friction": 0.9}
    if path.suffix != ".urdf":
        return robots.read_robot(path, **options)
    options |= {"roots": roots.split(os.pathsep)} if roots else {}
    robot = robots.read_robot(path, free=True, **options)
    try:
        standing(robot, posture(robot, POSTURES.get(path.stem, {})))
    except MotiformError:
        return robots.read_robot(path, **options)
    return robot


def yielding(robot, efforts):
    """Return by how much position servos yield to efforts [rad or m], infinite where a joint has none."""
    stiff = np.zeros(robot.figure.nv)
    for actuator in robot.actuators:
        for name, gear in actuator.joints:
            stiff[robot.figure.coordinates.index(name)] += max(0.0, -actuator.bias[1]) * gear**2
    return np.divide(np.abs(efforts), stiff, out=np.where(np.abs(efforts) > 1e-9, np.inf, 0.0), where=stiff > 0).max()


def stand(path, angles, t1):
    robot = load(path)
    q = posture(robot, angles)
    servos = any(actuator.bias[1] < 0 for actuator in robot.actuators)
    balanced, efforts = standing(robot, q)
    if servos and yielding(robot, efforts) < 0.1:
        controls = robot.controls()
    else:  # stiff enough that a body of this height does not tip about its ankles, with all its weight on one
        q, height = balanced, np.ptp(tree.centers_of_mass(robot.figure, q)[:, 1])
        stiff = 10 * robot.figure.mass * 9.81 * height
        controls = actuation.posture_control(robot.figure, q, stiffness=stiff, damping=0.1 * stiff, feedforward=efforts)
    run = {"t1": t1, "rate": 50.0, "integrator": "time-stepping", "step": min(robot.step, 2e-3)}
    return robot, mf.simulate(robot.figure, q0=q, contacts=robot.contacts, controls=controls, **run)


def robot_files(given):
    """Return the files of a list of files and folders, separated as in PATH."""
    files = []
    for path in map(Path, given.split(os.pathsep)):
        files += sorted(f for f in path.rglob("*") if f.suffix in (".xml", ".urdf")) if path.is_dir() else [path]
    return files


def main(quick=False):
    given = os.environ.get("MOTIFORM_ROBOTS")
    if given is None:
        files = {name: robots.robot_file(name) for name in PLACES}
    else:
        files = {path.stem if path.stem != "scene" else path.parent.name: path for path in robot_files(given)}
    return {name: stand(path, POSTURES.get(name, {}), 0.5 if quick else 2.0) for name, path in files.items()}


def carried(robot, rec):
    """Return the force up on what stands [N], and the weight of it: of trees that contacts press."""
    figure, force = robot.figure, rec["contact.force"][-1]
    roots = np.arange(len(figure.segments))
    for n, segment in enumerate(figure.segments):
        roots[n] = n if segment.parent is None else roots[figure.index(segment.parent)]
    pressed = {roots[figure.index(p.segment)] for p, f in zip(robot.contacts.points, force, strict=True) if f.any()}
    mass = sum(segment.mass for n, segment in enumerate(figure.segments) if roots[n] in pressed)
    return force[:, 1].sum(), 9.81 * mass


def check(result):
    for name, (robot, rec) in result.items():
        moved = rec["center_of_mass"] - rec["center_of_mass"][0]
        assert np.abs(moved).max() < 0.03, name  # m: servos yield
        if rec.time("q")[-1] < 2:
            continue
        speed = np.abs(np.diff(rec["center_of_mass"][-26:], axis=0)).sum(0).max() / 0.5
        assert speed < (1e-4 if name in PLACES else 5e-3), (name, speed)  # m/s: some servos of others are hardly damped
        up, weight = carried(robot, rec)
        # what still moves at a speed u that dies out within 0.1 s or more weighs m u/0.1 s: below 1e-3 m/s² of 9.81
        assert abs(up - weight) <= 1e-3 * weight, (name, up, weight)


def placed(name, rec, x, z):
    """Return the parts of a robot at the last sample, put down at (x, z)."""
    return [
        replace(
            part,
            name=f"{name}.{part.name}",
            position=part.position[-1:] + np.array([x, 0.0, z]),
            orientation=part.orientation[-1:],
        )
        for part in dress(rec).parts
    ]


def draw(result, folder):
    middle = (len(result) - 1) / 2
    parts = {
        name: placed(name, rec, *PLACES.get(name, (0.0, 0.7 * (k - middle))))
        for k, (name, (_, rec)) in enumerate(result.items())
    }
    every = Form(tuple(part for own in parts.values() for part in own), np.zeros(1))
    away = 1.0 if set(result) <= set(PLACES) else 0.3 * len(result)
    camera = Camera((3.4 * away, 1.4 * away, 0.5), (0.0, 0.66, 0.1), fov=0.55)
    pictures = [picture(every, folder / "robots.png", camera=camera, size=(1200, 760), ground=0.0)]
    if "hand" in parts:
        x, z = PLACES["hand"]
        near = Camera((x + 0.3, 0.24, z + 0.12), (x, 0.04, z), fov=0.5)
        hand = Form(tuple(parts["hand"]), np.zeros(1))
        pictures.append(picture(hand, folder / "hand.png", camera=near, size=(600, 460), ground=0.0))
    return pictures


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
