"""Files that a model names: in its own folder, or under roots that the caller gives."""

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from motiform.base.errors import InputError
from motiform.motion.tree.read.elements import Element

__all__ = ["Folders"]

_SCHEMES = ("package://", "model://")
_MOST = 100_000  # folders below the roots that are looked through for the name of a package


class Folders:
    """Where the files of a model may lie. Nothing outside is read.

    ``package://NAME/…`` and ``model://NAME/…`` are looked for in the model's folder with and without NAME, then in each
    root with and without NAME, then in any folder called NAME below the roots.
    """

    def __init__(self, own: Path, roots: Iterable[str | os.PathLike[str]] | str | os.PathLike[str] = ()) -> None:
        given = [roots] if isinstance(roots, str | os.PathLike) else list(roots)
        self.own, self.roots = own, [Path(root) for root in given]
        for root in self.roots:
            if not root.is_dir():
                raise InputError("no such folder", where="roots", got=str(root)[:200], allowed="folders that exist")

    def find(self, name: str, element: Element, base: Path | None = None) -> Path | None:
        """Return the path of a file that an element names, None where there is none; a file elsewhere is an error.

        `base` is the folder that a relative path begins in, the model's own where it is not given.
        """
        try:
            for path in map(Path.resolve, self._places(name, base or self.own)):
                if path.is_file():
                    return self._allowed(path, name, element)
        except (OSError, ValueError, RuntimeError):
            return None
        if not name.startswith(_SCHEMES):
            self._allowed(((base or self.own) / name.removeprefix("file://")).resolve(), name, element)
        return None

    def has(self, place: Path) -> bool:
        """Whether there is such a file in the model's folder or in a root."""
        try:
            return any((base / place).is_file() for base in (self.own, *self.roots))
        except (OSError, ValueError):  # no name that a file can have
            return False

    def _allowed(self, found: Path, name: str, element: Element) -> Path:
        if not any(found.is_relative_to(folder.resolve()) for folder in (self.own, *self.roots)):
            raise element.error(
                "a model can read its own folder only",
                got=name[:200],
                allowed="files beside it or below it, or under roots=",
            )
        return found

    def _places(self, name: str, base: Path) -> Iterable[Path]:
        scheme = next((scheme for scheme in _SCHEMES if name.startswith(scheme)), None)
        if scheme is None:
            yield base / name.removeprefix("file://")
            yield from (root / name for root in self.roots if not Path(name).is_absolute())
            return
        package, _, below = name.removeprefix(scheme).partition("/")
        for folder in (base, *self.roots):
            yield folder / below
            yield folder / package / below
        for folder in self._packages.get(package, ()):
            yield folder / below

    @cached_property
    def _packages(self) -> dict[str, list[Path]]:
        """Folders below the roots by name, the shallow ones first."""
        found: dict[str, list[Path]] = {}
        waiting = list(self.roots)
        for count, folder in enumerate(waiting):
            if count > _MOST:
                break
            for inner in sorted(folder.iterdir()):
                if inner.is_dir() and not inner.is_symlink() and not inner.name.startswith("."):
                    found.setdefault(inner.name, []).append(inner)
                    waiting.append(inner)
        return found
