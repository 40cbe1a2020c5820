"""Files that a model names: in its own folder and package, under roots that the caller gives, in packages of ROS."""

import os
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
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
    and in each root with and without NAME; in packages whose package.xml says NAME, as ROS has it: a folder above the
    model, one beside the package that it is in, any below the roots and those of ROS_PACKAGE_PATH; in ``share/NAME``
    of AMENT_PREFIX_PATH; at last in folders that are called NAME: above the model, a package beside one of these, any
    below the roots and those of ROS_PACKAGE_PATH.
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
        """Yield the folders of a package: those that say so in their package.xml, then those that are called so.

        ROS knows a package by the name in its package.xml, whatever its folder is called; only installed ones, and
        folders without the file, go by the folder.
        """
        yield from (one for one in self.above if _package_name(one) == package)
        if package not in (".", "..", ""):
            yield from (one for one in self._beside if _package_name(one) == package)
            yield from self._below[0].get(package, ())
            yield from (share / package for share in self.shares if (share / package).is_dir())
        home = Path.home()
        yield from (one for one in self.above if one.name == package and not home.is_relative_to(one))
        if package not in (".", "..", ""):
            yield from (one / package for one in self.above if _is_package(one / package))
            yield from self._below[1].get(package, ())

    @cached_property
    def _beside(self) -> list[Path]:
        """The folders beside the package that the model is in."""
        return [] if self.package is None else sorted(islice(_folders(self.package.parent), _MOST))

    @cached_property
    def _below(self) -> tuple[dict[str, list[Path]], dict[str, list[Path]]]:
        """Folders below the roots and those of ROS, the shallow ones first: by their package's name, by their own."""
        stated: dict[str, list[Path]] = {}
        called: dict[str, list[Path]] = {}
        waiting = [folder for folder in (*self.roots, *self.ros) if folder.is_dir()]
        for count, folder in enumerate(waiting):
            called.setdefault(folder.name, []).append(folder)
            name = _package_name(folder)
            if name:
                stated.setdefault(name, []).append(folder)
            if count <= _MOST:
                waiting.extend(sorted(_folders(folder)))
        return stated, called


def _paths(variable: str) -> list[str]:
    return [one for one in os.environ.get(variable, "").split(os.pathsep) if one]


def _folders(folder: Path) -> Iterator[Path]:
    """Yield the folders in a folder, but for links and hidden ones."""
    try:
        yield from (one for one in folder.iterdir() if one.is_dir() and not one.is_symlink() and one.name[0] != ".")
    except OSError:
        return


def _is_package(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _MANIFESTS)


def _package_name(folder: Path) -> str | None:
    """Return the name that a package gives itself, None where it gives none."""
    try:
        path = named_file("package.xml", folder, reader="a model", where=str(folder), largest=1 << 20)
        data = b"" if path is None else path.read_bytes()
        return None if b"<!DOCTYPE" in data else ET.fromstring(data).findtext("name", "").strip() or None
    except (ET.ParseError, OSError, ValueError, LookupError):
        return None
