"""Patterns of text end in time that grows with the length of a text, not with its square: files may be hostile."""

import importlib
import inspect
import pkgutil
import re
import signal

import pytest

import motiform

LENGTH, SECONDS = 100_000, 10.0  # with the square of the length a pattern takes minutes
REPEATED = (
    "9", " ", "a", "_", ".", "-", "#", "x ", "[", "(", "[(", "a.", "9.", "1e", "\t", "x_", "9_", "x,", "0,", "= ", "->",
    "when ", "force", "forcev", "vx", "markers[", "[0]", "[ ", "( m ", "rate ", "sampl", "unit ", "length ", "time_",
    "frame ", "head", "malleol", "_px9", "m/", "\"", "' ", "x\n",
)  # fmt: skip


def patterns():
    """Every compiled pattern that is a constant of a module, with the methods by which the module uses it."""
    for found in pkgutil.walk_packages(motiform.__path__, "motiform."):
        if "kernels" in found.name:
            continue
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and f"\n{name}" in (text := inspect.getsource(module)):
                used = set(re.findall(rf"\b{name}\.(match|fullmatch|search|sub)\b", text)) or {"fullmatch"}
                yield found.name, name, value, used


def texts():
    for part in REPEATED:
        whole = (part * LENGTH)[:LENGTH]
        yield from (whole, f"{whole}x!", f"a{whole}", f"[{whole}\0", f"({whole}", f"1{whole}")


def end(*_):
    raise TimeoutError


@pytest.mark.slow
def test_patterns_end_on_long_texts():
    before, late, known = signal.signal(signal.SIGPROF, end), [], list(patterns())
    assert len(known) > 30
    try:
        for module, name, pattern, used in known:
            text = "?"
            try:
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                for text in texts():
                    given = text.encode() if isinstance(pattern.pattern, bytes) else text
                    for method in used:
                        getattr(pattern, method)(*(("",) if method == "sub" else ()), given)
            except TimeoutError:
                late.append(f"{module}.{name}: {text[:20]!r}")
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
    finally:
        signal.signal(signal.SIGPROF, before)
    assert late == []
