"""Reading scenes: TOML to a checked document, with errors that name the file, the line and the remedy."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from motiform.base.digest import Digest
from motiform.base.errors import SceneError, closest, closest_file
from motiform.base.files import named_file
from motiform.base.toml import MOST_PARTS, parse_toml
from motiform.motion.bodies.system import KIND as bodies
from motiform.motion.matter.model.network import FREQUENCY
from motiform.motion.matter.system import KIND as networks
from motiform.motion.matter.system import film_rate
from motiform.motion.screens.screens import KIND as screens
from motiform.motion.tree.system import KIND as figures
from motiform.scene.read.checks import check_copies, check_names, check_plots
from motiform.scene.read.lines import line_of
from motiform.scene.tables.actuation import ExcitationTable
from motiform.scene.tables.common import Unit
from motiform.scene.tables.schema import ImageTable, SceneFile
from motiform.scene.tables.screen import ScreenLawTable

if TYPE_CHECKING:
    from motiform.scene.build.scene import Built

__all__ = [
    "GalleryEntry", "Scene", "SceneParameter", "image_hints", "list_scenes", "load_scene", "parse_scene",
    "parse_setting",
]  # fmt: skip

GALLERY = Path(__file__).parents[1] / "gallery"
_LARGEST = 4 << 20  # bytes; a scene is written by a person


@dataclass(frozen=True)
class SceneParameter:
    """A number, choice or vector of a scene that a user may change."""

    path: str
    """As `--set` takes it, such as ``motion.step`` or ``body.handle.spin``."""
    value: Any
    unit: str = ""
    description: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class GalleryEntry:
    """A scene of the gallery."""

    name: str
    title: str
    part: str
    seconds: float
    path: Path


@dataclass(frozen=True)
class Scene:
    """A scene that was read and checked."""

    document: SceneFile
    name: str
    folder: Path | None
    """Folder that its files are read from; None: it may read none."""
    text: str
    settings: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The title."""
        return self.document.scene.title

    @cached_property
    def key(self) -> str:
        """Hash of all that a run depends on: the checked document, less what is only drawn, and its files."""
        drawn = {"__all__": {"scale", "level"}}
        return self._digest({"image": True, "form": True, "screen": drawn, "scene": {"title", "description"}})

    @cached_property
    def motion_key(self) -> str:
        """Hash of all that the motion alone depends on: screens, rates and the end of the run are left out, too."""
        left = {"title", "description", "rate", "duration"}
        return self._digest({"image": True, "form": True, "screen": True, "scene": left})

    @cached_property
    def content_key(self) -> str:
        """Hash of what a run depends on, the version of motiform left out: whether a scene is still the same."""
        return self._digest({"image": True, "form": True, "scene": {"title", "description"}}, versioned=False)

    def _digest(self, less: Any, *, versioned: bool = True) -> str:
        from motiform import __version__

        content = _moving(self.document.model_dump(mode="json", by_alias=True, exclude=less))
        digest = Digest(__version__, content) if versioned else Digest(content)
        for name in sorted(_files(content)):
            digest.add_file(self.file(name, folder=True))
        return digest.text(24)

    def file(self, name: str, *, folder: bool = False) -> Path:
        """Return the path of a file that the scene names, or of a folder too, which must lie in the scene's folder."""
        where = f"scene {self.name!r}"
        if self.folder is None:
            raise SceneError(
                "a scene from text cannot read files", where=where, got=name, remedy="Save it in a folder."
            )
        path = named_file(name, self.folder, reader="a scene", where=where, folders=folder, error=SceneError)
        if path is None:
            own = str(self.folder.resolve())
            remedy = closest_file(self.folder / name) or f"Put it into the folder of the scene, {own!r}."
            raise SceneError("no such file", where=where, got=name, remedy=remedy)
        return path

    def build(self) -> "Built":
        """Return the model of the scene and the arguments with which `simulate` runs it."""
        from motiform.scene.build.common import at_table
        from motiform.scene.build.scene import build

        with at_table(self):
            return build(self)

    def place(self, *keys: str | int) -> str:
        """Return the file and line that come nearest to a place such as ("body", 0, "shape")."""
        file, line = self.name if self.folder is None else f"{self.name}.toml", line_of(self.text, keys)
        return f"{file}:{line}" if line else file

    def parameters(self) -> list[SceneParameter]:
        """Return the parameters that a user may change, in the order of the file's tables."""
        found = list(_parameters(self.document, ""))
        unused = ("motion.step", "motion.rtol", "motion.atol") if self.document.network or self.document.screen else ()
        return [parameter for parameter in found if parameter.path not in unused]


