"""Which bones move together: fixed ones, driven ones, and the free bodies."""

from collections.abc import Iterable, Sequence

from motiform.base.errors import InputError
from motiform.motion.bones.names import DISTAL_ROW, METACARPALS, check_bone

__all__ = ["FIXED", "carried_bones", "group_bones"]

FIXED = ("radius", "ulna")


def carried_bones(driver: str, bones: Iterable[str], carried: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the driven bones: the driver and those that move with it.

    By default a bone of the distal row carries the row and the metacarpals, and a metacarpal the metacarpals.
    """
    names = list(bones)
    if driver == "metacarpals":
        found = [name for name in METACARPALS if name in names]
        if not found:
            raise InputError("there are no metacarpals to drive", where="drive", allowed=", ".join(names))
        driver = "metacarpal3" if "metacarpal3" in found else found[0]
    driver = check_bone(driver, [name for name in names if name not in FIXED], "drive")
    if carried is not None:
        also = [check_bone(name, [n for n in names if n not in FIXED], "carried") for name in carried]
    elif driver in METACARPALS:
        also = list(METACARPALS)
    elif driver in DISTAL_ROW:
        also = [*DISTAL_ROW, *METACARPALS]
    else:
        also = []
    return (driver, *(name for name in names if name in also and name != driver))


def group_bones(
    bones: Sequence[str], driven: Sequence[str], fused: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], ...]:
    """Return the bodies: the fixed one, the driven one, then the free ones in the order of the bones."""
    root = {name: name for name in bones}

    def find(name: str) -> str:
        while root[name] != name:
            name = root[name]
        return name

    fixed = [name for name in FIXED if name in bones]
    for group in (fixed, list(driven), *map(list, fused)):
        for name in group[1:]:
            root[find(name)] = find(group[0])
    if find(fixed[0]) == find(driven[0]):
        remedy = "Drive another bone, or fuse fewer."
        raise InputError("the driven bone is fused with the radius", where="fuse", got=driven[0], remedy=remedy)
    order = list(dict.fromkeys([find(fixed[0]), find(driven[0]), *(find(name) for name in bones)]))
    return tuple(tuple(name for name in bones if find(name) == body) for body in order)
