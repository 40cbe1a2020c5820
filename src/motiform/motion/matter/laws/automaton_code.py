"""Kernels of automata, written from their trees and compiled for the CPU and for CUDA.

The text of the kernels is kept as a file under motiform's cache, so that its machine code is kept too. What runs is
always the text that was just written, never what the file holds.
"""

import hashlib
import os
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from motiform.base.caches import private_cache
from motiform.motion.matter.laws.automaton import Automaton, AutomatonState, Transition
from motiform.motion.matter.laws.expressions import write

__all__ = ["source", "written"]

_writing = threading.Lock()

_TEXT = '''"""Kernels of an automaton, written by motiform."""

import math

from numba import uint64 as ix

from motiform.base.kernels import inline, kernel
from motiform.motion.matter.laws.automaton_kernels import greater, lesser, power, sign


@inline
def begin(table, row, start):
    """Return what a link remembers when it begins."""
{parameters}
    return {begin}


@inline
def law(table, row, d, speed, per_step, state, {memory}):
    """Return the tension [N], then the state and the memory after this sample [Habibi97 1.12]."""
{parameters}
    dt = 1.0 / per_step
    fired = 0
    force = 0.0
{states}
    age = 1.0 if fired != 0 else age + 1.0
    return force, state, {memory}


@kernel
def automaton_links(l, x, ends, others, axis, material, table, per_step, length, state, memory, meter, pull, first):
    """Write s of links along the line between their ends, or the tension of those along an axis.

    Meter (see `automaton_law.METER`): the work of a tension t in the scheme is −t (d₊ − d₋)/2, known a sample later.
    """
    n = ix(l)
    i, j, a = ix(ends[n]), ix(others[n]), axis[n]
    if a < 0:
        dx, dy, dz = x[0, j] - x[0, i], x[1, j] - x[1, i], x[2, j] - x[2, i]
        d = math.sqrt(dx * dx + dy * dy + dz * dz)
    else:
        d = x[ix(a), j] - x[ix(a), i]
    t, s, {memory} = law(
        table, ix(material[n]), d, (d - length[n]) * per_step, per_step, int(state[n]), {link_memory}
    )
    if a >= 0:
        pull[ix(first + l)] = t
    else:
        pull[ix(first + l)] = t / d if d > 0.0 else 0.0
    length[n], state[n] = d, s
    {link_memory} = {memory}
    work = 0.5 * meter[0, n] * (d - meter[2, n])
    meter[3, n] -= work
    meter[4, n] += abs(work)
    meter[2, n] = meter[1, n]
    meter[0, n], meter[1, n] = t, d


@kernel
def automaton_reach(
    c, width, places, strides, neighbours, found, order, radius, table, per_step, cutoff, memory, forces
):
    """Add the forces of all neighbours on masses: the law of the gap between them, from the first row."""
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i = ix(n)
        x, y, z = places[0, i], places[1, i], places[2, i]
        vx, vy, vz = strides[0, i], strides[1, i], strides[2, i]
        fx, fy, fz = 0.0, 0.0, 0.0
        for slot in range(found[i]):
            k = ix(slot)
            j = ix(neighbours[k, i])
            dx, dy, dz = places[0, j] - x, places[1, j] - y, places[2, j] - z
            apart = radius[i] + radius[j]
            square, outer = dx * dx + dy * dy + dz * dz, cutoff + apart
            if square < outer * outer and square > 0.0:
                d = math.sqrt(square)
                r = 1.0 / d
                ex, ey, ez = strides[0, j] - vx, strides[1, j] - vy, strides[2, j] - vz
                along = (ex * dx + ey * dy + ez * dz) * r
                s = int(memory[0, k, i]) - 1
                if s < 0:
                    s = 0
                    {memory} = begin(table, 0, d - apart)
                else:
                    {memory} = {pair_memory}
                t, s, {memory} = law(table, 0, d - apart, along * per_step, per_step, s, {memory})
                memory[0, k, i] = 1.0 + s
                {pair_memory} = {memory}
                q = t * r
                fx, fy, fz = fx + q * dx, fy + q * dy, fz + q * dz
            elif square > 0.0:
                memory[0, k, i] = 0.0
        m = ix(order[i])
        forces[0, m] += fx
        forces[1, m] += fy
        forces[2, m] += fz


@kernel
def automaton_paths(l, paths, material, table, per_step, length, state, memory, tensions, states, memories):
    """Drive links through paths of distances [sample, link], and write what they do."""
    n = ix(l)
    s, before = int(state[n]), length[n]
    {memory} = {link_memory}
    for sample in range(paths.shape[0]):
        d = paths[sample, n]
        t, s, {memory} = law(
            table, ix(material[n]), d, (d - before) * per_step, per_step, s, {memory}
        )
        tensions[sample, n], states[sample, n], before = t, s, d
        {path_memory} = {memory}
    length[n], state[n] = before, s
    {link_memory} = {memory}
'''