_DRAWN = ("look", "color")


def _moving(content: Any) -> Any:
    """Return a document less what only says how things are drawn."""
    if isinstance(content, dict):
        kept = {key: value for key, value in content.items() if key not in _DRAWN}
        return {key: value if key == "values" else _moving(value) for key, value in kept.items()}
    return [_moving(one) for one in content] if isinstance(content, list) else content


def _files(content: Any) -> set[str]:
    """Return the names of files in a document: the values of these keys."""
    if isinstance(content, dict):
        own = {content[key] for key in ("mesh", "file", "replay", "trajectory") if isinstance(content.get(key), str)}
        return own.union(*(_files(value) for value in content.values()))
    if isinstance(content, list):
        return set().union(*(_files(value) for value in content))
    return set()


def list_scenes() -> list[GalleryEntry]:
    """Return the built-in scenes."""
    entries = []
    for path in sorted(GALLERY.glob("*.toml")):
        head = parse_toml(path.read_text("utf-8"))["scene"]
        entries.append(
            GalleryEntry(path.stem, head["title"], head.get("part", "scenes"), float(head["duration"]), path)
        )
    return entries


def load_scene(source: str | Path, settings: Mapping[str, Any] | None = None) -> Scene:
    """Read a scene file, or a built-in scene by its name, with some parameters changed.

    Parameters
    ----------
    source
        Path of a TOML file, or a name that `list_scenes` lists.
    settings
        Changes such as ``{"motion.step": 5e-4}``.

    """
    path = Path(source)
    if path.suffix != ".toml":
        names = sorted(one.stem for one in GALLERY.glob("*.toml"))
        if str(source) in names:
            path = GALLERY / f"{source}.toml"
        else:
            raise SceneError(
                "no such scene", got=str(source), allowed=f"a .toml file, or one of: {', '.join(names)}",
                remedy=closest(str(source), names) or closest_file(path),
            )  # fmt: skip
    try:
        if not path.exists():
            raise SceneError("there is no such scene", where=str(path), remedy=closest_file(path))
        if not path.is_file():
            raise SceneError("the scene must be a file", where=str(path))
        if path.stat().st_size > _LARGEST:
            raise SceneError("the file is too large for a scene", where=str(path), got=f"{path.stat().st_size} bytes")
        text = path.read_bytes().decode("utf-8-sig")
    except SceneError:
        raise
    except (OSError, ValueError) as error:
        raise SceneError(f"cannot read the scene: {_reason(error)}", where=str(path)) from error
    return parse_scene(text, name=path.name, folder=path.parent, settings=settings)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error).splitlines()[0]


def parse_scene(
    text: str, *, name: str = "scene", folder: Path | None = None, settings: Mapping[str, Any] | None = None
) -> Scene:
    """Check the text of a scene."""
    try:
        raw = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise SceneError(
            f"the scene must be TOML: {_reason(error)}", where=f"{name}:{line[1]}" if line else name
        ) from error
    except ValueError as error:
        raise SceneError("the scene must be TOML: a number has too many digits", where=name) from error
    if settings is not None and not isinstance(settings, Mapping):
        raise SceneError("settings must be a mapping", where=name, got=repr(settings)[:60], allowed="{path: value}")
    for path, value in (settings or {}).items():
        _set(raw, path, value, name)
    try:
        document = SceneFile.model_validate(raw)
    except ValidationError as error:
        raise SceneError(_explain(error, text, name, settings or {})) from error
    except RecursionError as error:
        raise SceneError("tables are nested too deeply", where=name) from error
    document = _chosen(document)
    check_names(document, text, name)
    check_copies(document, text, name)
    check_plots(document, text, name)
    return Scene(document, name.removesuffix(".toml"), folder, text, dict(settings or {}))


