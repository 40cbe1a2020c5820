"""Constraints: arithmetic and comparisons of parameters that a case must obey; parsed, never evaluated as Python."""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from motiform.base.errors import InputError, closest

__all__ = ["CaseConstraint", "parse_constraint"]

_LONGEST = 1000  # characters
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
_COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
_UNARY: dict[type, Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs, "min": min, "max": max, "sqrt": math.sqrt, "log": math.log, "exp": math.exp,
}  # fmt: skip
_ALLOWED = "numbers, text, parameters, + - * / % **, comparisons, and, or, not, " + ", ".join(_FUNCTIONS)


@dataclass(frozen=True)
class CaseConstraint:
    """An expression over parameters, such as ``motion.step < 0.1 * scene.duration``."""

    text: str
    _tree: ast.expr
    _paths: Mapping[str, str]
    """Parameters by the names that stand for them in the tree."""

    def holds(self, settings: Mapping[str, Any]) -> bool:
        """Tell whether a case obeys it."""
        values = {name: _number(settings[path]) for name, path in self._paths.items()}
        try:
            return bool(_value(self._tree, values))
        except (ArithmeticError, ValueError, TypeError) as error:
            used = ", ".join(f"{path} = {settings[path]!r}" for path in self._paths.values())
            raise InputError(f"the constraint cannot be evaluated: {error}", where=f"constraint {self.text!r}",
                             got=used) from error  # fmt: skip


def parse_constraint(text: str, parameters: Sequence[str]) -> CaseConstraint:
    """Return the constraint that a text states over parameters, which are named by their paths."""
    where = f"constraint {str(text)[:80]!r}"
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise InputError("a constraint must be a text", where=where, allowed=f"up to {_LONGEST} characters")
    paths: dict[str, str] = {}
    named = text
    for n, path in enumerate(sorted(parameters, key=len, reverse=True)):  # a path may have hyphens in it
        found = re.sub(rf"(?<![\w.]){re.escape(path)}(?![\w.])", f"p{n}_", named)
        if found != named:
            named, paths[f"p{n}_"] = found, path
    try:
        tree = ast.parse(named.strip(), mode="eval").body
        _check(tree, paths, parameters, where)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("the constraint must be an expression", where=where, allowed=_ALLOWED) from error
    return CaseConstraint(text, tree, paths)


def _check(node: ast.AST, names: Mapping[str, str], parameters: Sequence[str], where: str) -> None:
    """Refuse all that is not arithmetic, comparison or a parameter."""
    if isinstance(node, ast.Name | ast.Attribute):
        path = ast.unparse(node)
        if path not in names:
            raise InputError("a constraint must name parameters of the study", where=where, got=path,
                             allowed=", ".join(parameters), remedy=closest(path, parameters))  # fmt: skip
        return
    known = (
        (isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str))
        or (isinstance(node, ast.BinOp) and type(node.op) in _BINARY)
        or (isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY)
        or (isinstance(node, ast.Compare) and all(type(op) in _COMPARE for op in node.ops))
        or isinstance(node, ast.BoolOp)
        or (isinstance(node, ast.Call) and getattr(node.func, "id", "") in _FUNCTIONS and not node.keywords)
    )
    if not known:
        raise InputError("a constraint must be arithmetic", where=where, got=type(node).__name__, allowed=_ALLOWED)
    parts = node.args if isinstance(node, ast.Call) else [*ast.iter_child_nodes(node)]
    for part in parts:
        if isinstance(part, ast.expr):
            _check(part, names, parameters, where)


def _number(value: Any) -> Any:
    """Return numbers as floats: a power of whole numbers could fill the memory."""
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return _number(node.value)
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp):
        return _UNARY[type(node.op)](_value(node.operand, values))
    if isinstance(node, ast.BoolOp):
        enough = any if isinstance(node.op, ast.Or) else all
        return enough(_value(part, values) for part in node.values)
    if isinstance(node, ast.Compare):
        parts = [_value(part, values) for part in (node.left, *node.comparators)]
        pairs = zip(node.ops, parts, parts[1:], strict=False)
        return all(_COMPARE[type(op)](a, b) for op, a, b in pairs)
    if isinstance(node, ast.Call):
        return _FUNCTIONS[node.func.id](*(_value(part, values) for part in node.args))  # type: ignore[attr-defined]
    assert isinstance(node, ast.BinOp)
    left, right = _value(node.left, values), _value(node.right, values)
    if isinstance(left, str) or isinstance(right, str):
        raise TypeError("text has no arithmetic")
    return _BINARY[type(node.op)](left, right)
