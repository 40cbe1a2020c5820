"""Errors are sentences: what is wrong has no mark at its end, what to do has one, and none ends in two."""

import ast
import itertools
import re
from pathlib import Path

import pytest

from motiform.base import errors
from motiform.base.errors import InputError, MotiformError, check_keywords

SOURCE = Path(__file__).parents[2] / "src" / "motiform"
KINDS = {name for name in errors.__all__ if name.endswith("Error")}
FILES = ("path", "folder", "file", "out")


def parts(node: ast.AST) -> list[ast.AST]:
    """The parts of a text that may come last: both branches of a choice, the last part of a sum or an f-string."""
    if isinstance(node, ast.IfExp):
        return parts(node.body) + parts(node.orelse)
    if isinstance(node, ast.BoolOp):
        return [part for value in node.values for part in parts(value)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return parts(node.right)
    return [node]


def ending(node: ast.AST) -> str | None:
    """The constant text at the end, or None where it is computed."""
    last = node.values[-1] if isinstance(node, ast.JoinedStr) and node.values else node
    return last.value if isinstance(last, ast.Constant) and isinstance(last.value, str) else None


def names_a_file(node: ast.AST) -> bool:
    """Whether a path without quotes comes right before the mark at the end: "Look into .." for the folder "."."""
    if not isinstance(node, ast.JoinedStr) or len(node.values) < 2:
        return False
    value, mark = node.values[-2:]
    plain = isinstance(value, ast.FormattedValue) and value.conversion != ord("r")
    if not (plain and isinstance(mark, ast.Constant) and mark.value == "."):
        return False
    return any(word in ast.unparse(value.value).lower() for word in FILES)


def calls() -> list[tuple[str, ast.Call]]:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name in KINDS:
                    found.append((f"{path.relative_to(SOURCE)}:{node.lineno}", node))
    return found


def remedies() -> list[tuple[str, ast.AST]]:
    """What is given as remedy=, and what is put into a variable of that name first."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            where = f"{path.relative_to(SOURCE)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.keyword) and node.arg == "remedy":
                found += [(where, part) for part in parts(node.value)]
            if isinstance(node, ast.Assign) and [getattr(t, "id", "") for t in node.targets] == ["remedy"]:
                found += [(where, part) for part in parts(node.value)]
    return found


def test_what_is_wrong_has_no_mark_at_its_end():
    found = calls()
    assert len(found) > 500
    texts = [(where, ending(part)) for where, call in found if call.args for part in parts(call.args[0])]
    assert [one for one in texts if one[1] and one[1].rstrip().endswith((".", "?", "!", ":"))] == []


def test_what_to_do_is_one_sentence_or_more():
    texts = [(where, ending(part)) for where, part in remedies()]
    assert len(texts) > 300
    assert [one for one in texts if one[1] and not re.search(r"[^.?!][.?]$", one[1]) and one[1] != "."] == []
    assert [where for where, part in remedies() if names_a_file(part)] == []


WRONG = ["bad", "bad.", "bad..", "bad?", "bad!", "it failed: ValueError: no.", "how long?", "waits..."]
REMEDY = [None, "Do it.", "Do it", "Do it..", "Did you mean 'x'?", "Did you mean 'x'?.", "Take one, two..."]


@pytest.mark.parametrize(("problem", "remedy"), list(itertools.product(WRONG, REMEDY)))
@pytest.mark.parametrize("facts", [{}, {"where": "here", "got": "a.", "allowed": "b?"}])
def test_whatever_a_text_is_put_together_from(problem, remedy, facts):
    """Parts that come from other libraries, files and people have marks of their own."""
    text = str(MotiformError(problem, remedy=remedy, **facts))
    again = str(MotiformError(f"scene.toml:3: {MotiformError(problem, remedy=remedy, **facts)}", remedy=remedy))
    for one in (text, again):
        assert not one.endswith(("..", "?.", "!."))
        assert not re.search(r"(\.\.|\?\.|!\.) [A-Z]", one)
    assert remedy is None or remedy.rstrip(".?") in text


# ---- names of arguments ---------------------------------------------------------------------------------------------
def test_unknown_arguments_get_the_nearest():
    @check_keywords
    def fall(height: float, *, drag: float = 0.0) -> float:
        """Fall."""
        return height - drag

    assert fall(2.0, drag=0.5) == fall(height=2.0, drag=0.5) == 1.5
    assert fall.__doc__ == "Fall."
    with pytest.raises(InputError, match=r"fall\(\): unknown argument \(got 'darg'; allowed: height, drag\)\. Did you"):
        fall(1.0, darg=2.0)


def test_simulate_and_reconstruct_know_their_arguments():
    from motiform import figures, joints, reconstruct, simulate
    from motiform.motion.reconstruct import calibrate
    from motiform.motion.tree import FigureBuilder

    builder = FigureBuilder()
    builder.segment("bar", None, joints.revolute((0, 0, 1)), mass=1.0, com=(0, -0.2, 0))
    bar = builder.build()
    near = {
        "control": "controls",
        "load": "loads",
        "guard": "guards",
        "contact": "contacts",
        "rates": "rate",
        "q": "q0",
    }
    near |= {
        "resumed": "resume",
        "setting": "settings",
        "forcse": "forces",
        "overwite": "overwrite",
        "integrater": "integrator",
    }
    for what, given in ((bar, {"t1": 0.1}), (bar, {}), ("handle", {})):
        for name, right in near.items():
            with pytest.raises(InputError, match=rf"simulate\(\): .*got '{name}'.*Did you mean '{right}'\?"):
                simulate(what, **given, **{name: None})
    for function, name, right in (
        (reconstruct, "cutof", "cutoff"),
        (reconstruct, "weight", "weights"),
        (calibrate, "weight", "weights"),
    ):
        with pytest.raises(InputError, match=rf"unknown argument \(got '{name}'.*Did you mean '{right}'\?"):
            function(figures.human36(), None, **{name: 1})
