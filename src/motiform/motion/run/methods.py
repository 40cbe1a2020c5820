"""The integrators by name, with what each of them keeps."""

from dataclasses import dataclass

from motiform.base.errors import InputError, closest

__all__ = ["BODY_METHODS", "METHODS", "Method", "get_method"]


@dataclass(frozen=True)
class Method:
    """An integrator as a person chooses it."""

    name: str
    order: int
    adaptive: bool
    conserves: frozenset[str]
    """What a step keeps to rounding, of: "momentum" and "angular_momentum" of all bodies together (nothing acts from
    outside, springs between them may), "free_angular_momentum" of a body on which nothing acts, "energy" (forces with
    a potential that is linear or a spring), "orthogonality" (rotations stay rotations)."""
    text: str


_LINEAR = frozenset({"momentum", "free_angular_momentum"})  # kept by every Runge–Kutta method: linear in the state
_MOMENTA = _LINEAR | {"angular_momentum"}
METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("euler", 1, False, _LINEAR, "explicit Euler as in the course: energy grows, rotations swell"),
        Method(
            "symplectic-euler",
            1,
            False,
            _MOMENTA | {"orthogonality"},
            "kick, then variational drift on the group: energy stays near for ever",
        ),
        Method("rk4", 4, False, _LINEAR | {"orthogonality"}, "classical Runge–Kutta, rotations repaired each step"),
        Method(
            "lie-midpoint",
            2,
            False,
            _MOMENTA | {"energy", "orthogonality"},
            "energy–momentum step on the group: implicit midpoint with the Cayley map",
        ),
        Method("cash-karp", 5, True, _LINEAR | {"orthogonality"}, "adaptive 5(4), step from the error of each number"),
        Method(
            "dormand-prince", 5, True, _LINEAR | {"orthogonality"}, "adaptive 5(4) with dense output and located events"
        ),
        Method(
            "time-stepping",
            1,
            False,
            frozenset({"orthogonality"}),
            "for contacts: all that happens within a step is solved together as impulses at its end",
        ),
        Method(
            "centred",
            1,
            False,
            frozenset({"momentum"}),
            "for networks: centred acceleration, velocity of the step before [Habibi97 1.2, 1.3]",
        ),
    )
}


BODY_METHODS = tuple(name for name in METHODS if name not in ("time-stepping", "centred"))
"""Names of the integrators that take bodies without contacts."""


def get_method(name: str) -> Method:
    """Return the integrator of that name."""
    if name not in METHODS:
        raise InputError("unknown integrator", got=name, allowed=", ".join(METHODS), remedy=closest(name, METHODS))
    return METHODS[name]
