"""Print what of requirements.lock some packages need, with its checksums: `locked.py '.[dev,docs]'`, `locked.py uv`.

`.` is motiform with what builds it. The lock says of each package what needs it (`# via`); all versions of a package
are printed, with their markers. With this pip and uv install nothing that the lock does not hold (`--require-hashes`).
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def name_of(requirement: str) -> str:
    """Return the name that a requirement begins with, as PyPI compares names."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement.strip())[0]).lower()


def read_lock(text: str) -> list[tuple[str, str, set[str]]]:
    """Return the entries of a lock: name, text, and the names of what needs it."""
    found = []
    for entry in re.split(r"\n(?=[\w])", text):
        if entry.strip():
            needed_by = re.findall(r"#(?: +via)? +([\w.-]+)", entry) + re.findall(r", ([\w.-]+)", entry)
            found.append((name_of(entry), entry, {name_of(one) for one in needed_by}))
    return found


def extras_of(what: str) -> set[str]:
    """Return the extras that a requirement names: `motiform[ct,usd]`, `.[dev]`."""
    found = re.search(r"\[(.*)\]", what)
    return set(found[1].split(",")) if found else set()


def direct(what: str) -> set[str]:
    """Return the names that something asks for: a package, or motiform with some extras."""
    if not what.startswith("."):
        return {name_of(what)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {"build", *extras_of(what)}
    groups = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in wanted)]
    asked = {one for group in groups for one in group}
    others = {extra for one in asked if name_of(one) == "motiform" for extra in extras_of(one)} - wanted
    plain = {name_of(one) for one in asked if name_of(one) != "motiform"}
    return plain | direct(f".[{','.join(others)}]") if others else plain


def needed(names: set[str], lock: list[tuple[str, str, set[str]]]) -> set[str]:
    """Return the names, and those that they need, near or far."""
    found, before = set(names), set()
    while found != before:
        before = set(found)
        found |= {name for name, _, needed_by in lock if needed_by & found}
    return found


if __name__ == "__main__":
    lock = read_lock((ROOT / "requirements.lock").read_text("utf-8"))
    names = needed({name for what in sys.argv[1:] for name in direct(what)}, lock)
    missing = names - {name for name, _, _ in lock}
    if missing:
        sys.exit(f"requirements.lock lacks {', '.join(sorted(missing))}: run `make lock`")
    print("\n".join(entry for name, entry, _ in lock if name in names))