def source(automaton: Automaton) -> str:
    """Return the text of the module of kernels of an automaton."""
    names = {name: f"p_{name}" for name in automaton.parameters} | {name: f"m_{name}" for name in automaton.memory}
    names |= {name: name for name in ("start", "d", "speed", "force", "age", "dt")}
    kept = [*(names[name] for name in automaton.memory), "age"]

    def at(place: str) -> str:
        return _tuple(place.format(k=k) for k in range(len(kept)))

    parameters = [f"    {names[name]} = table[row, {k}]" for k, name in enumerate(automaton.parameters)]
    return _TEXT.format(
        parameters="\n".join(parameters) or "    # no parameters",
        begin=_tuple([*(write(tree, names) for tree in automaton.memory.values()), "0.0"]),
        memory=_tuple(kept),
        link_memory=at("memory[{k}, n]"),
        pair_memory=at("memory[{k} + 1, k, i]"),
        path_memory=at("memories[sample, {k}, n]"),
        states="\n".join(_state(automaton, n, names) for n in range(len(automaton.states))),
    )


def _tuple(parts: Any) -> str:
    return ", ".join(parts)


def _tension(state: AutomatonState, names: dict[str, str]) -> str:
    if state.stiffness == 0.0 and state.damping == 0.0:
        return "0.0"
    k, z, rest = (write(tree, names) for tree in (state.stiffness, state.damping, state.rest))
    return f"{k} * (d - {rest}) + {z} * speed"


def _state(automaton: Automaton, number: int, names: dict[str, str]) -> str:
    """Return the lines of one state: its tension, and its transitions in order."""
    word = "if" if number == 0 else "elif"
    lines = [f"{word} state == {number}:", f"    force = {_tension(automaton.states[number], names)}"]
    for n, one in enumerate(t for t in automaton.transitions if t.source == number):
        lines += _transition(automaton, one, "if" if n == 0 else "elif", names)
    return "\n".join("    " + line for line in lines)


def _transition(automaton: Automaton, one: Transition, word: str, names: dict[str, str]) -> list[str]:
    lines = [f"{word} {write(one.when, names)}:", "    fired = 1"]
    lines += [f"    {names[name]} = {write(tree, names)}" for name, tree in one.actions]
    lines += [f"    state = {one.target}", f"    force = {_tension(automaton.states[one.target], names)}"]
    return ["    " + line for line in lines]


def written(automaton: Automaton) -> ModuleType:
    """Return the module of kernels of an automaton: automaton_links, automaton_reach and automaton_paths."""
    with _writing:
        return _written(automaton)


@cache
def _written(automaton: Automaton) -> ModuleType:
    return _module(source(automaton))


@cache
def _module(text: str) -> ModuleType:
    key = hashlib.sha256(text.encode()).hexdigest()[:24]
    file = _write_source(f"{key}.py", text)
    module = ModuleType(f"motiform.generated.law_{key}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module  # cached machine code looks its module up by name
    exec(compile(text, module.__file__, "exec"), module.__dict__)
    return module


def _write_source(name: str, text: str) -> Path:
    """Write the text into a file in one stroke; where that cannot be, go on without one, and without a cache."""
    code = text.encode()
    try:
        file = private_cache() / "laws" / name
        if not file.is_file() or file.read_bytes() != code:
            file.parent.mkdir(parents=True, exist_ok=True)
            handle, draft = tempfile.mkstemp(dir=file.parent, suffix=".draft")
            with os.fdopen(handle, "wb") as stream:
                stream.write(code)
            os.replace(draft, file)
    except OSError:
        return Path(f"<{Path(name).stem}>")
    return file