def _chosen(document: SceneFile) -> SceneFile:
    """Return the document with what depends on its objects filled in, where it says nothing."""
    head, motion = document.scene, document.motion
    kind = (
        screens
        if document.screen
        else networks
        if document.network
        else figures
        if document.figure or document.touching
        else bodies
    )
    chosen: dict[str, Any] = {} if motion.integrator is not None else {"integrator": kind.integrator}
    if document.network:
        steps = FREQUENCY if motion.frequency is None else motion.frequency
        chosen |= {"frequency": steps, "unstable": bool(motion.unstable), "step": 1.0 / steps}
        if document.coupled and motion.replay is None:
            chosen["two_way"] = motion.two_way is not False
        if "rate" not in head.model_fields_set:
            head = head.model_copy(update={"rate": film_rate(steps)})
    elif document.screen and "rate" not in head.model_fields_set:
        head = head.model_copy(update={"rate": film_rate(min(table.frequency for table in document.screen))})
    return document.model_copy(update={"scene": head, "motion": motion.model_copy(update=chosen)})


def parse_setting(assignment: str) -> tuple[str, Any]:
    """Read "path=value" as the command line gives it; the value is TOML, or plain text."""
    path, sign, value = assignment.partition("=")
    if not sign or not path.strip():
        raise SceneError("a setting must be path=value", got=assignment, allowed="path=value, such as motion.step=5e-4")
    try:
        return path.strip(), parse_toml(f"value = {value.strip()}")["value"]
    except ValueError:
        return path.strip(), value.strip()


def _set(raw: dict[str, Any], path: str, value: Any, name: str) -> None:
    """Change one entry of a document; elements of arrays of tables are selected by name or number."""
    where = f"{name}: setting {path!r}"
    keys = path.split(".")
    if len(keys) > MOST_PARTS:
        raise SceneError(
            "a key has too many parts", where=name, got=f"{len(keys)} parts", allowed=f"up to {MOST_PARTS}"
        )
    here: Any = raw
    for n, key in enumerate(keys):
        last = n == len(keys) - 1
        if isinstance(here, list):
            index = _index(here, key, where)
            if last:
                here[index] = value
            here = here[index]
        elif isinstance(here, dict):
            if last:
                here[key] = value
            else:
                here = here.setdefault(key, {})
        else:
            raise SceneError("the path must lead through tables", where=where, got=".".join(keys[:n]))


