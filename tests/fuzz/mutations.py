"""Changes of files and values, drawn from a seed: the same number gives the same case."""

import math
import random
import re
import string

ODD_NUMBERS = (
    *("nan", "inf", "-inf", "0", "-0.0", "-1", "1", "1e308", "-1e308", "1e-308", "5e-324", "1e160", "1e-160", "1e999"),
    *("2147483648", "-9223372036854775809", "1" + "0" * 400, "9" * 5000, "0x10", "1,5", "1_000", "½", "٣"),
)
ODD_TEXTS = (
    "",
    " ",
    "\0",
    "../../x",
    "/etc/passwd",
    "a" * 300,
    "<img src=x>",
    "$a$",
    "%s%n",
    "{}",
    "[]",
    "\ud7ff",
    "é" * 200,
)
ODD_VALUES = (
    None, True, False, 0, -1, 1, 10**30, 0.5, -0.0, 1e308, 5e-324, math.nan, math.inf, -math.inf, "", "x", "nan",
    "../x", b"x", [], {}, [[]], [0], [1, 2, 3], [math.nan] * 3, [1e200] * 3, ["a"], [None], {"a": 1}, {"static": "x"},
    [[1, 2], [3]], (), object(),
)  # fmt: skip
NUMBER = re.compile(rb"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
TAG = re.compile(rb"<[^<>]+>")


def mutate_bytes(data: bytes, draw: random.Random) -> bytes:
    """Change a file at a few places."""
    for _ in range(draw.choice((1, 1, 1, 2, 4, 8))):
        data = draw.choice(_BYTES)(data, draw)
    return data


def _flip(data: bytes, draw: random.Random) -> bytes:
    if not data:
        return data
    k = draw.randrange(len(data))
    return data[:k] + bytes([data[k] ^ 1 << draw.randrange(8)]) + data[k + 1 :]


def _byte(data: bytes, draw: random.Random) -> bytes:
    if not data:
        return data
    k = draw.randrange(len(data))
    return data[:k] + bytes([draw.choice((0, 1, 127, 128, 255, draw.randrange(256)))]) + data[k + 1 :]


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _drop(data: bytes, draw: random.Random) -> bytes:
    k = draw.randrange(len(data) + 1)
    return data[:k] + data[k + draw.choice((1, 2, 4, 16, 200)) :]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    k, n = draw.randrange(len(data) + 1), draw.choice((1, 8, 100, 1000))
    return data[:k] + data[k : k + n] * draw.choice((1, 2, 20)) + data[k:]


def _insert(data: bytes, draw: random.Random) -> bytes:
    k = draw.randrange(len(data) + 1)
    return data[:k] + draw.choice(ODD_TEXTS).encode("utf-8", "surrogatepass") + data[k:]


def _number(data: bytes, draw: random.Random) -> bytes:
    found = list(NUMBER.finditer(data))
    if not found:
        return _flip(data, draw)
    one = draw.choice(found)
    return data[: one.start()] + draw.choice(ODD_NUMBERS).encode() + data[one.end() :]


def _tag(data: bytes, draw: random.Random) -> bytes:
    found = list(TAG.finditer(data))
    if not found:
        return _drop(data, draw)
    one = draw.choice(found)
    return data[: one.start()] + draw.choice((b"", draw.choice(found)[0], one[0] * 2)) + data[one.end() :]


def _line(data: bytes, draw: random.Random) -> bytes:
    lines = data.split(b"\n")
    k = draw.randrange(len(lines))
    lines[k : k + 1] = draw.choice(([], [lines[k]] * 2, [draw.choice(lines)], [b""]))
    return b"\n".join(lines)


def _word(data: bytes, draw: random.Random) -> bytes:
    words = data.split(b" ")
    words[draw.randrange(len(words))] = "".join(draw.choices(string.printable, k=draw.choice((0, 1, 5)))).encode()
    return b" ".join(words)


_BYTES = (_flip, _byte, _cut, _drop, _repeat, _insert, _number, _number, _number, _tag, _line, _word)


def mutate_value(value: object, draw: random.Random) -> object:
    """Put an odd value at a random place of nested tables and lists, in place; return the whole."""
    if isinstance(value, dict) and value and draw.random() < 0.93:
        key = draw.choice(sorted(value, key=str))
        act = draw.random()
        if act < 0.06:
            del value[key]
        elif act < 0.1:
            value[draw.choice(ODD_TEXTS)] = value.pop(key)
        else:
            value[key] = mutate_value(value[key], draw)
        return value
    if isinstance(value, list) and value and draw.random() < 0.93:
        k = draw.randrange(len(value))
        if draw.random() < 0.08:
            del value[k]
        else:
            value[k] = mutate_value(value[k], draw)
        return value
    return odd_value(draw)


def odd_value(draw: random.Random, *, plain: bool = True) -> object:
    """Return an odd value; a plain one can be kept in a file."""
    kinds = (dict, list, str, int, float, bool, type(None))
    return draw.choice([one for one in ODD_VALUES if not plain or isinstance(one, kinds)])
