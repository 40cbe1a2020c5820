"""Whether a path leads to a parameter of a scene."""

from typing import Any

from pydantic import ValidationError

from motiform.base.errors import SceneError, closest
from motiform.base.toml import parse_toml
from motiform.scene.read.load import Scene, _is_branch, _set
from motiform.scene.tables.schema import SceneFile

__all__ = ["check_path"]


def check_path(scene: Scene, path: str, value: Any) -> None:
    """Refuse a path that leads to no parameter of a scene, with the nearest that does; its value may be wrong."""
    raw = parse_toml(scene.text)
    for other, own in scene.settings.items():
        _set(raw, other, own, scene.name)
    before = _unknown_keys(raw)
    try:
        _set(raw, path, value, scene.name)
    except SceneError as error:
        raise _refused(scene, path, error.remedy) from error
    if _unknown_keys(raw) - before:
        raise _refused(scene, path, None)


def _unknown_keys(raw: dict[str, Any]) -> set[tuple[str | int, ...]]:
    """Return the places of keys that no table has: those that are refused by every table that may be there."""
    try:
        SceneFile.model_validate(raw)
    except ValidationError as error:
        found = [(tuple(part for part in one["loc"] if not _is_branch(part)), one["type"]) for one in error.errors()]
        return {place for place, kind in found if kind == "extra_forbidden"}
    return set()


def _refused(scene: Scene, path: str, remedy: str | None) -> SceneError:
    known = [parameter.path for parameter in scene.parameters()]
    near = closest(path, known) or closest(path.rpartition(".")[2], known, most=3) or remedy
    return SceneError("no such parameter", where=scene.name, got=path, allowed="paths as `--set` takes them",
                      remedy=near)  # fmt: skip
