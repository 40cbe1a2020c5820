"""The tree by Pinocchio: with one joint per coordinate, with its multi-axis joints, and by its pool of threads."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bench.tree.human42 import DIRECTIONS, GRAVITY, SEGMENTS, Manner
from bench.tree.states import Contender, States, contender
from motiform.base.errors import InputError

__all__ = ["called", "native", "pinocchio_model", "pinocchio_order", "pool", "python"]

Array = np.ndarray


class PinocchioOrder(NamedTuple):
    """Where the numbers of our native figure stand in Pinocchio's vectors: ``theirs = ours[..., order]``."""

    q: Array
    v: Array


def pinocchio_order(manner: Manner) -> PinocchioOrder:
    """Return the order of Pinocchio's numbers: quaternions end with w, the free joint's linear velocity comes first."""
    if manner != "native":
        return PinocchioOrder(np.arange(42), np.arange(42))
    q: list[int] = []
    for body in SEGMENTS:
        own = {6: [0, 1, 2, 4, 5, 6, 3], 3: [1, 2, 3, 0]}.get(len(body.axes), list(range(len(body.axes))))
        q += [len(q) + k for k in own]
    return PinocchioOrder(np.array(q), np.array([3, 4, 5, 0, 1, 2, *range(6, 42)]))


def pinocchio_model(manner: Manner) -> Any:
    """Return the tree as a model of Pinocchio, "chain" with one joint per coordinate or "native"."""
    import pinocchio as pin

    if manner == "axes":
        raise InputError("Pinocchio has no joint with any axes in sequence", got=manner, allowed="chain, native")
    model = pin.Model()
    at: dict[str | None, int] = {None: 0}
    model.gravity.linear = np.array(GRAVITY)
    make: Callable[[str], Any] = _pinocchio_joint if manner == "native" else _pinocchio_axis
    for body in SEGMENTS:
        place = pin.SE3(np.eye(3), np.array(body.place))
        parent = at[body.parent]
        parts = [body.axes] if manner == "native" else list(body.axes)
        for n, letters in enumerate(parts):
            parent = model.addJoint(parent, make(letters), place, f"{body.name}.{n}")
            place = pin.SE3.Identity()
        inertia = pin.Inertia(body.mass, np.array(body.center), np.diag(body.moments))
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
        at[body.name] = parent
    return model


def _pinocchio_axis(letter: str) -> Any:
    import pinocchio as pin

    return getattr(pin, f"JointModel{'R' if letter.isupper() else 'P'}{letter.upper()}")()


def _pinocchio_joint(letters: str) -> Any:
    import pinocchio as pin

    if len(letters) == 6:
        return pin.JointModelFreeFlyer()
    if len(letters) == 3:
        return pin.JointModelSpherical()
    if len(letters) == 2:
        return pin.JointModelUniversal(*(np.array(DIRECTIONS[letter.lower()]) for letter in letters))
    return _pinocchio_axis(letters)


def _pinocchio_calls(manner: Manner) -> tuple[dict[str, Callable[..., Array]], PinocchioOrder]:
    """Return Pinocchio's functions on the tree; of its two conventions the one that is faster here."""
    import pinocchio as pin

    model = pinocchio_model(manner)
    data = model.createData()
    way = pin.Convention.LOCAL if manner == "native" else pin.Convention.WORLD
    calls: dict[str, Callable[..., Array]] = {
        "fk": lambda q: pin.computeJointJacobians(model, data, q),
        "rnea": lambda q, v, a: pin.rnea(model, data, q, v, a),
        "crba": lambda q: pin.crba(model, data, q, way),
        "aba": lambda q, v, tau: pin.aba(model, data, q, v, tau, way),
    }
    return calls, pinocchio_order(manner)


def _to_pinocchio(states: States, algorithm: str, order: PinocchioOrder) -> list[Array]:
    q, *rest = states.inputs(algorithm)
    return [np.ascontiguousarray(x) for x in (q[..., order.q], *(x[..., order.v] for x in rest))]


def _from_pinocchio(algorithm: str, found: Array, order: PinocchioOrder) -> Array:
    """Return an answer in our order: angular before linear, our velocities."""
    out = np.empty_like(found if algorithm != "fk" else np.swapaxes(found, -1, -2))
    if algorithm == "fk":
        out[..., order.v, :] = np.swapaxes(found, -1, -2)[..., [3, 4, 5, 0, 1, 2]]
    elif algorithm == "crba":
        out[..., order.v[:, None], order.v] = found
    else:
        out[..., order.v] = found
    return out


def called(algorithm: str, states: States) -> Contender:
    """Return Pinocchio's function: called once for one state, in a loop for many."""
    manner: Manner = "native" if states.manner == "native" else "chain"
    calls, order = _pinocchio_calls(manner)
    call, inputs = calls[algorithm], _to_pinocchio(states, algorithm, order)

    def answer(found: Array) -> Array:
        return _from_pinocchio(algorithm, np.array(found), order)

    if states.q.ndim == 1:
        return contender(lambda: call(*inputs), states.manner, answer)
    shape = {"fk": (6, 42), "crba": (42, 42)}.get(algorithm, (42,))

    def loop() -> Array:
        out = np.empty((len(states.q), *shape))
        for n, one in enumerate(zip(*inputs, strict=True)):
            out[n] = call(*one)
        return out

    return contender(loop, states.manner, answer)


def python(algorithm: str, states: States, threads: int | None = None) -> Contender:
    """Return one joint per coordinate, called from Python: once for one state, in a loop for many."""
    note = "" if states.q.ndim == 1 else "pinocchio-python: a Python loop over the states"
    return called(algorithm, states)._replace(note=note)


def native(algorithm: str, states: States, threads: int | None = None) -> Contender:
    """Return its multi-axis joints on one state."""
    if states.manner == "native":
        return called(algorithm, states)
    note = "pinocchio-native: other coordinates (quaternions), the same motion"
    return called(algorithm, States.make("native", 1).first)._replace(note=note)


def pool(algorithm: str, states: States, threads: int) -> Contender:
    """Return Pinocchio's pool of threads on many states, its arrays laid out as it likes them."""
    import pinocchio as pin

    manner: Manner = "native" if states.manner == "native" else "chain"
    order = pinocchio_order(manner)
    inputs = [x.T for x in _to_pinocchio(states, algorithm, order)]  # a state is a column, columns contiguous
    models = pin.ModelPool(pinocchio_model(manner), threads)
    function = {"rnea": pin.rneaInParallel, "aba": pin.abaInParallel}[algorithm]

    def call() -> Array:
        out = np.empty((42, len(states.q)), order="F")
        function(threads, models, *inputs, out)
        return out

    return contender(call, states.manner, lambda found: _from_pinocchio(algorithm, found.T, order))
