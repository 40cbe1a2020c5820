"""The versions of Numba whose parts that are not public `compiling` and `machine_code` rely on."""

import re

__all__ = ["KNOWN", "is_known"]

#: The first known version, and the first that is not; the requirement in pyproject.toml is the same.
KNOWN = ((0, 62), (0, 69))


def is_known(version: str) -> bool:
    """Whether a version is one of those."""
    first, beyond = KNOWN
    return first <= tuple(map(int, re.findall(r"\d+", version)[:2])) < beyond
