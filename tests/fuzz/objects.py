"""Right objects of public classes that scenes, readers and guessed arguments do not give."""

from typing import Any

import numpy as np


def further_objects() -> list[Any]:
    """Return small objects whose classes need arguments that belong together."""
    return [*_muscles_and_joints(), *_controls(), *_matter_and_maps(), *_looks(), *_measured(), *_bones()]


def _muscles_and_joints() -> list[Any]:
    from motiform.motion.actuation.muscles import Ligament, MovingPoint, MusclePath, PathPoint
    from motiform.motion.tree.joints import Axis, FunctionJoint, Polynomial, Spline, linear

    slides = (Spline([-2.0, 0.0, 2.0], [-0.02, -0.03, -0.02]), linear(0.01, -0.05), Polynomial((0.0,)))
    moving = MovingPoint("arm", slides, ("arm", "arm", None), ((-1.0, 1.5),) * 3)
    path = MusclePath("band", (PathPoint(None, (0.1, 0.4, 0)), PathPoint("arm", (0, -0.1, 0))))
    slide = FunctionJoint([Axis("prismatic", (1, 0, 0))], [Polynomial((0.2, 1.0))], [0], ["tx"])
    return [*slides, moving, slide, Ligament(path, 0.3, 90.0, linear(2.0, -2.0))]


def _controls() -> list[Any]:
    import motiform as mf
    from motiform.motion.actuation import (
        CoordinateControl,
        CoordinateDrive,
        JoinedGeometry,
        PrescribedMotion,
        SegmentPush,
        SegmentPushes,
    )  # fmt: skip
    from motiform.motion.actuation.stimulation import HAMSTRINGS, QUADRICEPS, KneeGeometry, StimulatedMuscles
    from motiform.motion.robots import Actuator, ActuatorControl
    from motiform.motion.run import METHODS, ExplicitStep
    from motiform.scene import load_scene

    builder = mf.FigureBuilder()
    leg = {"mass": 4.2, "com": (0, -0.27, 0), "inertia": np.diag([0.1, 0.01, 0.1])}
    builder.segment("shank", None, mf.joints.revolute((0, 0, -1), name="flexion"), **leg)
    knee = builder.build()
    geometry, rk = KneeGeometry(knee, "flexion"), METHODS["dormand-prince"]
    standing = load_scene("balance").build()
    return [
        CoordinateControl(knee, [CoordinateDrive("flexion", 1.0, 20.0)]), JoinedGeometry([geometry]),
        SegmentPushes(knee, [SegmentPush("shank", (3, 0, 0), start=0.1, until=0.3)]),
        StimulatedMuscles(geometry, (QUADRICEPS, HAMSTRINGS), None), PrescribedMotion("flexion", speed=0.0),
        ActuatorControl(knee, [Actuator("motor", (("flexion", 1.0),))]), rk,
        ExplicitStep(rk.tableau, lambda _t, y, out: np.copyto(out, -y), size=1, rtol=1e-6, atol=1e-6),
        *standing.arguments["controls"],
    ]  # fmt: skip


def _matter_and_maps() -> list[Any]:
    from motiform.form import Engraver, LevelLook, Screen
    from motiform.form.screen import ScreenEngine
    from motiform.geometry import Ball
    from motiform.geometry.maps import Cover, SurfaceContacts, contact_body, signed_map
    from motiform.motion.matter.coupling import advise, split
    from motiform.scene import load_scene

    tip = Engraver(name="tip", points=[[0.5, 0.4, 0.0]], stiffness=5.0, reach=0.2, height=-0.1)
    screen = Screen(shape=(11, 9), spacing=0.1, law="IV", mass=0.05, engravers=tip)
    ball = Ball(8e-3).to_mesh(12)
    body = contact_body(ball, signed_map(ball, 1e-3, margin=2.5e-3, band=2e-3), spacing=2e-3)
    network = load_scene("harp", {"scene.duration": 0.01}).build().model
    first = next(group.name for group in network.groups if group.kind == "masses")
    halves = {"first": [first], "rest": [g.name for g in network.groups if g.kind == "masses" and g.name != first]}
    return [
        ScreenEngine(screen),
        LevelLook(level="fog", at=0.9, origin=(0, 1, 0), axes="zxy", spacing=0.2, color=(0, 0, 1)),
        Cover([[0, 0, 0]], [1e-3]), SurfaceContacts([body, body]), split(network, first),
        advise(network, halves, band=(1.0, 10.0), axes="y"),
    ]  # fmt: skip


def _looks() -> list[Any]:
    from motiform.form import LinksLook, SkinLook
    from motiform.form.rig import Posed, Rig

    points, face = [(0, 0, 0), (1, 0, 0), (0, 1, 0)], np.array([[0, 1, 2]])
    rig = Rig.bind(points, face, {"arm": ((0, 0, 0), (1, 0, 0, 0))}, {"arm": [1, 1, 1]})
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1, 1))
    return [
        Posed(rig, np.zeros((2, 1, 3)), turned), SkinLook(skin="points", faces=face, color=(0.2, 0.4, 0.6)),
        LinksLook(links=("points", "points"), pairs=np.array([[0, 1]]), radius=0.01),
    ]  # fmt: skip


def _measured() -> list[Any]:
    import motiform as mf
    from motiform.motion.reconstruct import Walker, efforts

    ahead = np.array([1.0, 0.0, 0.0])
    points = {side: np.zeros((2, 3)) for side in "rl"}
    ends = {side: points[side] + 0.2 * ahead for side in "rl"}
    walker = Walker(np.arange(2.0), points, ends, np.zeros((2, 3)), np.array([0.0, 1.0, 0.0]))
    man = mf.figures.human36(height=1.75, mass=70.0)
    markers = mf.virtual_markers(man, np.zeros((3, man.nq)), rate=100.0)
    still = np.zeros((3, man.nv))
    held = efforts(man, 0.01 * np.arange(3), np.zeros((3, man.nq)), still, still)
    return [walker, mf.calibrate(man, markers, max_iterations=2), held]


def _bones() -> list[Any]:
    from motiform import wrist
    from motiform.measure import synthetic_bones
    from motiform.motion.bones.bone import Fineness

    all_bones = synthetic_bones(detail=2)
    few = {name: all_bones[name] for name in ("radius", "ulna", "scaphoid", "lunate", "capitate")}
    model = wrist.from_meshes(few, fineness=Fineness(spacing=8e-4, margin=5e-3, band=2e-3, points=2e-3))
    return [model, wrist.Loads(drag=50.0, friction=0.05), model.settle(flexion=[0.0, 0.1])]
