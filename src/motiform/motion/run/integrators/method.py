"""What an integrator is: its order, what it conserves, which models it takes."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

__all__ = ["LINEAR", "MOMENTA", "Method", "Tableau", "tableau"]

LINEAR = frozenset({"momentum", "free_angular_momentum"})
"""Conserved by every Runge–Kutta method: they are linear in the state."""
MOMENTA = LINEAR | {"angular_momentum"}


@dataclass(frozen=True)
class Tableau:
    """Coefficients of a Runge–Kutta method.

    Stage s is evaluated at t + c[s] h, y + h Σ_j a[s, j] k_j; the step ends at y + h Σ b[s] k_s; h Σ error[s] k_s
    estimates the error of the step; y + h Σ k_s Σ_p dense[s, p] θ^(p+1) is the solution at t + θ h.
    """

    name: str
    order: int
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    error: np.ndarray | None = None
    dense: np.ndarray | None = None
    norm: Literal["mean", "largest"] = "mean"
    """How the errors of the numbers of a state are put together: root of the mean square, or the largest."""
    implicit: bool = False
    """Whether stages depend on themselves and on later ones."""

    @property
    def stages(self) -> int:
        """Number of evaluations of the rate in a step."""
        return len(self.b)


def tableau(
    name: str,
    order: int,
    rows: list[list[float]],
    b: list[float],
    norm: Literal["mean", "largest"] = "mean",
    **more: list,
) -> Tableau:
    """Return a tableau from the rows of its stages after the first, and b."""
    stages = len(b)
    a = np.zeros((stages, stages))
    for s, row in enumerate(rows, start=1):
        a[s, : len(row)] = row
    arrays = {key: np.array(value, float) for key, value in more.items()}
    return Tableau(name, order, a, np.array(b, float), a.sum(axis=1), norm=norm, **arrays)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Method:
    """An integrator, as selected by name."""

    name: str
    order: int
    adaptive: bool
    conserves: frozenset[str]
    """What a step conserves to rounding, of: "momentum" and "angular_momentum" of all bodies together (nothing acts
    from outside, springs between them may), "free_angular_momentum" of a body on which nothing acts, "energy" (forces
    with a potential that is linear or a spring), "orthogonality" (rotations stay rotations)."""
    models: tuple[str, ...]
    """Kinds of models that it takes, of "bodies", "figure", "contacts", "network", "screen"."""
    text: str
    tableau: Tableau | None = None
    """Of a Runge–Kutta method on flat states."""
