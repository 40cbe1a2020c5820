"""Errors are sentences: what is wrong states a rule and has no mark at its end, what to do has one, not two."""

import ast
import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from motiform.base import errors
from motiform.base.errors import InputError, MotiformError

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


@cache
def sources() -> dict[str, ast.Module]:
    """All of the package, read once: {file: syntax}."""
    return {str(path.relative_to(SOURCE)): ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


@cache
def owned() -> dict[str, dict[ast.AST, "Function"]]:
    """Calls, keywords and assignments of each file, with the innermost function of each."""
    return {file: functions(syntax) for file, syntax in sources().items()}


def nodes(*kinds: type) -> Iterator[tuple[str, ast.AST]]:
    """Nodes of these kinds, with the file and line of each."""
    for file, found in owned().items():
        yield from ((f"{file}:{node.lineno}", node) for node in found if isinstance(node, kinds))


def calls() -> list[tuple[str, ast.Call]]:
    return [
        (at, node) for at, node in nodes(ast.Call) if getattr(node.func, "id", getattr(node.func, "attr", "")) in KINDS
    ]


@cache
def remedies() -> list[tuple[str, ast.AST]]:
    """What is given as remedy=, and what is put into a variable of that name first."""

    def is_remedy(node: ast.AST) -> bool:
        named = node.arg if isinstance(node, ast.keyword) else [getattr(t, "id", "") for t in node.targets]
        return named in ("remedy", ["remedy"])

    found = [(at, node.value) for at, node in nodes(ast.keyword, ast.Assign) if is_remedy(node)]
    return [(at, part) for at, value in found for part in parts(value)]


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


# ---- a rule, not a noun ----------------------------------------------------------------------------------------------
#: Finite verbs of the texts. One that is missing here may be added; a noun that is spelled like a verb may not.
VERB = re.compile(
    r"\b(must|can|cannot|could|may|would|is|are|was|were|has|have|does|do|needs?|belongs?|takes?|gives|exists?|excludes?"
    r"|holds?|differ|overflows?|overlap|lies?|moves|returned|failed|diverges?|repeats?|encloses|follow|joins|fits|divides"
    r"|depends)\b"
)
#: Phrases that state a rule without a verb ("no such file", "not a number", "give either x or y").
PHRASE = re.compile(r"(no such|unknown|not|too many|give|cannot)\b")
CLAUSE = re.compile(r"\b(?:that|which|who|whose)\b")


def states_a_rule(text: str) -> bool:
    """Whether a text has a verb of its own, not only one in a clause: "a point that is fixed" has none."""
    return bool(PHRASE.match(text) or VERB.search(CLAUSE.split(text)[0]))


Function = ast.FunctionDef | ast.Module


def functions(tree: ast.Module) -> dict[ast.AST, Function]:
    """The innermost function of each call, keyword and assignment."""
    found: dict[ast.AST, Function] = {}
    stack: list[tuple[ast.AST, Function]] = [(tree, tree)]
    while stack:
        node, owner = stack.pop()
        if isinstance(node, ast.Call | ast.keyword | ast.Assign):
            found[node] = owner
        inner = node if isinstance(node, ast.FunctionDef) else owner
        stack += [(child, inner) for child in ast.iter_child_nodes(node)]
    return found


def assigned(name: str, owner: Function) -> list[ast.AST]:
    """What a function puts into a variable."""
    return [
        node.value
        for node in ast.walk(owner)
        if isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == [name]
    ]


def passes_on(node: ast.AST, owner: Function) -> bool:
    """Whether the text of another error is part of a text, by its name `error` or by a variable that holds it."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    values = [value for name in names for value in assigned(name, owner)]
    held = {part.id for value in values for part in ast.walk(value) if isinstance(part, ast.Name)}
    return "error" in names | held


def wordings(node: ast.AST, owner: Function) -> list[str]:
    """The texts that an argument may have, with {} for what is computed; none for the text of another error."""
    if isinstance(node, ast.IfExp):
        return wordings(node.body, owner) + wordings(node.orelse, owner)
    if passes_on(node, owner):
        return []
    if isinstance(node, ast.Name):
        return [text for value in assigned(node.id, owner) for text in wordings(value, owner)]
    if isinstance(node, ast.BinOp):
        return [a + b for a in wordings(node.left, owner) or ["{}"] for b in wordings(node.right, owner) or ["{}"]]
    if isinstance(node, ast.JoinedStr):
        choices = [wordings(part, owner) or ["{}"] for part in node.values]
        return ["".join(parts) for parts in itertools.product(*choices)] if choices else []
    if isinstance(node, ast.FormattedValue):
        return wordings(node.value, owner)
    if isinstance(node, ast.Call):  # words given to a function that chooses among them
        return [arg.value for arg in node.args if isinstance(arg, ast.Constant) and " " in str(arg.value)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def nouns(files: dict[str, dict[ast.AST, Function]]) -> tuple[list[tuple[str, str]], int]:
    """The texts of errors that state no rule, with their places, and how many texts were read.

    A function that hands a parameter on as the text of an error counts as one: its calls are read too.
    """
    made = []
    for file, found_in in files.items():
        for node, owner in found_in.items():
            if isinstance(node, ast.Call) and node.args:
                made.append((file, getattr(node.func, "id", getattr(node.func, "attr", "")), node, owner))
    raised = {("", kind): 0 for kind in KINDS | {"ValueError"}}  # (file of a private function or "", name): argument
    found: set[tuple[str, int, str]] = set()
    done: set[tuple[str, str]] = set()
    while todo := set(raised) - done:
        done |= todo
        for file, name, call, owner in made:
            key = next((key for key in ((file, name), ("", name)) if key in todo), None)
            if key is None or len(call.args) <= raised[key]:
                continue
            text = call.args[raised[key]]
            found |= {(file, call.lineno, one) for one in wordings(text, owner) if one}
            names = [a.arg for a in owner.args.args if a.arg != "self"] if isinstance(owner, ast.FunctionDef) else []
            if isinstance(text, ast.Name) and text.id in names and not assigned(text.id, owner):
                raised[file if owner.name.startswith("_") else "", owner.name] = names.index(text.id)
    return sorted((f"{file}:{line}", text) for file, line, text in found if not states_a_rule(text)), len(found)


def test_what_is_wrong_states_a_rule():
    bad, count = nouns(owned())
    assert count > 900
    assert bad == []


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ('raise InputError("tolerances", got=1)', 1),
        ('raise InputError("size of q", allowed="(2,)")', 1),
        ('raise InputError("a torus that meets itself is flat")', 1),
        ('raise InputError(f"factor of {x}")', 1),
        ('what = "samples" if x else "rate"; raise InputError(what)', 2),
        ('raise InputError("rate must be positive")', 0),
        ('raise InputError(f"{x} must be positive")', 0),
        ('raise InputError("no such file")', 0),
        ('raise InputError(f"{x}: {error}")', 0),
        ('raise fail(x, "axes")', 1),
        ('raise fail(x, "axes must differ")', 0),
    ],
)
def test_nouns_are_found(line, count):
    source = f"def fail(where, problem):\n    return InputError(problem, where=where)\n\ndef f(x, error):\n    {line}\n"
    assert len(nouns({"a.py": functions(ast.parse(source))})[0]) == count


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


# ---- what a person calls first ---------------------------------------------------------------------------------------
def test_errors_of_input_are_value_errors():
    """A caller's own mistakes are Python's TypeError and ValueError, ours among them."""
    assert issubclass(InputError, ValueError)
    assert not issubclass(errors.RunError, ValueError)


@pytest.mark.parametrize(
    ("name", "given", "error", "text"),
    [
        ("simulate", {"t1": "soon"}, InputError, "t1"),
        ("picture", {"path": 3}, InputError, "the path must be text"),
        ("film", {"path": "a.mp4", "fps": "fast"}, TypeError, "not supported"),
        ("export", {"path": "a.glb", "rate": "slow"}, TypeError, "not supported"),
        ("simulate", {"control": None}, TypeError, "unexpected keyword argument 'control'"),
        ("dress", {"look": None}, TypeError, "unexpected keyword argument 'look'"),
    ],
)
def test_wrong_arguments_of_the_main_functions(tmp_path, monkeypatch, name, given, error, text):
    import motiform

    monkeypatch.chdir(tmp_path)
    source = "handle"
    if name != "simulate":
        source = motiform.simulate("handle", settings={"scene.duration": 0.01})
    with pytest.raises(error, match=re.escape(text)):
        getattr(motiform, name)(source, **given)


@pytest.mark.parametrize("name", ["dress", "picture", "film", "export", "plot", "resample"])
@pytest.mark.parametrize("junk", ["run.mf", None, 3])
def test_what_is_not_a_recording_is_reported(tmp_path, monkeypatch, name, junk):
    import motiform

    monkeypatch.chdir(tmp_path)
    given = {"picture": ("a.png",), "film": ("a.mp4",), "export": ("a.glb",), "plot": ("q",)}.get(name, ())
    options = {"rate": 10.0} if name == "resample" else {}
    with pytest.raises(InputError, match=r"(?i)recording"):
        getattr(motiform, name)(junk, *given, **options)
