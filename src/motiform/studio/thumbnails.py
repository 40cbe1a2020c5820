"""Small pictures of the built-in scenes, shipped with the package: `python -m motiform.studio.thumbnails SCENE …`."""

import sys
import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

__all__ = ["FOLDER", "make_thumbnail", "thumbnail"]

SIZE = (288, 180)  # [pixels] a wide picture, as the cameras of scenes are made for
QUALITY = 80  # of JPEG: some 6 kB a picture
PART = 0.5  # of its duration after which a scene is seen
PARTS = {"particles": 0.15, "ripples": 0.35, "sand-screen": 0.3, "thrown": 0.15}
"""Other parts, of scenes that show what they are about sooner or later."""
FOLDER = Path(str(files("motiform.scene"))) / "gallery" / "pictures"


def thumbnail(name: str) -> bytes | None:
    """Return the JPEG picture of a built-in scene, None where there is none."""
    path = FOLDER / f"{name}.jpg"
    return path.read_bytes() if path.is_file() else None


def make_thumbnail(name: str, folder: Path = FOLDER) -> Path:
    """Run a built-in scene up to the instant of its picture, and write it."""
    import imageio.v3 as imageio

    from motiform.form import dress
    from motiform.image import render
    from motiform.scene import load_scene, simulate

    scene = load_scene(name).document.scene
    until = max(round(PARTS.get(name, PART) * scene.duration * scene.rate), 1) / scene.rate
    pixels = render(dress(simulate(name, settings={"scene.duration": until})), size=SIZE)
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jpg"
    imageio.imwrite(path, pixels[..., :3], quality=QUALITY)
    return path


def main(names: Sequence[str]) -> None:
    """Make the pictures of the scenes named, or of all that have none."""
    from motiform.scene import list_scenes

    missing = [entry.name for entry in list_scenes() if thumbnail(entry.name) is None]
    for name in names or missing:
        begun = time.process_time()
        path = make_thumbnail(name)
        print(f"{path.name}: {path.stat().st_size / 1000:.1f} kB, {time.process_time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