def image_hints(image: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a recording says of its pictures with some of it changed, such as ``{"image.ground": False}``."""
    try:
        raw: dict[str, Any] = {"image": json.loads(json.dumps(dict(image)))}
    except (TypeError, ValueError) as error:
        raise SceneError("what is said of pictures must be tables, texts and numbers", got=str(error)) from error
    for path, value in settings.items():
        _set(raw, path, value, "[image]")
    try:
        table = ImageTable.model_validate(raw["image"])
    except ValidationError as error:
        raise SceneError(_explain(error, "", "[image]", settings)) from error
    return table.model_dump(mode="json", by_alias=True, exclude_none=True)


def _index(items: list[Any], key: str, where: str) -> int:
    if key.isdecimal() and int(key) < len(items):
        return int(key)
    names = [str(item.get("name")) for item in items if isinstance(item, dict) and "name" in item]
    for n, item in enumerate(items):
        if isinstance(item, dict) and item.get("name") == key:
            return n
    allowed = f"0 to {len(items) - 1}" + (f", or {', '.join(names)}" if names else "")
    raise SceneError("no such element", where=where, got=key, allowed=allowed, remedy=closest(key, names))


def _explain(error: ValidationError, text: str, name: str, settings: Mapping[str, Any]) -> str:
    """Return one line per mistake: file, line, place, what was got and what is allowed."""
    lines = []
    for one in error.errors()[:8]:
        place = [part for part in one["loc"] if not _is_branch(part)]
        dotted = ".".join(str(part) for part in place)
        line = line_of(text, place)
        if any(
            dotted.startswith(path.split(".")[0]) and path.split(".")[-1] == str(place[-1])
            for path in settings
            if place
        ):
            line = None  # the value came from a setting, not from the file
        where = f"{name}:{line}" if line else name
        message, remedy = one["msg"].removeprefix("Value error, "), None
        if one["type"] == "extra_forbidden":
            message, remedy = "unknown key", closest(str(place[-1]), _siblings(place[:-1]))
        elif one["type"] == "missing":
            message = "missing"
        message = _PLAIN.get(one["type"], message)
        complete = one["type"] in ("missing", "extra_forbidden") or "(got " in message or not place
        got = "" if complete else f" (got {_short(one['input'])})"
        lines.append(f"{where}{' ' if place else ''}{dotted}: {message}{got}{'. ' + remedy if remedy else ''}")
    return "\n".join(dict.fromkeys(lines))


_PLAIN = {  # pydantic's own words, for people
    "tuple_type": "must be a list of numbers, such as [0, 1, 0]",
    "list_type": "must be a list; tables that may come several times are written [[so]]",
    "model_type": "must be a table, such as { key = value }",
    "dict_type": "must be a table",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "string_pattern_mismatch": "a name is letters, digits, _ and -, and begins with a letter",
}


def _is_branch(part: str | int) -> bool:
    """Whether a part of a pydantic location names the member of a union and not a key."""
    return isinstance(part, str) and any(sign in part for sign in "[(")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _siblings(place: Sequence[str | int]) -> list[str]:
    """Return the keys that the table at a place may have."""
    model: Any = SceneFile
    for part in place:
        if isinstance(part, int) or model is None:
            continue
        field = model.model_fields.get(part)
        model = _table_in(field.annotation) if field else None
    return list(model.model_fields) if model else []


def _table_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _table_in(arg))), None)


def _parameters(table: BaseModel, prefix: str) -> Any:
    for key, info in type(table).model_fields.items():
        value = getattr(table, key)
        path = f"{prefix}{info.alias or key}"
        if path in ("scene.title", "scene.description", "scene.part") or key == "name" or path.startswith("image"):
            continue
        if isinstance(value, BaseModel):
            yield from _parameters(value, f"{path}.")
        elif isinstance(value, list) and value and isinstance(value[0], BaseModel):
            for n, item in enumerate(value):
                yield from _parameters(item, f"{path}.{getattr(item, 'name', n)}.")
        elif isinstance(table, ExcitationTable) and key == "values":
            for n, (t, one) in enumerate(zip(table.times, value, strict=True)):
                yield SceneParameter(f"{path}.{n}", one, "", f"from {t:g} s")
        elif isinstance(value, bool) and key in getattr(type(table), "kinds", ()):
            continue  # one of several keys of which a table has exactly one
        elif isinstance(table, ScreenLawTable) and (table.start or table.blend) and key not in table.model_fields_set:
            continue  # links that follow from the behaviour given
        elif isinstance(value, bool | int | float) or (
            isinstance(value, tuple) and all(isinstance(v, float) for v in value)
        ):
            yield SceneParameter(path, value, _unit(info.annotation, info.metadata), info.description or "")
        elif isinstance(value, str) and (choices := _choices(info.annotation)):
            yield SceneParameter(path, value, "", info.description or "", choices)


def _unit(annotation: Any, metadata: Sequence[Any] = ()) -> str:
    for note in metadata:
        if isinstance(note, Unit):
            return note.unit
    if hasattr(annotation, "__metadata__"):
        return _unit(annotation.__origin__, annotation.__metadata__)
    return next((unit for arg in get_args(annotation) if (unit := _unit(arg))), "")


def _choices(annotation: Any) -> tuple[str, ...]:
    from typing import Literal

    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return next((found for arg in get_args(annotation) if (found := _choices(arg))), ())
