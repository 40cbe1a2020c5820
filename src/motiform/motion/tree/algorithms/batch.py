"""Many states at once: leading axes in, one launch, leading axes out."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, MotiformError, RunError
from motiform.motion.run.options import LOST
from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array, Joint
from motiform.motion.tree.model.pack import PackedFigure
from motiform.spatial.checks import as_floats

__all__ = ["Input", "as_states", "launch_states", "not_a_figure", "run_states"]

_FEW = 256  # states that one core does sooner than the code for several is compiled or woken
_SLOTS_PER_CORE = 4  # runs of states per core, so that a core that falls behind does not hold up the others
_WORK_BYTES = 2 << 30  # workspace on a GPU, where every state of a launch has its own

Input = tuple[str, ArrayLike, int]
"""Name, values (…, size), size."""


def not_a_figure(given: object) -> InputError:
    """Return the error of what stands in a figure's place, made where an attribute is missing: calls stay fast."""
    return InputError("the first argument must be a figure", got=repr(given)[:60], allowed="a Figure")


def as_states(figure: Figure, inputs: Sequence[Input]) -> tuple[tuple[int, ...], list[Array]]:
    """Return the common leading axes and each input as rows of states, (states, size)."""
    arrays = []
    for name, values, size in inputs:
        array = as_floats(values, where=f"{_title(figure)}, {name}", finite=False)
        if array.ndim == 0 or array.shape[-1] != size:
            raise InputError(
                f"{name} must have {size} numbers on its last axis", where=_title(figure), got=f"shape {array.shape}",
                allowed=f"(…, {size})" + _hint(figure, name),
            )  # fmt: skip
        arrays.append(array)
    try:
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for (name, _, _), a in zip(inputs, arrays, strict=True))
        raise InputError("leading axes must match", where=_title(figure), got=shapes) from None
    count = math.prod(batch)
    flat = [np.ascontiguousarray(np.broadcast_to(a, (*batch, a.shape[-1]))).reshape(count, a.shape[-1]) for a in arrays]
    for (name, _, _), array in zip(inputs, flat, strict=True):
        with np.errstate(over="ignore", invalid="ignore"):
            total = array.sum()  # the cheap way to look
        if not np.isfinite(total) and not np.isfinite(array).all():
            _refuse_not_finite(figure, name, array)
        if name == "q":
            _check_quaternions(figure, array)
    return batch, flat


def _title(figure: Figure) -> str:
    return f"figure {figure.name!r}" if figure.name else "figure"


def _hint(figure: Figure, name: str) -> str:
    names = figure.coordinates
    if name == "q" and figure.nq != figure.nv:
        return f": {figure.nq} numbers, see figure.neutral()"
    return ": " + ", ".join(names) if len(names) <= 12 else f": {', '.join(names[:12])}, …"


def _refuse_not_finite(figure: Figure, name: str, array: Array) -> None:
    state, number = (int(k) for k in np.argwhere(~np.isfinite(array))[0])
    label = f"{name}[{number}]"
    if name == "q" and figure.nq != figure.nv:
        label += f" (joint of segment {_segment_of(figure, number)!r})"
    elif name == "external":
        label = f"external on segment {figure.names[number // 6]!r}"
    elif len(figure.coordinates) == array.shape[-1]:
        label += f" ({figure.coordinates[number]})"
    where = f"{_title(figure)}, {label}" + (f", state {state}" if len(array) > 1 else "")
    raise InputError("the number must be finite", where=where, got=float(array[state, number]))


def _check_quaternions(figure: Figure, q: Array) -> None:
    """Refuse quaternions of length zero, which turn nowhere."""
    if figure.nq == figure.nv:
        return
    for segment, at in zip(figure.segments, figure.layout.q, strict=True):
        for begin in segment.joint.quaternions:
            first = at[begin] if figure.coupled is None else np.searchsorted(figure.coupled.kept_q, at[begin])
            zero = ~q[:, first : first + 4].any(-1)
            if zero.any():
                where = f"{_title(figure)}, joint of segment {segment.name!r}, state {int(np.argmax(zero))}"
                raise InputError(
                    "a quaternion must have a length above 0", where=where, remedy="Start from figure.neutral()."
                )


def _segment_of(figure: Figure, number: int) -> str:
    """Return the segment whose joint has this number of q."""
    place = number if figure.coupled is None else figure.coupled.kept_q[number]
    return next(s.name for s, at in zip(figure.segments, figure.layout.q, strict=True) if place in at)


def evaluate_joints(figure: Figure, packed: PackedFigure, q: Array, v: Array | None) -> Array:
    """Return what joints that no kernel knows say of every state, (rows, states)."""
    given = np.zeros((packed.given_rows, len(q)))
    for n in packed.asked:
        segment = figure.segments[n]
        at = int(packed.ints[tree_columns.HEADER + n * tree_columns.SEGMENT_INTS + tree_columns.AT_NUMBERS])
        own, own_v = q[:, figure.layout.q[n]], None if v is None else v[:, figure.layout.v[n]]
        block = _answers(segment.joint, own, own_v, f"{_title(figure)}, joint of segment {segment.name!r}")
        given[at : at + block.shape[-1]] = block.T
    return given


