"""Expressions in tables: "-q5", "L3/2", "0.1 + q2". Parsed here, never executed as code."""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from motiform.base.errors import InputError, closest

__all__ = ["Value", "evaluate"]

_LONGEST = 400  # characters; a person types it
_DEEPEST = 30  # parentheses within parentheses

_TOKEN = re.compile(r"\s*(?:((?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?)|([A-Za-z_]\w*)(?:\[(\d+)\])?|([-+*/()−]))")


@dataclass(frozen=True)
class Value:
    """constant + factor × coordinate."""

    constant: float
    coordinate: str | None = None
    factor: float = 0.0


def evaluate(text: str, where: str, constants: Mapping[str, float], coordinates: Collection[str] | None) -> Value:
    """Return the value of an expression of numbers, named constants, `pi` and at most one coordinate.

    Without `coordinates` every name that begins with q and is no constant is one.
    """
    return _Expression(text, where, constants, coordinates).value()


class _Expression:
    """Sums of products, by the usual grammar: sum = term (± term)*, term = factor (*/ factor)*."""

    def __init__(
        self, text: str, where: str, constants: Mapping[str, float], coordinates: Collection[str] | None
    ) -> None:
        self.text, self.where, self.constants, self.coordinates = text, where, constants, coordinates
        self.tokens, self.at = self._tokens(), 0
        if self.tokens.count("(") > _DEEPEST:
            raise self._wrong("too many parentheses")

    def value(self) -> Value:
        value = self._sum()
        if self.at < len(self.tokens):
            raise self._wrong(f"unexpected {self.tokens[self.at]!r}")
        if not math.isfinite(value.constant) or not math.isfinite(value.factor):
            raise self._wrong("the value overflows")
        return value if value.factor else Value(value.constant)

    def _tokens(self) -> list[str]:
        found, at, text = [], 0, self.text.rstrip()
        while at < len(text) and len(text) <= _LONGEST:
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._wrong(f"unexpected {text[at:].strip()[0]!r}")
            found.append((match[1] or match[4] or match[2] + (match[3] or "")).replace("−", "-"))
            at = match.end()
        if not found:
            raise self._wrong("an empty text" if len(text) <= _LONGEST else "a text too long")
        return found

    def _next(self, *options: str) -> str | None:
        if self.at < len(self.tokens) and (not options or self.tokens[self.at] in options):
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def _sum(self) -> Value:
        left = self._term()
        while sign := self._next("+", "-"):
            right = self._term()
            left = self._added(left, right, 1.0 if sign == "+" else -1.0)
        return left

    def _added(self, a: Value, b: Value, sign: float) -> Value:
        if a.coordinate and b.coordinate and a.coordinate != b.coordinate:
            raise self._wrong("two coordinates in one parameter")
        return Value(a.constant + sign * b.constant, a.coordinate or b.coordinate, a.factor + sign * b.factor)

    def _term(self) -> Value:
        left = self._factor()
        while operator := self._next("*", "/"):
            right = self._factor()
            if operator == "/":
                if right.coordinate or right.constant == 0.0:
                    raise self._wrong("a division by zero or by a coordinate")
                left = Value(left.constant / right.constant, left.coordinate, left.factor / right.constant)
                continue
            if left.coordinate and right.coordinate:
                raise self._wrong("a product of coordinates")
            a, b = (left, right) if right.coordinate is None else (right, left)
            left = Value(a.constant * b.constant, a.coordinate, a.factor * b.constant)
        return left

    def _factor(self) -> Value:
        negative = False
        while sign := self._next("+", "-"):
            negative ^= sign == "-"
        value = self._atom()
        return Value(-value.constant, value.coordinate, -value.factor) if negative else value

    def _atom(self) -> Value:
        token = self._next()
        if token == "(":
            value = self._sum()
            if not self._next(")"):
                raise self._wrong("a parenthesis is not closed")
            return value
        if token is None or token in "*/)":
            raise self._wrong("the text ends too early" if token is None else f"unexpected {token!r}")
        return Value(float(token)) if token[0] in ".0123456789" else self._named(token)

    def _named(self, name: str) -> Value:
        if name in self.constants:
            return Value(self.constants[name])
        if name in (self.coordinates or ()) or (self.coordinates is None and name.startswith("q")):
            return Value(0.0, name, 1.0)
        if name == "pi":
            return Value(math.pi)
        known = [*self.constants, *(self.coordinates or ()), "pi"]
        raise InputError(
            f"unknown name {name!r}", where=self.where, got=self.text, allowed="names of lengths and coordinates, pi",
            remedy=closest(name, known),
        )  # fmt: skip

    def _wrong(self, problem: str) -> InputError:
        return InputError(
            f"the expression cannot be read: {problem}", where=self.where, got=self.text[:80],
            allowed='such as "-q5", "L3/2 + q2"',
        )  # fmt: skip
