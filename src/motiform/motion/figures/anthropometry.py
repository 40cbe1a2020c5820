"""Anthropometric tables: lengths, masses, centres of mass, radii of gyration and landmarks of a body."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from motiform.base.errors import InputError, closest
from motiform.base.toml import parse_toml

__all__ = ["MEASURED_LANDMARKS", "TABLES", "Anthropometry", "find_table"]

Triple = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Anthropometry:
    """A table of proportions; `human36(table=…)` takes any.

    Kinds of segments: lower_trunk, thigh, shank, foot, thorax, shoulder, upper_arm, forearm, hand, head.
    """

    name: str
    height: float
    """Mean height of the bodies measured [m]."""
    mass: float
    """Their mean mass [kg]."""
    lengths: Mapping[str, tuple[float, float]]
    """Length by name, the right one of a pair: (part of the height, metres), added."""
    masses: Mapping[str, float]
    """Mass of a kind of segment [% of the body]; where their sum is not 100 for rounding, they are scaled to it."""
    centers: Mapping[str, float]
    """Centre of mass [% of the segment's length], from the joint that carries it, from the heel for the foot."""
    radii: Mapping[str, Triple]
    """Radii of gyration about the centre of mass, x, y, z [% of the segment's length]."""
    landmarks: Mapping[str, float] = field(default_factory=dict)
    """Places of landmarks [part of the height]."""


_NUMBERS = parse_toml(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _read_table(key: str, like: Anthropometry | None = None) -> Anthropometry:
    """Return a table of the file; lengths, landmarks and means that it does not have are those of another one."""
    found, old = _NUMBERS[key], {} if like is None else vars(like)
    masses, centers, radii = ({kind: row[k] for kind, row in found["segments"].items()} for k in range(3))
    return Anthropometry(
        found["name"], found.get("height", old.get("height")), found.get("mass", old.get("mass")),
        {**old.get("lengths", {}), **{name: tuple(parts) for name, parts in found.get("lengths", {}).items()}},
        masses, centers, {kind: tuple(row) for kind, row in radii.items()},
        {**old.get("landmarks", {}), **found.get("landmarks", {})},
    )  # fmt: skip


DELEVA_MALE = _read_table("deleva-male")
DELEVA_FEMALE = _read_table("deleva-female", DELEVA_MALE)
DEMPSTER = _read_table("dempster-male", DELEVA_MALE)
MEASURED_LANDMARKS: dict[str, tuple[float, ...]] = {k: tuple(v) for k, v in _NUMBERS["measured-landmarks"].items()}
"""Men measured with the markers of motion capture [cm], not a number where nothing was measured."""
TABLES: dict[tuple[str, str], Anthropometry] = {
    ("deleva", "male"): DELEVA_MALE, ("deleva", "female"): DELEVA_FEMALE, ("dempster", "male"): DEMPSTER,
}  # fmt: skip


def find_table(table: str | Anthropometry, sex: str) -> Anthropometry:
    """Return a table by its name and the sex of the bodies, or the table given."""
    if isinstance(table, Anthropometry):
        return table
    names = sorted({name for name, _ in TABLES})
    if table not in names:
        raise InputError(
            "no such anthropometric table", where="human36", got=table,
            allowed=", ".join(names) + ", or an Anthropometry", remedy=closest(str(table), names),
        )  # fmt: skip
    sexes = [s for name, s in TABLES if name == table]
    if sex not in sexes:
        remedy = "Dempster measured men only: use table='deleva'." if sex == "female" else closest(str(sex), sexes)
        raise InputError(
            f"the table {table!r} has no data for this sex", where="human36", got=sex, allowed=", ".join(sexes),
            remedy=remedy,
        )  # fmt: skip
    return TABLES[table, sex]