def _answers(joint: Joint, q: Array, v: Array | None, where: str) -> Array:
    """Return pose, S and dS/dt of one joint for all states, (states, numbers); what a user's joint gives is checked."""
    count, nv = len(q), joint.nv
    try:
        T = joint.transform(q)
        parts = {"rotation": (T.rotation, (3, 3)), "translation": (T.translation, (3,))}
        parts["subspace"] = (joint.subspace(q), (6, nv))
        if v is not None:
            parts["subspace_rate"] = (joint.subspace_rate(q, v), (6, nv))
    except MotiformError:
        raise
    except Exception as error:  # any failure of a user's joint is reported as such
        raise RunError(f"the joint failed: {type(error).__name__}: {error}", where=where) from error
    found = []
    for name, (value, shape) in parts.items():
        value = np.asarray(value, float)
        if value.shape not in (shape, (count, *shape)):
            allowed = f"{(count, *shape)} or {shape}"
            raise InputError(
                f"{name} of the joint must have one row for each state", where=where, got=f"shape {value.shape}",
                allowed=allowed,
            )  # fmt: skip
        if not np.isfinite(value).all():
            raise RunError(f"{name} of the joint is not finite", where=where)
        value = np.broadcast_to(value, (count, *shape))
        turned = np.swapaxes(value, -1, -2) if name.startswith("subspace") else value
        found.append(turned.reshape(count, math.prod(shape)))
    return np.concatenate(found, axis=-1)


def launch_states(
    figure: Figure, kernel: Any, inputs: Sequence[Array], rows: Sequence[int], *, velocity: bool = False,
    extra: Sequence[Any] = (), device: str = "cpu",
) -> list[Array]:  # fmt: skip
    """Run a kernel over all states; return its outputs, each (states, rows).

    `inputs` are (states, size) of the figure's full coordinates, q first and v second where `velocity`; `extra` are
    arguments after them, arrays (states, size) or plain numbers.
    """
    from motiform.base.kernels import get_device

    packed, count = figure.packed, len(inputs[0])
    given = packed.no_given
    if packed.asked:
        given = evaluate_joints(figure, packed, inputs[0], inputs[1] if velocity else None)
    if device == "cpu":
        import numba

        slots = 1 if count < _FEW else _SLOTS_PER_CORE * numba.get_num_threads()
        outs = [np.empty((count, size)) for size in rows]
        status = np.zeros(count, np.int64)
        work = np.empty((slots, packed.rows))
        get_device("cpu").launch(
            kernel, slots, slots, packed.ints, packed.floats, work.T, np.asfortranarray(given), *(x.T for x in inputs),
            *(x.T if isinstance(x, np.ndarray) else x for x in extra), *(x.T for x in outs), status, least=2,
        )  # fmt: skip
    else:
        outs, status = _on_device(device, packed, kernel, given, inputs, extra, rows, count)
    _check_status(figure, status, inputs[0])
    return outs


def run_states(
    figure: Figure, what: int, rows: int, states: Sequence[Array], *, loads: Sequence[Array | bool] = (),
    device: str = "cpu",
) -> Array:  # fmt: skip
    """Run one of the algorithms named in `columns` over all states, (states, rows).

    `states` are q, or q, v and a (tau for forward dynamics); `loads` are wrenches on the segments,
    (states, 6 segments), and whether they count.
    """
    from motiform.motion.tree.kernels.single import many_states

    assert all(x.ndim == 2 and x.dtype == np.float64 for x in states)  # a typed kernel does not look
    nothing = np.zeros((len(states[0]), 1))
    inputs = [*states, nothing, nothing][:3]
    extra = [*(loads or (nothing, False)), what]
    moving = len(states) > 1
    return launch_states(figure, many_states, inputs, [rows], velocity=moving, extra=extra, device=device)[0]


def _on_device(
    name: str, packed: PackedFigure, kernel: Any, given: Array, inputs: Sequence[Array], extra: Sequence[Any],
    rows: Sequence[int], count: int,
) -> tuple[list[Array], np.ndarray]:  # fmt: skip
    """Run a kernel on a GPU, as many states at a time as the workspace allows."""
    from motiform.base.kernels import get_device

    device = get_device(name)
    most = min(count, max(1, _WORK_BYTES // (8 * packed.rows)))
    ints, floats = device.array(packed.ints), device.array(packed.floats)
    work = device.empty((packed.rows, most))
    outs, status = [np.empty((count, size)) for size in rows], np.zeros(count, np.int64)
    for start in range(0, count, most):
        part = slice(start, min(start + most, count))
        n = part.stop - part.start
        results = [device.empty((size, n)) for size in rows]
        code = device.array(np.zeros(n, np.int64))
        answers = device.array(given[:, part] if packed.asked else given)
        device.launch(
            kernel, n, n, ints, floats, work, answers, *(device.rows(x[part]) for x in inputs),
            *(device.rows(x[part]) if isinstance(x, np.ndarray) else x for x in extra), *results, code,
        )  # fmt: skip
        for out, result in zip(outs, results, strict=True):
            out[part] = device.host_rows(result)
        status[part] = device.host(code)
    return outs, status


def _check_status(figure: Figure, status: np.ndarray, q: Array) -> None:
    if not status.any():
        return
    state = int(np.flatnonzero(status)[0])
    code, segment = int(status[state] % tree_columns.WHERE), figure.segments[int(status[state] // tree_columns.WHERE)]
    where = f"{_title(figure)}, joint of segment {segment.name!r}" + (f", state {state}" if len(status) > 1 else "")
    largest = float(np.abs(q[state]).max(initial=0.0))
    if code == tree_columns.SINGULAR and not largest < LOST:
        raise RunError("coordinates are too large for the inertia to be computed", where=where, got=f"{largest:.3g}")
    if code == tree_columns.SINGULAR:
        raise RunError(
            "the joint moves nothing that has inertia",
            where=where,
            remedy="Give mass or inertia to the segment or to those that it carries, or armature to the joint.",
        )
    if code == tree_columns.CONFORMING:
        raise RunError(
            "the surfaces fit or overlap: the sum of their curvatures is not above zero: they do not meet in a point",
            where=where,
        )
    raise RunError("the results must be finite", where=_title(figure), got=f"state {state}")
