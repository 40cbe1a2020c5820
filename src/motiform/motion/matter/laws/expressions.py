"""User-defined expressions: arithmetic on names only.

Allowed are numbers, names, + - * / **, comparisons, and, or, not, and the functions min, max, abs, sqrt, exp, sign. A
text is read, through a list of allowed tokens and one of allowed nodes, into a *tree*: a float, a name, or a tuple of
an operator and its parts. Trees are worked out, bounded, and written as code; a text of the user never is.

>>> tree = read_expression("2 * width ** 2", {"width"})
>>> float(evaluate(tree, {"width": 3.0}))
18.0
"""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest

__all__ = ["FUNCTIONS", "Tree", "bounds", "evaluate", "names_in", "parts_in", "read_expression", "write"]

Tree = float | str | tuple[Any, ...]
Range = tuple[np.ndarray, np.ndarray]

FUNCTIONS = ("min", "max", "abs", "sqrt", "exp", "sign")
_ALLOWED = "numbers, names, + - * / **, < <= > >= == !=, and, or, not, min, max, abs, sqrt, exp, sign"
_DEEPEST = 100  # nested parts
_WHOLE = 16.0  # whole powers up to this are products, which have the same bits on all machines
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?(?![\w.]))|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/()<>,]))",
    re.ASCII,
)
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_TRUTHS = {*_COMPARE.values(), "and", "or", "not"}


def read_expression(text: str, names: Collection[str], where: str | None = None, *, truth: bool = False) -> Tree:
    """Return the tree of an expression of these names: of a number, or of a truth such as ``d > limit``."""
    return _Reader(text.strip(), names, where).read(truth)


class _Reader:
    def __init__(self, text: str, names: Collection[str], where: str | None) -> None:
        self.text, self.names, self.where = text, names, where

    def fail(self, problem: str, got: object = None, allowed: str = _ALLOWED, remedy: str | None = None) -> InputError:
        got = self.text if got is None else got
        return InputError(problem, where=self.where, got=got, allowed=allowed, remedy=remedy)

    def read(self, truth: bool) -> Tree:
        words = self.tokens()
        try:
            body = ast.parse(words, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise self.fail("expression cannot be read") from error
        tree = self.tree(body)
        self.require(tree, truth)
        return tree

    def tokens(self) -> str:
        """Return the text with names as v_name, so that no name is a word of Python (yield, is, lambda, …)."""
        found, at = [], 0
        while at < len(self.text):
            token = _TOKEN.match(self.text, at)
            if token is None:
                raise self.fail("expression cannot be read", remedy=f"See {self.text[at:].strip()[:20]!r} in it.")
            word = token[0].strip()
            found.append(f"v_{word}" if token["name"] and word not in ("and", "or", "not") else word)
            at = token.end()
        return " ".join(found)

    def require(self, tree: Tree, truth: bool) -> Tree:
        if truth and not _is_truth(tree):
            raise self.fail("a condition is needed here, not a number", allowed="comparisons such as d > limit")
        if not truth and _is_truth(tree):
            raise self.fail("a number is needed here, not a condition", allowed="arithmetic")
        return tree

    def number(self, node: ast.expr, depth: int) -> Tree:
        return self.require(self.tree(node, depth + 1), False)

    def tree(self, node: ast.expr, depth: int = 0) -> Tree:
        if depth > _DEEPEST:
            raise self.fail("expression is nested too deeply", allowed=f"{_DEEPEST} levels")
        match node:
            case ast.Constant():
                return self.constant(node.value)
            case ast.Name():
                return self.name(node.id[2:])
            case ast.UnaryOp(op=ast.Not()):
                return ("not", self.require(self.tree(node.operand, depth + 1), True))
            case ast.UnaryOp(op=ast.UAdd()):
                return self.number(node.operand, depth)
            case ast.UnaryOp(op=ast.USub()):
                return ("negative", self.number(node.operand, depth))
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                return self.arithmetic(_ARITHMETIC[type(node.op)], node, depth)
            case ast.BoolOp():
                op = "and" if isinstance(node.op, ast.And) else "or"
                return (op, *(self.require(self.tree(part, depth + 1), True) for part in node.values))
            case ast.Compare():
                return self.comparison(node, depth)
            case ast.Call():
                return self.call(node, depth)
        raise self.fail("expression cannot be read")

    def constant(self, value: object) -> float:
        try:
            number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else np.nan
        except OverflowError:  # a whole number of hundreds of digits
            number = np.inf
        if not np.isfinite(number):
            raise self.fail("the number must be finite")
        return number

    def name(self, name: str) -> str:
        if name in FUNCTIONS:
            raise self.fail(f"{name} is a function", remedy=f"Write {name}(…).")
        if name not in self.names:
            allowed = ", ".join(self.names) or "no names"
            raise self.fail(f"unknown name {name!r}", allowed=f"{allowed} here", remedy=closest(name, self.names))
        return name

    def arithmetic(self, op: str, node: ast.BinOp, depth: int) -> Tree:
        left, right = self.number(node.left, depth), self.number(node.right, depth)
        if op == "/" and right == 0.0:
            raise self.fail("an expression must not divide by zero")
        return (op, left, right)

    def comparison(self, node: ast.Compare, depth: int) -> Tree:
        sides = [self.number(side, depth) for side in (node.left, *node.comparators)]
        if any(type(op) not in _COMPARE for op in node.ops):
            raise self.fail("expression cannot be read")
        pairs = [(_COMPARE[type(op)], a, b) for op, a, b in zip(node.ops, sides, sides[1:], strict=False)]
        return pairs[0] if len(pairs) == 1 else ("and", *pairs)

    def call(self, node: ast.Call, depth: int) -> Tree:
        name = node.func.id[2:] if isinstance(node.func, ast.Name) else ""
        if name not in FUNCTIONS or node.keywords:
            raise self.fail("unknown function", got=name or self.text, allowed=", ".join(FUNCTIONS))
        many = name in ("min", "max")
        if (len(node.args) < 2) if many else (len(node.args) != 1):
            raise self.fail(f"{name} has {len(node.args)} arguments", allowed="two or more" if many else "one")
        return (name, *(self.number(part, depth) for part in node.args))


def _is_truth(tree: Tree) -> bool:
    return isinstance(tree, tuple) and tree[0] in _TRUTHS


def parts_in(tree: Tree) -> Iterator[Tree]:
    """Yield a tree and all trees in it."""
    yield tree
    if isinstance(tree, tuple):
        for part in tree[1:]:
            yield from parts_in(part)


def names_in(tree: Tree) -> set[str]:
    """Return the names that an expression uses."""
    return {part for part in parts_in(tree) if isinstance(part, str)}


def _whole(power: Tree) -> bool:
    return isinstance(power, float) and power.is_integer() and 1.0 <= power <= _WHOLE


def write(tree: Tree, names: Mapping[str, str]) -> str:
    """Return an expression as code, names replaced; functions are those of `automaton_kernels` and math."""
    if isinstance(tree, float):
        return repr(tree)
    if isinstance(tree, str):
        return names[tree]
    op, *parts = tree
    if op == "**" and _whole(parts[1]):
        return f"power({write(parts[0], names)}, {int(parts[1])})"
    terms = [write(part, names) for part in parts]
    if op in ("negative", "not"):
        return f"({'-' if op == 'negative' else 'not '}{terms[0]})"
    if op in ("min", "max"):
        name, nested = {"min": "lesser", "max": "greater"}[op], terms[0]
        for one in terms[1:]:
            nested = f"{name}({nested}, {one})"
        return nested
    if op == "**":
        return f"math.pow({terms[0]}, {terms[1]})"
    if op in ("sqrt", "exp"):
        return f"math.{op}({terms[0]})"
    if op in FUNCTIONS:
        return f"{op}({terms[0]})"
    return "(" + f" {op} ".join(terms) + ")"


def evaluate(tree: Tree, values: Mapping[str, Any]) -> np.ndarray:
    """Return the numbers of an expression of numbers or arrays; what has none is nan or infinite."""
    with np.errstate(all="ignore"):
        return _evaluate(tree, values)


def _evaluate(tree: Tree, values: Mapping[str, Any]) -> np.ndarray:
    if not isinstance(tree, tuple):
        return np.asarray(values[tree] if isinstance(tree, str) else tree, float)
    op, *parts = tree
    terms = [_evaluate(part, values) for part in parts]
    if op == "**" and _whole(parts[1]):
        found = terms[0]
        for _ in range(int(parts[1]) - 1):
            found = found * terms[0]
        return found
    return np.asarray(_NUMPY[op](*terms), float)


_NUMPY: dict[str, Any] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
    "negative": np.negative,
    "min": lambda *parts: np.minimum.reduce(np.broadcast_arrays(*parts)),
    "max": lambda *parts: np.maximum.reduce(np.broadcast_arrays(*parts)),
    "abs": np.abs,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "sign": np.sign,
}


