"""The stage of form alone: a recorded motion in another dress, without simulating it again."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from motiform.base.errors import RecordingError, SceneError
from motiform.base.progress import Progress
from motiform.record import Recording
from motiform.record.files import as_path
from motiform.record.manifest import as_typed
from motiform.record.places import restore
from motiform.record.save import copy_recording
from motiform.record.store import is_empty
from motiform.scene.read.load import GALLERY, Scene, load_scene, parse_scene
from motiform.scene.simulate import check_motion, earlier, scene_looks, shown_keys, simulate

__all__ = ["redress", "scene_of"]


def scene_of(recording: Recording, settings: Mapping[str, Any] | None = None) -> Scene:
    """Return the scene that a recording was made of, with some parameters changed."""
    manifest = recording.manifest
    text, name = manifest.get("scene_text"), str(manifest.get("scene") or "scene")
    if not isinstance(text, str):
        remedy = "Give the scene file (--scene)."
        raise SceneError("the recording was not made of a scene", where=recording._where, remedy=remedy)
    kept = as_typed(manifest.get("settings", {}), dict[str, Any], f"{recording._where}: manifest: settings")
    own = GALLERY / f"{name}.toml"
    folder = GALLERY if own.is_file() and own.read_text("utf-8") == text else None
    return parse_scene(text, name=f"{name}.toml", folder=folder, settings={**kept, **(settings or {})})


def redress(
    recording: Recording,
    out: str | Path,
    *,
    scene: str | Path | Scene | None = None,
    settings: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Dress a recorded motion anew and return the recording: screens are run over it, looks written; nothing else.

    Parameters
    ----------
    recording : of a scene; its motion is read.
    out : folder to write to. The finished recording of this very motion and dress is opened and not made again.
    scene : which has the same motion and another dress; None: the one that the recording was made of.
    settings : changes such as ``{"screen.sand.law": "C"}``; of [[screen]], [[form]], [image], look and color alone.
    """
    if scene is None:
        scene = scene_of(recording, settings)
    elif not isinstance(scene, Scene) or settings:
        name = scene if not isinstance(scene, Scene) else None
        scene = load_scene(name, settings) if name is not None else _changed(scene, settings)
    check_motion(recording, scene)
    out = as_path(out)
    if recording.path is not None and os.path.realpath(out) == os.path.realpath(recording.path):
        raise RecordingError("a recording cannot be dressed over itself", where=str(out), remedy="Choose another name.")
    if scene.document.screen:
        return simulate(scene, motion=recording, out=out, overwrite=overwrite, resume=resume, progress=progress)
    return _looks_alone(recording, scene, out, overwrite)


def _changed(scene: Any, settings: Mapping[str, Any] | None) -> Scene:
    changes = {**scene.settings, **(settings or {})}
    return parse_scene(scene.text, name=scene.name, folder=scene.folder, settings=changes)


def _looks_alone(recording: Recording, scene: Scene, out: Path, overwrite: bool) -> Recording:
    """Write the recording with the looks of a scene."""
    key = str(recording.manifest.get("key"))
    if key.partition(":")[0] != scene.key:
        allowed = "changes of [[form]], [image], look and color"
        raise SceneError("the motion of the scene is not the recorded one", where=recording._where, got=scene.name,
                         allowed=allowed, remedy="Run the scene.")  # fmt: skip
    looks, manifest = scene_looks(scene, scene.build()), {"key": key, **shown_keys(scene)}
    restore(out)
    if out.exists() and not is_empty(out) and not overwrite:
        done = earlier(out, manifest, looks, resume=False, functions=False)
        if done is not None:
            return done
    return copy_recording(recording, out, manifest | looks.manifest(), looks.statics(), overwrite=overwrite)
