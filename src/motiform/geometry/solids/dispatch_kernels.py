"""The kernels of all kinds of solids by their numbers, written from the register.

Kernels of a kind are in the file of its name with `_kernels`, beside this one: `distance(size, p)` as `foot_kernels`
says, `interval(size, o, d)` as `ray_kernels` says, and `normal(size, p)`, the outward unit normal at a point of the
surface, where that is not the gradient of the distance. `size` are SIZES numbers [m].
"""

# mypy: disable-error-code="no-untyped-def"

from importlib import import_module
from typing import Any

from motiform.base.kernels import inline, routine
from motiform.geometry.solids.foot_kernels import negated
from motiform.geometry.solids.register import REGISTER

__all__ = ["curved_distance", "distance", "interval", "load_size", "normal"]


@inline
def load_size(array, i, first):
    """Return the sizes of a solid that are in row i of an array from column `first` on."""
    return array[i, first], array[i, first + 1], array[i, first + 2], array[i, first + 3]


def _gradient(distance: Any) -> Any:
    def normal(size, p):
        return distance(size, p)[1]

    return inline(normal)


def _functions(name: str) -> dict[int, Any]:
    """Return the functions of that name of the kinds that have one, by their numbers."""
    found = {}
    for number, line in enumerate(REGISTER):
        if line.ray if name in ("interval", "normal") else line.distance:
            module = import_module(f"{__package__}.{line.solid.kind}_kernels")
            found[number] = getattr(module, name, None) or _gradient(module.distance)
    return found


def _choice(name: str, arguments: str) -> Any:
    """Return a function of a kind's number and the arguments that calls the function of that kind."""
    functions = _functions(name)
    *others, last = functions
    lines = [f"def {name}(kind, {arguments}):"]
    lines += [f"    if kind == {n}:\n        return kind_{n}({arguments})" for n in others]
    lines += [f"    return kind_{last}({arguments})\n"]
    space = {"__name__": __name__, **{f"kind_{n}": function for n, function in functions.items()}}
    exec(compile("\n".join(lines), __file__, "exec"), space)
    return space[name]


_distance = inline(_choice("distance", "size, p"))
interval = routine(_choice("interval", "size, o, d"))
normal = routine(_choice("normal", "size, p"))


@routine
def curved_distance(kind, size, p):
    """Return (d, n, h, region) at a point of the solid's frame, see `foot_kernels`.

    A kind below 0 is that of a hollow shape, −1 − the shape's number. A ball of radius r touches where d = r.
    """
    found = _distance(kind if kind >= 0 else -1 - kind, size, p)
    return negated(found) if kind < 0 else found


@inline
def distance(kind, size, p):
    """Return (d, n) at a point of the solid's frame."""
    d, n, _, _ = _distance(kind, size, p)
    return d, n