def bounds(tree: Tree, ranges: Mapping[str, Range]) -> Range:
    """Return numbers that an expression is never below or above while its names stay in their ranges."""
    with np.errstate(all="ignore"):
        return _bounds(tree, ranges)


def _bounds(tree: Tree, ranges: Mapping[str, Range]) -> Range:
    if isinstance(tree, float):
        return np.asarray(tree), np.asarray(tree)
    if isinstance(tree, str):
        return ranges[tree]
    op, *parts = tree
    terms = [_bounds(part, ranges) for part in parts]
    low, high = terms[0]
    if op == "+":
        return _hull(low + terms[1][0], high + terms[1][1])
    if op == "-":
        return _hull(low - terms[1][1], high - terms[1][0])
    if op == "negative":
        return -high, -low
    if op == "*":  # nothing times an infinite bound is nothing: the bound itself is never reached
        return _hull(*(np.where((a == 0) | (b == 0), 0.0, a * b) for a in terms[0] for b in terms[1]))
    if op == "/":
        inside = (terms[1][0] <= 0) & (terms[1][1] >= 0)
        found = _hull(*(np.where((a == 0) | np.isinf(b), 0.0, a / b) for a in terms[0] for b in terms[1]))
        return np.where(inside, -np.inf, found[0]), np.where(inside, np.inf, found[1])
    if op == "**":
        return _power_bounds(parts[1], terms)
    if op == "abs":
        return np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high))), np.maximum(-low, high)
    if op == "sqrt":
        return np.sqrt(np.maximum(low, 0.0)), np.sqrt(np.maximum(high, 0.0))
    return _NUMPY[op](*(a for a, _ in terms)), _NUMPY[op](
        *(b for _, b in terms)
    )  # min, max, exp, sign: all of them rise


def _power_bounds(power: Tree, terms: list[Range]) -> Range:
    (low, high), corners = terms[0], [np.power(a, b) for a in terms[0] for b in terms[1]]
    found = _hull(*corners)
    if _whole(power):
        if float(power) % 2 == 0:  # type: ignore[arg-type]
            return np.where((low <= 0) & (high >= 0), 0.0, found[0]), found[1]
        return found
    above = (low > 0) & ~np.isnan(found[0])
    return np.where(above, found[0], -np.inf), np.where(above, found[1], np.inf)


def _hull(*corners: np.ndarray) -> Range:
    """Return the least and the greatest; where one is nan (∞ − ∞), no bounds."""
    many = np.broadcast_arrays(*corners)
    low, high = np.minimum.reduce(many), np.maximum.reduce(many)
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
