"""How Numba compiles kernels: once, with all that they call.

By default Numba optimises every function on its own, turns it into machine code, and does both again inside each
function that calls it; ``parallel=True`` compiles a loop's body three times more. Kernels call hundreds of small
functions that Python never calls. Here these stay LLVM IR until a kernel takes them in, and one loop, which calls
Numba's threading layer itself, serves one thread and many. This halves the time of a first use.

It takes parts of Numba that are not public: `numba_versions.KNOWN` are the versions that have them, `plain_compiling`
serves others.
"""

import ctypes
from typing import Any

from llvmlite import ir
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import cgutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering
from numba.extending import intrinsic
from numba.np.ufunc.parallel import _launch_threads

__all__ = ["CalleeCompiler", "TopCompiler", "launch_threads", "spread_over"]

_BYTES = ir.IntType(8).as_pointer()
_WORD = ir.IntType(64)


class _CalleeLibrary(JITCodeLibrary):
    """The IR of one function that only compiled code calls: neither optimised nor turned into machine code."""

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the function together with all that it calls, near or far."""
        if self._whole is None:
            self._whole = self._alone().clone()
            # Callers first: LLVM takes in a function of this linkage only where something refers to it already.
            for library in reversed(self._called({})):
                if hasattr(library, "_reload_init"):  # of Numba 0.63 and later
                    self._reload_init.update(library._reload_init)
                part = library._alone() if isinstance(library, _CalleeLibrary) else library._get_module_for_linking()
                self._whole.link_in(part, preserve=True)
        return self._whole

    _whole: Any = None

    def _alone(self) -> Any:
        return super()._get_module_for_linking()

    def _called(self, found: dict[Any, None]) -> dict[Any, None]:
        """Return the libraries that this one calls, near or far, each after all that it calls itself."""
        for library in self._linking_libraries:
            if library not in found:
                if isinstance(library, _CalleeLibrary):
                    library._called(found)
                found[library] = None
        return found


class _TopLibrary(JITCodeLibrary):
    """The machine code of a function that Python calls, optimised once."""

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()
        with self._recorded_timings.record("Module passes", builder):
            passes.run(self._final_module, builder)
        missing = [f.name for f in self._final_module.functions if f.is_declaration and f.name.startswith("_ZN")]
        if missing:  # a call of it would jump to address 0
            raise RuntimeError(f"{self.name}: the compiled module lacks {missing[0]}")


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerCallee(NativeLowering):
    _name = "motiform_lower_callee"

    def run_pass(self, state: Any) -> bool:
        context, name = state.targetctx, state.func_id.func_qualname
        state.library = _CalleeLibrary(context.codegen(), name)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        # What stands for its machine code sets a TypeError when Python calls it.
        refuse = ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value
        nothing = _dynfunc.make_function(lowered.fndesc.lookup_module(), name, "", refuse, lowered.env, ())
        context.insert_user_function(nothing, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=nothing)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerTop(NativeLowering):
    _name = "motiform_lower_top"

    def run_pass(self, state: Any) -> bool:
        state.library = _TopLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


class _Compiler(CompilerBase):
    """Numba's own passes but for the last, the making of LLVM IR and machine code."""

    lowering: type

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self.lowering if kind is NativeLowering else kind, why) for kind, why in passes.passes]
        passes.finalize()
        return [passes]


class CalleeCompiler(_Compiler):
    """For functions that only compiled code calls."""

    lowering = _LowerCallee


class TopCompiler(_Compiler):
    """For functions that Python calls."""

    lowering = _LowerTop


def launch_threads() -> None:
    """Start the threads that loops run on, which compiled code refers to by name."""
    _launch_threads()


def spread_over(piece: Any) -> Any:
    """Return a function for compiled code that runs parts of a loop on as many threads.

    ``spread(count, parts, arguments)`` calls ``piece(first, last, count, parts, arguments)`` so that each of the parts
    0 … parts − 1 is in one range [first, last). One part runs on the calling thread.
    """

    @intrinsic
    def spread(typing: Any, count: Any, parts: Any, arguments: Any) -> Any:
        given = (types.intp, types.intp, types.intp, types.intp, arguments)
        piece.compile(given)

        def generate(context: Any, builder: Any, signature: Any, values: list[Any]) -> Any:
            kept = cgutils.alloca_once_value(builder, cgutils.pack_struct(builder, values))
            part = _part(context, builder, piece.overloads[given], given, kept.type)
            place = cgutils.alloca_once_value(builder, ir.Constant(_BYTES, None))
            size = cgutils.alloca_once_value(builder, values[1])
            step = cgutils.alloca_once_value(builder, ir.Constant(_WORD, 1))  # places are numbers of parts
            alone = builder.icmp_signed("<=", values[1], ir.Constant(_WORD, 1))
            with builder.if_else(alone) as (then, otherwise):
                with then:
                    builder.call(part, [place, size, step, builder.bitcast(kept, _BYTES)])
                with otherwise:
                    raw = [builder.bitcast(pointer, _BYTES) for pointer in (part, place, size, step, kept)]
                    form = ir.FunctionType(ir.VoidType(), [_BYTES] * 5 + [_WORD] * 3)
                    run = cgutils.get_or_insert_function(builder.module, form, "numba_parallel_for")
                    builder.call(run, [*raw, ir.Constant(_WORD, 0), ir.Constant(_WORD, 1), values[1]])
            return context.get_dummy_value()

        return types.void(types.intp, types.intp, arguments), generate

    return spread


def _part(context: Any, builder: Any, piece: Any, given: tuple[Any, ...], kept_type: Any) -> Any:
    """Return the function that the threading layer calls: (places, sizes, steps, data) as for a generalised ufunc."""
    context.active_code_library.add_linking_library(piece.library)
    form = ir.FunctionType(ir.VoidType(), [_BYTES.as_pointer(), _WORD.as_pointer(), _WORD.as_pointer(), _BYTES])
    part = ir.Function(builder.module, form, builder.module.get_unique_name("motiform_part"))
    part.linkage = "internal"
    inner = ir.IRBuilder(part.append_basic_block())
    places, sizes, _, data = part.args
    first = inner.ptrtoint(inner.load(places), _WORD)
    last = inner.add(first, inner.load(sizes))
    fields = inner.load(inner.bitcast(data, kept_type))
    values = [first, last, *(inner.extract_value(fields, k) for k in range(3))]
    context.call_internal_no_propagate(inner, piece.fndesc, types.void(*given), values)
    inner.ret_void()
    return part
