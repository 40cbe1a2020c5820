"""Where is a robot that hangs?
============================

Bip hangs on four ropes at its shoulders, its knees bent, and is let down until it stands on its feet; its joints are
held. No sensor tells where its base is. Its observer takes the suspension for what has not moved, as long as no foot
carries, and is wrong by what the ropes have been let out. A foot that carries more than 40 N at two calls is the
reference from then on; the first one is where the document says it will be, as in the posture in which the robot
stands. The base is right again.

Three checks. Hung, the base as observed stays where it was, so that its error is the way of the ropes; on its feet it
is right to what these are pressed aside; and the ground carries the robot in the end.
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from matplotlib.figure import Figure

import motiform as mf
from motiform.form import dress
from motiform.image import picture, show_pictures
from motiform.motion.actuation import (
    Actuator,
    ActuatorChannel,
    BaseObserver,
    FootForceSensor,
    FootMarks,
    Sensed,
    posture_control,
)
from motiform.motion.contact import Contacts, floor, points_of_tags
from motiform.motion.figures import bip
from motiform.motion.figures.bip_table import FEET, SUSPENSION
from motiform.motion.tree import tag_jacobians, tags

HIGH, ROPE, BEGIN, END = 0.03, 1.0, 0.3, 2.3  # [m] above its stand, [m], [s]
PERIOD = 0.01  # [s] of the observer
BASE = ("pelvis_forward", "pelvis_upward", "pelvis_rightward", "pelvis_roll", "pelvis_yaw", "pelvis_pitch")


def let_out(t):
    """Return by how much the ropes are longer [m]: 30 mm until the robot stands, and 20 mm more, which are slack."""
    return (HIGH + 0.02) * np.clip((t - BEGIN) / (END - BEGIN), 0.0, 1.0)


@dataclass
class Hoist(Actuator):
    """Ropes from fixed points above the shoulders, which pull and do not push; and the observer, called by a clock.

    `held` is the control of the joints, whose efforts the sensors of forces count on.
    """

    figure: object
    contacts: object
    observer: BaseObserver
    q0: object
    held: object
    stiffness: float = 1e5
    damping: float = 4e3
    name: str = "hoist"

    def __post_init__(self):
        self.at = [self.figure.tag_names.index(tag) for tag in SUSPENSION]
        self.anchors = tags(self.figure, self.q0)[self.at] + [0.0, ROPE, 0.0]
        self.feet = FootForceSensor(self.figure, self.contacts, tuple(FEET))

    @property
    def quantities(self):
        return (
            ActuatorChannel("rope", "N", SUSPENSION, "force of each rope"),
            ActuatorChannel("observed", "", BASE, "base as observed"),
            ActuatorChannel("reference", "", ("foot",), "0 right foot, 1 left foot, 2 suspension"),
            ActuatorChannel("load", "N", tuple(FEET), "force under each foot"),
        )

    def start(self, state):
        kept = self.observer.start(state.q, hung=True)
        return np.concatenate([[0.0, 2.0, 0.0, 0.0], kept])  # calls, reference, loads, memory of the observer

    def _ropes(self, t, state):
        x, J = tags(self.figure, state.q)[self.at], tag_jacobians(self.figure, state.q)[self.at]
        way = self.anchors - x
        length = np.linalg.norm(way, axis=1)
        along = way / length[:, None]
        rest = ROPE + let_out(t) - self.sag
        pull = self.stiffness * (length - rest) - self.damping * np.einsum("ij,ijk,k->i", along, J, state.v)
        force = np.where(length > rest, np.maximum(pull, 0.0), 0.0)
        return force, np.einsum("i,ij,ijk->k", force, along, J)

    @property
    def sag(self):
        """By how much the weight stretches a rope [m]."""
        return self.figure.mass * 9.81 / 4 / self.stiffness

    def act(self, t, state):
        return self._ropes(t, state)[1], np.zeros(0)

    def next_instant(self, t, state):
        return state.z[0] * PERIOD

    def call(self, t, state):
        z = state.z.copy()
        while z[0] * PERIOD <= t:
            efforts = self._ropes(t, state)[1] + self.held(t, state)
            now = Sensed(self.figure, t, state.q, state.v, efforts, self.contacts)
            loads = np.linalg.norm(self.feet.truth(now).reshape(2, 6)[:, 3:], axis=1)
            _, _, used, z[4:] = self.observer.observe(t, state.q, loads, z[4:])
            z[:4] = z[0] + 1, used, *loads
        return z

    def measure(self, t, state):
        places = [int(self.figure.places(name, "q")[0]) for name in BASE]
        seen = state.z[4 : 4 + self.figure.nq][places]
        return {
            "rope": self._ropes(t, state)[0], "observed": seen, "reference": state.z[1:2], "load": state.z[2:4],
        }  # fmt: skip


def main(quick=False):
    robot = bip()
    bent = {f"{side}_{name}": x for side in ("right", "left") for name, x in
            {"hip_pitch": -0.35, "knee": 0.7, "ankle_pitch": -0.35}.items()}  # fmt: skip
    stand = robot.configuration(**bent)
    up = int(robot.places("pelvis_upward", "q")[0])
    stand[up] -= tags(robot, stand)[:4, 1].min()  # soles on the ground
    hung = stand.copy()
    hung[up] += HIGH
    contacts = Contacts(points_of_tags(robot, FEET, friction=0.8), (floor(),))
    right, left = FEET.values()
    marks = [FootMarks(foot[0], foot[1], foot[3]) for foot in (right, left)]
    observer = BaseObserver(robot, BASE, marks, FootMarks(SUSPENSION[0], SUSPENSION[1], SUSPENSION[3]), landing=stand)
    held = posture_control(robot, stand, frequency=12.0, ratio=1.0)
    hoist = Hoist(robot, contacts, observer, hung, held)
    rec = mf.simulate(
        robot, contacts=contacts, controls=[held, hoist], q0=hung, t1=2.0 if quick else 3.0, rate=100,
        integrator="time-stepping", step=1e-3,
    )  # fmt: skip
    return rec


def error(rec):
    """Return the base as observed less the true one: forward, upward, to the right [m]."""
    names = rec.manifest["labels"]["coordinate"]
    at = [names.index(name) for name in BASE[:3]]
    return rec["hoist.observed"][1:, :3] - rec["q"][:-1][:, at]  # observed at the call before


def check(rec):
    t, wrong = rec.time("q")[1:], error(rec)
    reference = rec["hoist.reference"][1:, 0]
    air = reference == 2
    assert air[t < 1.2].all()
    assert set(reference[t > 1.7]) <= {0.0, 1.0}
    away = wrong[air, 1] - let_out(t[air])
    assert np.abs(away).max() < 2e-3, np.abs(away).max()  # [m] the ropes give way, and it sways
    assert np.abs(wrong[t > 1.7]).max() < 2e-3, np.abs(wrong[t > 1.7]).max()
    if t[-1] > 2.5:
        weight = rec["contact.force"][-1, :, 1].sum()
        assert abs(weight / (bip().mass * 9.81) - 1.0) < 0.02, weight


def draw(rec, folder):
    folder = Path(folder)
    page = Figure(figsize=(8, 6.2), layout="constrained")
    grid = page.add_gridspec(3, 2, width_ratios=(1, 2))
    from matplotlib.image import imread

    still = picture(dress(rec), folder / "hung.png", time=0.2, size=(420, 760))
    seen = page.add_subplot(grid[:, 0])
    seen.imshow(imread(still))
    seen.set_axis_off()
    off, load, which = (page.add_subplot(grid[k, 1]) for k in range(3))
    t = rec.time("q")
    off.plot(t[1:], 1e3 * error(rec), label=["forward", "upward", "to the right"])
    off.plot(t, 1e3 * let_out(t), "k--", linewidth=0.8, label="ropes let out")
    off.set(ylabel="observed − true [mm]")
    off.legend(fontsize="small")
    load.plot(t, rec["hoist.load"], label=["right foot", "left foot"])
    load.plot(t, rec["hoist.rope"].sum(1), "k", label="ropes")
    load.set(ylabel="force [N]")
    load.legend(fontsize="small")
    which.step(t, rec["hoist.reference"], where="post")
    which.set(yticks=[0, 1, 2], yticklabels=["right foot", "left foot", "suspension"], xlabel="time [s]")
    page.savefig(folder / "hung_and_lowered.png", dpi=130)
    return [folder / "hung_and_lowered.png"]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
