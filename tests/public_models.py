"""Public models read with the default options and compared with MuJoCo (MJCF) and Pinocchio (URDF).

`python tests/public_models.py NAME=FOLDER …` reads every .urdf and .xml below each folder and prints a row of a table
for each family: files, how many load, how many have the same inertia matrix and inverse dynamics in two random states,
relative to the largest entry, and what was noted. Of MJCF the files count that MuJoCo compiles. What did not load or
differs is listed below the table. `--roots FOLDER` names folders to look for ``package://`` files in.
"""

import argparse
import sys
import warnings
from collections import Counter
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import mujoco
import numpy as np
import pinocchio

from engines import FromPinocchio, mujoco_state, random_qpos, velocity_change
from motiform.base.errors import MotiformError
from motiform.motion.tree import Figure, inertia_matrix, inverse_dynamics
from motiform.motion.tree.read import read_mjcf, read_urdf

SAME = 1e-9
STATES = 2


@dataclass
class Family:
    """What became of the files of one family."""

    files: int = 0
    loaded: int = 0
    compared: int = 0
    same: int = 0
    mended: int = 0
    notes: Counter = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def row(self, name):
        most = ", ".join(f"{what} ({count})" for what, count in self.notes.most_common(4)) or "nothing"
        same = f"{self.same} of {self.compared}" + (f" ({self.mended} as mended)" if self.mended else "")
        return f"|{name}|{self.files}|{self.loaded}|{same}|{most}|"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--roots", action="append", default=[])
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    rows, notes = [], []
    for name, _, folder in (family.partition("=") for family in asked.families):
        family = look_at(Path(folder), asked.roots)
        rows.append(family.row(name))
        notes += [f"{name}: {line}" for line in family.notes]
    print("| family | files | load | equal to 1e-9 | what was noted most (files) |\n|---|---|---|---|---|")
    print("\n".join([*rows, "", *notes]))


def look_at(folder, roots):
    family = Family()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".urdf", ".xml")):
        shown = path.relative_to(folder)
        print(shown, end="\033[K\r", file=sys.stderr, flush=True)
        try:
            found = (_urdf if path.suffix == ".urdf" else _mjcf)(path, roots)
        except MotiformError as error:
            family.files += 1
            family.notes.append(f"{shown} does not load: {str(error)[:300]}")
            continue
        if found is None:
            continue
        figure, difference, mended = found
        family.files, family.loaded = family.files + 1, family.loaded + 1
        family.notes.update({kind for note in figure.notes if (kind := _kind(note))})
        if not isinstance(difference, str):
            same = bool(difference <= SAME)
            family.compared, family.same, family.mended = (
                family.compared + 1, family.same + same, family.mended + (same and mended),
            )  # fmt: skip
            difference = "" if same else f"differs by {difference:.1e}"
        family.notes += [f"{shown} {difference}"] if difference else []
    return family


KINDS = {  # of what changes the motion
    "impossible inertia": "nearest possible",
    "inertia without mass": "inertia was left out",
    "dry friction": "dry friction",
    "joint springs": "the spring of a joint",
    "damping that is not linear": "damping that is not linear",
    "compensation of gravity": "compensation of gravity",
    "fluid": "a fluid around",
    "forces and bounds of tendons": "forces and bounds of a tendon",
    "mimic that no joint can follow": "mimic",
    "unknown elements": "unknown",
    "equalities": "equality",
    "plugins": "a plugin",
    "armature or damping of actuators": "of an actuator",
}


def _kind(note):
    """Return the first kind that a note speaks of, None where it changes no motion."""
    return next((kind for kind, word in KINDS.items() if word in note), None)


# ---- MJCF


def _mjcf(path, roots):
    """Return the figure, its difference from MuJoCo's and whether inertia was mended; None where MuJoCo reads none."""
    if "<mujoco" not in path.read_text("utf-8", "replace"):
        return None
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return None
    figure = read_mjcf(path, roots=roots)
    still = {s.name: {"damping": 0.0 * s.damping} for s in figure.segments}  # it may come from springs left out
    tree = figure.replace(couplings=(), closures=(), segments=still)
    if (tree.nq, tree.nv) != (model.nq, model.nv):
        return figure, f"has {tree.nv} velocities here and {model.nv} in MuJoCo", False
    return figure, _from_mujoco(tree, model), False


def _from_mujoco(figure: Figure, model) -> float:
    """Return the largest difference of inertia and inverse dynamics, relative to the largest entry of each."""
    rng, worst = np.random.default_rng(1), 0.0
    for _ in range(STATES if model.nv else 0):
        q, v, a = random_qpos(model, rng), rng.standard_normal(model.nv), rng.standard_normal(model.nv)
        data, M = mujoco_state(model, q, v)
        B, bias = velocity_change(model, q, v)
        ours = inertia_matrix(figure, q)
        theirs = M @ a + data.qfrc_bias
        tau = B.T @ inverse_dynamics(figure, q, B @ v, B @ a + bias)
        worst = max(worst, _apart(B.T @ ours @ B, M), _apart(tau, theirs))
    return worst


# ---- URDF


def _urdf(path, roots):
    """Return the figure, its difference from Pinocchio's, and whether it has a mended inertia."""
    figure = read_urdf(path, roots=roots)
    with redirect_stderr(StringIO()):
        try:
            model = pinocchio.buildModelFromUrdf(str(path), True)  # with what joints mimic
        except (RuntimeError, ValueError) as error:
            return figure, f"is not read by Pinocchio: {str(error).strip()[:80]}", False
    if figure.nv != model.nv:
        return figure, f"has {figure.nv} velocities here and {model.nv} in Pinocchio", False
    figure = figure.replace(segments={s.name: {"damping": 0.0 * s.damping} for s in figure.segments})
    mended = any("nearest possible" in note or "inertia was left out" in note for note in figure.notes)
    if mended:
        _give(model, figure)
    return figure, _from_pinocchio(figure, model), mended


def _give(model, figure):
    """Give a model of Pinocchio the matter of the figure, link by link."""
    for n in range(1, model.njoints):
        model.inertias[n] = pinocchio.Inertia.Zero()
    for segment in figure.segments:
        frame = model.frames[model.getFrameId(segment.name, pinocchio.FrameType.BODY)]
        own = pinocchio.Inertia(segment.mass, segment.com, segment.inertia)
        model.inertias[frame.parentJoint] += frame.placement.act(own)


def _from_pinocchio(figure, model):
    rng, worst = np.random.default_rng(1), 0.0
    pinocchio.seed(1)
    data, change = model.createData(), FromPinocchio(figure, model)
    for _ in range(STATES if model.nv else 0):
        q = pinocchio.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
        v, a = rng.standard_normal(model.nv), rng.standard_normal(model.nv)
        ours, B = change.configuration(q)
        M = pinocchio.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        theirs = pinocchio.rnea(model, data, q, v, a)  # of joints that mimic it leaves out the damping
        tau = B.T @ inverse_dynamics(figure, ours, B @ v, B @ a + change.bias(q, v))
        worst = max(worst, _apart(B.T @ inertia_matrix(figure, ours) @ B, M), _apart(tau, theirs))
    return worst


def _apart(ours, theirs):
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), np.finfo(float).tiny))


if __name__ == "__main__":
    main()
