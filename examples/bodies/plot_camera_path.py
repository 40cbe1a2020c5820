"""How does a camera go round what it films?
=========================================

A hammer is thrown, and a camera goes round it from the side to the front. Four keys say where it is and what it looks
at; between them it follows the cubic spline that starts and ends at rest. Of all curves through the keys this is the
one with the least mean square of acceleration [Boor78], which an eye takes for smooth.

The check: at the keys the hammer is in the middle of the picture, and both a path on lines that is rounded at the keys
and one that eases in and out between each two keys take more acceleration.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import motiform as mf
from motiform.form import dress
from motiform.image import Camera, CameraPath, render, show_pictures
from motiform.image.screens import write_png

EYES = ((0.0, 0.3, 2.2), (1.5, 0.6, 1.5), (2.1, 0.3, 0.2), (1.6, -0.3, -1.2))  # m, from the hammer
PARTS = (0.0, 0.35, 0.7, 1.0)  # of the time


def main(quick=False):
    rec = mf.simulate("thrown", settings={"scene.duration": 0.4 if quick else 1.2})
    times = tuple(part * rec.duration for part in PARTS)
    at = [np.array([np.interp(t, rec.time("hammer.position"), x) for x in rec["hammer.position"].T]) for t in times]
    cameras = tuple(Camera(tuple(to + eye), tuple(to), fov=0.8) for eye, to in zip(EYES, at, strict=True))
    return {"rec": rec, "at": at, "path": CameraPath(times, cameras)}


def effort(place, times):
    """Return the mean of |a|² of a camera [m²/s⁴] whose places (times, 3) are given at even steps."""
    return float((np.diff(place, 2, axis=0) ** 2).sum(axis=1).mean() / (times[1] - times[0]) ** 4)


def check(result):
    path = result["path"]
    for time, middle in zip(path.times, result["at"], strict=True):
        column, row, _ = path.at(time).project(middle, (640, 360))
        assert abs(column - 320) < 1e-9
        assert abs(row - 180) < 1e-9
    times = np.linspace(0.0, path.times[-1], 2001)
    smooth = np.array([path.at(t).position for t in times])
    eased = np.concatenate([[CameraPath(path.times[k:k + 2], path.cameras[k:k + 2]).at(t).position
                             for t in times[(times >= path.times[k]) & ((times < path.times[k + 1]) | (k == 2))]]
                            for k in range(3)])  # fmt: skip
    wide = 0.1 * path.times[-1]
    lines = CameraPath(path.times, path.cameras, smooth=False)
    rounded = np.array([np.mean([lines.at(t + s).position for s in np.linspace(-wide, wide, 21)], 0) for t in times])
    assert effort(smooth, times) < 0.5 * min(effort(eased, times), effort(rounded, times))


def draw(result, folder):
    form, end = dress(result["rec"]), result["path"].times[-1]
    seen = [render(form, time=s * end, camera=result["path"], size=(360, 300), samples_per_pixel=16)
            for s in (0.0, 0.3, 0.6, 0.9)]  # fmt: skip
    return [write_png(np.concatenate(seen, axis=1), folder / "path.png")]


if __name__ == "__main__":
    result = main()
    check(result)
    show_pictures(draw(result, Path(mkdtemp())))
