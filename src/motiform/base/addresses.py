"""Compiled functions called by their address: a loop that calls what it is given is compiled once for all of them."""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from motiform.base.kernels import CompiledEntry, native_type

__all__ = ["address_of", "call_address"]


def address_of(entry: CompiledEntry) -> int:
    """Return the address of the machine code of a compiled entry."""
    made = entry.compiled
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))


def call_address(result: str, *arguments: str | type) -> Any:
    """Return a function for compiled code: ``call(address, *arguments)`` calls what stands there.

    The caller vouches that it is an entry with this result and these arguments, which are given as for `typed_entry`.
    """
    answer, given = native_type(result), tuple(native_type(kind) for kind in arguments)

    @intrinsic
    def call(typing: Any, address: Any, values: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, numbers: list[Any]) -> Any:
            convention = context.call_conv
            form = convention.get_function_type(answer, given)
            function = builder.inttoptr(numbers[0], form.as_pointer())
            found = cgutils.alloca_once(builder, context.get_value_type(answer))
            reason = cgutils.alloca_once(builder, ir.IntType(8).as_pointer())
            parts = [builder.extract_value(numbers[1], k) for k in range(len(given))]
            where = builder.bitcast(reason, form.args[1])
            builder.call(function, [found, where, *context.get_arg_packer(given).as_arguments(builder, parts)])
            return builder.load(found)

        return answer(types.int64, types.Tuple(given)), generate

    return call
