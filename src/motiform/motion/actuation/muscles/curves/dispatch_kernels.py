"""The curves of all muscle models by their numbers, written from the register.

Those of a model are in the file of its `kind` with `_kernels`: `active(f, at, x)`, `passive(f, at, x)`,
`speed(f, at, x, activation)` and `tendon(f, at, x)`, each a value and its slope, read the model's numbers in `f` from
`at` on. `balance(f, at, active, damping, rest)`, where there is one, solves the equilibrium of a fibre for its speed.
"""

# mypy: disable-error-code="no-untyped-def"

from importlib import import_module
from typing import Any

from motiform.base.kernels import CompiledEntry, entry, routine
from motiform.motion.actuation.muscles.curves.register import MODELS

__all__ = ["active", "balance", "curve_values", "passive", "speed", "speed_with_slope", "tendon"]


def _kernels(kind: str) -> Any:
    return import_module(f"{__package__}.{kind}_kernels")


def _curve(kind: str, name: str) -> Any:
    return getattr(_kernels(kind), name)


def _values(name: str, arguments: str, *, sloped: bool = False) -> Any:
    """Return a function of a model's number and the arguments that returns the value of that model's curve.

    With `sloped` it returns the slope, too.
    """
    part, none = ("", "0.0, 0.0") if sloped else ("[0]", "0.0")
    lines = [f"def {name}(model, {arguments}):"]
    lines += [f"    if model == {n}:\n        return {kind}({arguments}){part}" for n, kind in enumerate(MODELS)]
    space = {"__name__": __name__, **{kind: _curve(kind, name) for kind in MODELS}}
    exec(compile("\n".join([*lines, f"    return {none}\n"]), __file__, "exec"), space)
    return routine(space[name])


active = _values("active", "f, at, x")
passive = _values("passive", "f, at, x")
speed = _values("speed", "f, at, x, activation")
tendon = _values("tendon", "f, at, x")
speed_with_slope = _values("speed", "f, at, x, activation", sloped=True)


def _balances() -> Any:
    """Return a function of a model's number that returns whether the model solves for the speed itself, and the speed.

    A model does whose kernels have `balance`; the others' curves are searched.
    """
    own = {n: f"{kind}_balance" for n, kind in enumerate(MODELS) if hasattr(_kernels(kind), "balance")}
    lines = ["def balance(model, f, at, active, damping, rest):"]
    lines += [
        f"    if model == {n}:\n        return True, {name}(f, at, active, damping, rest)" for n, name in own.items()
    ]
    space = {"__name__": __name__} | {f"{kind}_balance": getattr(_kernels(kind), "balance", None) for kind in MODELS}
    exec(compile("\n".join([*lines, "    return False, 0.0\n"]), __file__, "exec"), space)
    made: Any = space["balance"]
    return routine(made)


balance = _balances()


def _filled(kind: str, name: str) -> CompiledEntry:
    """Return a function that writes values and slopes of a curve of one model at many places."""
    activation = ", a[i]" if name == "speed" else ""
    text = (
        f"def {kind}_{name}(f, x, a, values, slopes):\n"
        "    for i in range(x.shape[0]):\n"
        f"        values[i], slopes[i] = curve(f, 0, x[i]{activation})\n"
    )
    space = {"__name__": __name__, "curve": _curve(kind, name)}
    exec(compile(text, __file__, "exec"), space)
    return entry(f"void({', '.join(['float64[::1]'] * 5)})")(space[f"{kind}_{name}"])


curve_values = {
    (name, kind): _filled(kind, name) for name in ("active", "passive", "speed", "tendon") for kind in MODELS
}
"""By name and kind."""
