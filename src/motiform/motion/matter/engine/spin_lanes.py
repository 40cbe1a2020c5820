"""Two pairs of balls at a time, in vector registers of two numbers.

Numbers of a ball lie side by side, numbers of one kind lie side by side on the desk: LLVM takes them over one by one.
Here two numbers of two pairs are loaded, exchanged across and stored at a time, which halves the loads and stores.
Results are those of the plain loops, bit by bit.
"""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

__all__ = ["add_to_ends", "lay_differences", "lay_totals"]

_intrinsic: Any = intrinsic  # callers leave out its first argument
_TWO = ir.VectorType(ir.DoubleType(), 2)
_LANES = ir.VectorType(ir.IntType(32), 2)


class _Numbers:
    """An array as compiled code sees it, two neighbours at a time."""

    def __init__(self, context: Any, builder: ir.IRBuilder, kind: types.Array, array: ir.Value) -> None:
        self._builder, self._data = builder, context.make_array(kind)(context, builder, array).data

    def load(self, at: ir.Value) -> ir.Value:
        return self._builder.load(self._place(at), align=8)

    def store(self, at: ir.Value, two: ir.Value) -> None:
        self._builder.store(two, self._place(at), align=8)

    def _place(self, at: ir.Value) -> ir.Value:
        return self._builder.bitcast(self._builder.gep(self._data, [at]), _TWO.as_pointer())


def _across(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return (a₀, b₀) and (a₁, b₁)."""
    first, second = (builder.shuffle_vector(a, b, ir.Constant(_LANES, lanes)) for lanes in ([0, 2], [1, 3]))
    return first, second


def _laying(name: str) -> Any:
    """Return the function that lays differences (`fsub`) or totals (`fadd`) of two numbers of the ends of two pairs."""

    @_intrinsic
    def lay(typing: Any, desk: Any, at: Any, apart: Any, balls: Any, i: Any, j: Any, k: Any, l: Any) -> Any:
        def build(context: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> ir.Value:
            desk, at, apart, balls, *ends = values
            source = _Numbers(context, builder, signature.args[3], balls)
            i, j, k, l = (source.load(end) for end in ends)
            first, second = _across(builder, getattr(builder, name)(j, i), getattr(builder, name)(l, k))
            table = _Numbers(context, builder, signature.args[0], desk)
            table.store(at, first)
            table.store(builder.add(at, apart), second)
            return context.get_dummy_value()

        return types.void(desk, at, apart, balls, i, j, k, l), build

    return lay


lay_differences = _laying("fsub")
"""lay_differences(desk, at, apart, balls, i, j, k, l): numbers at j less those at i, and those at l less those at k.

The first number of either pair goes to `at` and behind it, the second so far apart.
"""
lay_totals = _laying("fadd")
"""Like `lay_differences`, with sums."""


@_intrinsic
def add_to_ends(
    typing: Any, desk: Any, force: Any, first: Any, second: Any, apart: Any, sums: Any, i: Any, j: Any, k: Any, l: Any
) -> Any:
    """Add forces and first torques of two pairs to the sums at i and k, −forces and second torques to those at j and l.

    Axes are so far apart on the desk, and lie side by side in the sums.
    """

    def build(context: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> ir.Value:
        desk, force, first, second, apart, sums, *ends = values
        table = _Numbers(context, builder, signature.args[0], desk)
        target = _Numbers(context, builder, signature.args[5], sums)

        def rows(at: ir.Value) -> list[ir.Value]:
            found = [at, builder.add(at, apart)]
            return [table.load(row) for row in (*found, builder.add(found[1], apart))]

        def by_pair(numbers: list[ir.Value]) -> list[tuple[ir.Value, ir.Value]]:
            return [_across(builder, a, b) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]

        forces = rows(force)
        acts = by_pair([*forces, *rows(first)])
        reacts = by_pair([*(builder.fneg(f) for f in forces), *rows(second)])
        for pair in range(2):
            for at, twos in zip(ends[2 * pair : 2 * pair + 2], (acts, reacts), strict=True):
                for n, two in enumerate(twos):
                    place = builder.add(at, ir.Constant(at.type, 2 * n))
                    target.store(place, builder.fadd(target.load(place), two[pair]))
        return context.get_dummy_value()

    return types.void(desk, force, first, second, apart, sums, i, j, k, l), build
