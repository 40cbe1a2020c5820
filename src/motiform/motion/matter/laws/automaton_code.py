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


def source(automaton: Automaton) -> str:
    """Return the text of the module of kernels of an automaton."""
    names = {name: f"p_{name}" for name in automaton.parameters} | {name: f"m_{name}" for name in automaton.memory}
    names |= {name: name for name in ("start", "d", "speed", "force", "age", "dt")}
    kept = [*(names[name] for name in automaton.memory), "age"]

    def at(place: str) -> str:
        return _tuple(place.format(k=k) for k in range(len(kept)))

    parameters = [f"    {names[name]} = table[row, {k}]" for k, name in enumerate(automaton.parameters)]
    return (
        Path(__file__)
        .with_name("automaton.py.txt")
        .read_text("utf-8")
        .format(
            parameters="\n".join(parameters) or "    # no parameters",
            begin=_tuple([*(write(tree, names) for tree in automaton.memory.values()), "0.0"]),
            memory=_tuple(kept),
            link_memory=at("memory[{k}, n]"),
            pair_memory=at("memory[{k} + 1, k, i]"),
            path_memory=at("memories[sample, {k}, n]"),
            states="\n".join(_state(automaton, n, names) for n in range(len(automaton.states))),
        )
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
