"""What a study runs: a scene with other parameters, or a function of the user."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from motiform import __version__
from motiform.base.digest import Digest
from motiform.base.errors import InputError
from motiform.base.files import file_sum
from motiform.record import Recording
from motiform.scene import Scene, load_scene, parse_scene, simulate
from motiform.scene.planned import planned_recording
from motiform.scene.read.paths import check_path
from motiform.studies.design import StudyDesign
from motiform.studies.functions import function_key, is_function_name, load_function

__all__ = ["FunctionModel", "SceneModel", "StudyModel", "study_model"]


@dataclass(frozen=True)
class SceneModel:
    """A scene, of which a case changes parameters by their paths."""

    text: str
    name: str
    folder: Path | None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def scene(self) -> Scene:
        """The scene without the parameters of a case."""
        return self.changed({})

    @property
    def title(self) -> str:
        """What is run."""
        return self.scene.title

    @property
    def key(self) -> str:
        """Hash of what it is, in any version of motiform."""
        return self.scene.content_key

    def changed(self, settings: Mapping[str, Any]) -> Scene:
        """Return the scene of a case."""
        return parse_scene(self.text, name=self.name, folder=self.folder, settings={**self.settings, **settings})

    def check(self, design: StudyDesign) -> None:
        """Refuse parameters that the scene does not have."""
        for path in design.names:
            check_path(self.scene, path, design.values(path)[0])

    def units(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the units of parameters, where the scene tells them; of elements of vectors, too."""
        known = {parameter.path: parameter.unit for parameter in self.scene.parameters()}
        return {path: known.get(path) or known.get(path.rpartition(".")[0], "") for path in paths}

    def planned(self, settings: Mapping[str, Any]) -> Recording:
        """Return what a case would record, without samples."""
        return planned_recording(self.changed(settings))

    def case_key(self, settings: Mapping[str, Any]) -> str:
        """Hash of all that the run of a case depends on."""
        files = [_sum_of(self.folder, one) for one in settings.values() if self.folder and isinstance(one, str)]
        return Digest(__version__, self.key, settings, [one for one in files if one]).text(24)

    def run(self, settings: Mapping[str, Any], out: Path | None) -> Recording:
        """Return the recording of a case."""
        return simulate(self.changed(settings), out=out)


@dataclass(frozen=True)
class FunctionModel:
    """A function of the parameters that returns a recording, or numbers and arrays by name."""

    function: Callable[[dict[str, Any]], Any] | str
    folder: Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def called(self) -> Callable[[dict[str, Any]], Any]:
        """The function itself."""
        return load_function(self.function, self.folder) if isinstance(self.function, str) else self.function

    @property
    def title(self) -> str:
        """What is run."""
        return self.function if isinstance(self.function, str) else getattr(self.function, "__qualname__", "function")

    @cached_property
    def key(self) -> str:
        """Hash of the function, its module, and what is the same in all cases."""
        return Digest(function_key(self.called), self.settings).text(24)

    def check(self, design: StudyDesign) -> None:
        """Take any parameters: the function knows them."""

    def units(self, paths: Sequence[str]) -> dict[str, str]:
        """Return nothing: only the function knows units."""
        return {}

    def case_key(self, settings: Mapping[str, Any]) -> str:
        """Hash of the function and the parameters of a case."""
        return Digest(__version__, self.key, settings).text(24)

    def run(self, settings: Mapping[str, Any], out: Path | None) -> Any:
        """Return what the function gives; a recording is written to `out`."""
        found = self.called({**self.settings, **settings})
        if isinstance(found, Recording):
            return found if out is None else found.save(out, overwrite=True)
        if isinstance(found, Mapping):
            return dict(found)
        raise InputError("a model must give a recording, or numbers by name", where=self.title, got=repr(found)[:60])


StudyModel = SceneModel | FunctionModel


def study_model(what: Any, settings: Mapping[str, Any] | None = None, folder: Path | None = None) -> StudyModel:
    """Return the model of a study: a scene, its file or name, "module:function", or a function."""
    if isinstance(what, SceneModel | FunctionModel):
        return what
    settings = dict(settings or {})
    if isinstance(what, Scene):
        return SceneModel(what.text, what.name, what.folder, {**what.settings, **settings})
    if callable(what):
        return FunctionModel(what, folder, settings)
    if not isinstance(what, str | Path):
        allowed = "a built-in scene, a scene file, a Scene, or a function of the parameters"
        raise InputError("a study needs a model", got=repr(what)[:60], allowed=allowed)
    if is_function_name(what):
        model = FunctionModel(str(what), folder, settings)
        _ = model.called  # or its first case would tell
        return model
    beside = None if folder is None else folder / what
    scene = load_scene(beside if beside is not None and beside.is_file() else what)
    return SceneModel(scene.text, scene.name, scene.folder, settings)


@cache
def _sum_of(folder: Path, name: str) -> str | None:
    """Return the checksum of a file that a value names, None where it names none."""
    try:
        return file_sum(folder / name) if (folder / name).is_file() else None
    except (OSError, ValueError):  # too long, or no name at all
        return None
