"""Files that a model names: in its own folder and package, under roots that the caller gives, in packages of ROS."""

import os
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from motiform.base.errors import InputError
from motiform.base.files import named_file
from motiform.motion.tree.read.elements import Element

__all__ = ["Folders"]

_SCHEMES = ("package://", "model://")
_MANIFESTS = ("package.xml", "manifest.xml")
_MOST = 100_000  # folders below the roots that are looked through for the name of a package
_LARGEST = 1 << 30  # bytes of a mesh


class Folders:
    """Where the files of a model may lie. Nothing outside is read.

    Plain names are looked for in the model's folder, and may go up as far as the package that it is in: the folder
    above it that has a package.xml. ``package://NAME/…`` and ``model://NAME/…`` are looked for in the model's folder
    and in each root with and without NAME; in a folder above the model called NAME; in a package NAME beside one of
    these folders; in any folder called NAME below the roots and those of ROS_PACKAGE_PATH; in ``share/NAME`` of
    AMENT_PREFIX_PATH.
    """

    def __init__(self, own: Path, roots: Iterable[str | os.PathLike[str]] | str | os.PathLike[str] = ()) -> None:
        given = [roots] if isinstance(roots, str | os.PathLike) else list(roots)
        self.own, self.roots = own, [Path(root) for root in given]
        for root in self.roots:
            if not root.is_dir():
                raise InputError("no such folder", where="roots", got=str(root)[:200], allowed="folders that exist")
        above = [own.resolve(), *own.resolve().parents]
        self.above = above[:-1]
        """The folder of the model and those above it, but for the root of the disk."""
        self.package = next((folder for folder in self.above if _is_package(folder)), None)
        self.ros = [Path(one) for one in _paths("ROS_PACKAGE_PATH")]
        self.shares = [Path(one) / "share" for one in _paths("AMENT_PREFIX_PATH")]

    @property
    def searched(self) -> list[str]:
        """The folders that files are looked for in."""
        own = [self.own.resolve(), *([self.package] if self.package else []), *self.roots, *self.ros, *self.shares]
        return list(dict.fromkeys(map(str, own)))

    def find(self, name: str, element: Element, base: Path | None = None) -> Path | None:
        """Return the path of a file that an element names, None where there is none; a file elsewhere is an error.

        `base` is the folder that a relative path begins in, the model's own where it is not given.
        """
        refused: InputError | None = None
        inside = [self.own, *self.roots, *([self.package] if self.package else [])]
        for folder, below in self._places(name, base or self.own):
            try:
                found = named_file(
                    below, folder, roots=inside, reader="a model", where=element.where, largest=_LARGEST
                )  # fmt: skip
            except InputError as error:
                refused = refused or error
            else:
                if found is not None:
                    return found
        if refused is not None:
            raise refused
        return None

    def has(self, place: str, element: Element) -> bool:
        """Whether there is such a file."""
        try:
            return self.find(place, element) is not None
        except InputError:
            return False

    def _places(self, name: str, base: Path) -> Iterator[tuple[Path, str]]:
        """Yield folders, and names from there on."""
        scheme = next((scheme for scheme in _SCHEMES if name.startswith(scheme)), None)
        if scheme is None:
            plain = name.removeprefix("file://")
            yield base, plain
            yield from ((root, plain) for root in self.roots if not Path(plain).is_absolute())
            return
        package, _, below = name.removeprefix(scheme).partition("/")
        for folder in (base, *self.roots):
            yield folder, below
            yield folder, f"{package}/{below}"
        yield from ((folder, below) for folder in self._called(package))

    def _called(self, package: str) -> Iterator[Path]:
        """Yield the folders of a package."""
        home = Path.home()
        yield from (one for one in self.above if one.name == package and not home.is_relative_to(one))
        yield from (one for one in self.above if _package_name(one) == package)
        if package in (".", "..", ""):
            return
        yield from (one / package for one in self.above if _is_package(one / package))
        yield from self._below.get(package, ())
        yield from (share / package for share in self.shares if (share / package).is_dir())

    @cached_property
    def _below(self) -> dict[str, list[Path]]:
        """Folders below the roots and those of ROS by name, the shallow ones first."""
        found: dict[str, list[Path]] = {}
        waiting = [folder for folder in (*self.roots, *self.ros) if folder.is_dir()]
        for folder in waiting:
            found.setdefault(folder.name, []).append(folder)
        for count, folder in enumerate(waiting):
            if count > _MOST:
                break
            for inner in sorted(_listed(folder)):
                if inner.is_dir() and not inner.is_symlink() and not inner.name.startswith("."):
                    found.setdefault(inner.name, []).append(inner)
                    waiting.append(inner)
        return found


def _paths(variable: str) -> list[str]:
    return [one for one in os.environ.get(variable, "").split(os.pathsep) if one]


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _is_package(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _MANIFESTS)


def _package_name(folder: Path) -> str | None:
    """Return the name that a package gives itself, None where it gives none."""
    try:
        path = named_file("package.xml", folder, reader="a model", where=str(folder), largest=1 << 20)
        return None if path is None else ET.fromstring(path.read_bytes()).findtext("name", "").strip()
    except (ET.ParseError, OSError, ValueError, LookupError):
        return None
