"""`motiform doctor`: installed packages and whether they work, devices, caches, and remedies."""

import json
import os
import platform
import shutil
import sys
from collections.abc import Callable, Container
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer

from motiform.cli.shared import AsJson, print_line

#: Groups of distributions that the package needs, with the modules that they bring.
_NEEDED: dict[str, dict[str, str]] = {
    "needed": {name: name for name in (
        "numpy", "scipy", "numba", "numcodecs", "pydantic", "pint", "typer", "rich", "trimesh", "matplotlib",
    )} | {"pillow": "PIL", "google-crc32c": "google_crc32c"},
    "films": {"imageio": "imageio", "imageio-ffmpeg": "imageio_ffmpeg"},
}  # fmt: skip
#: Modules that say more than the library's own whether it works.
_TELLING = {"pxr": "pxr.Usd", "numba_cuda": "numba.cuda"}


def doctor(as_json: AsJson = False) -> None:
    """Check the installation, and report what is missing or broken with a remedy. Exit code 1: a required part
    fails."""
    report = examine()
    if as_json:
        print_line(json.dumps(report, indent=2))
    else:
        for line in _lines(report):
            print_line(line)
    if report["broken"]:
        raise typer.Exit(1)


def examine() -> dict[str, Any]:
    """Return the report of `doctor`."""
    from motiform import __version__
    from motiform.base.libraries import import_failures
    from motiform.cli.benchmarks import has_benchmarks, load_benchmarks

    parts = _NEEDED | _extras()
    if has_benchmarks():
        parts |= {"peers": load_benchmarks("bench.register").peer_libraries()}
    installed = {name: _version(name) for names in parts.values() for name in names}
    modules = [m for names in parts.values() for name, m in names.items() if installed[name] is not None]
    failures = import_failures(modules)
    packages = {
        part: {name: _state(installed[name], failures.get(module)) for name, module in names.items()}
        for part, names in parts.items()
    }
    trials = {name: _tried(trial) for name, trial in _TRIALS.items()}
    needed = {part: packages[part] for part in _NEEDED}
    mend = [*_mend_packages(packages, needed), *(f"{name} fails: {error}" for name, error in trials.items() if error)]
    return {
        "motiform": __version__,
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "processor": platform.machine(),
        "packages": packages,
        "devices": _devices(),
        "cache": _cache(),
        "chromium": shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome"),
        "tried": {name: error or "works" for name, error in trials.items()},
        "mend": mend,
        "broken": any(trials.values()) or any(_fails(state) for found in needed.values() for state in found.values()),
    }


def _lines(report: dict[str, Any]) -> list[str]:
    cpu, gpu, cache = report["devices"]["cpu"], report["devices"]["cuda"], report["cache"]
    state = f"{cache['files']} files, {cache['bytes'] / 1e6:.1f} MB"
    state = state if cache["unused"] is None else f"not used: {cache['unused']}"
    rows = {key: report[key] for key in ("motiform", "python", "system")}
    rows |= {part: ", ".join(f"{n} {s}" for n, s in found.items()) for part, found in report["packages"].items()}
    rows["cpu"] = f"{report['processor']}, {cpu['cores']} cores, {cpu['threads']} threads ({cpu['layer']})"
    rows["cuda"] = gpu or "no device"
    rows["cache"] = f"{cache['folder']} ({state})"
    rows["chromium"] = report["chromium"] or "not found (only the browser tests need it)"
    rows["tried"] = ", ".join(f"{name}: {result}" for name, result in report["tried"].items())
    lines = [f"{key:<10} {text}" for key, text in rows.items()]
    return [*lines, "", *(report["mend"] or ["Everything that is installed works."])]


def _extras() -> dict[str, dict[str, str]]:
    """Return the distributions of each extra, with the modules that they bring."""
    from motiform.base.libraries import OPTIONAL

    found: dict[str, dict[str, str]] = {}
    for module, library in OPTIONAL.items():
        if library.extra is not None:
            found.setdefault(library.extra, {})[library.package] = _TELLING.get(module, module)
    return found


# ---- packages ------------------------------------------------------------------------------------------------------
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _state(number: str | None, failure: str | None) -> str:
    if number is None:
        return "absent"
    return f"{number} (broken: {failure})" if failure else number


def _fails(state: str) -> bool:
    return state == "absent" or "(broken: " in state


def _mend_packages(packages: dict[str, dict[str, str]], needed: Container[str]) -> list[str]:
    """Return a line for each package that is broken, and for each needed one that is absent."""
    lines = []
    for part, found in packages.items():
        for name, state in found.items():
            if "(broken: " in state:
                lines.append(f"{name} is installed but broken: pip install --force-reinstall {name}")
            elif state == "absent" and part in needed:
                lines.append(f"{name} is missing: pip install {name}")
    return lines


# ---- devices and caches --------------------------------------------------------------------------------------------
def _devices() -> dict[str, Any]:
    try:
        import numba

        from motiform.base.kernels import cuda_device_name

        cpu: dict[str, Any] = {"threads": numba.get_num_threads(), "layer": numba.threading_layer()}
        gpu = cuda_device_name()
    except Exception as error:  # numba itself is broken: the packages say so
        cpu, gpu = {"threads": 0, "layer": type(error).__name__}, None
    return {"cpu": {"cores": os.cpu_count()} | cpu, "cuda": gpu}


def _cache() -> dict[str, Any]:
    from motiform.base.caches import cache_dir, private_cache

    reason = None
    try:
        private_cache()
    except OSError as error:
        reason = error.strerror or str(error)
    try:
        folder = cache_dir()
    except RuntimeError:  # of Path.home
        return {"folder": "none", "files": 0, "bytes": 0, "unused": reason}
    files = [file for file in folder.rglob("*") if file.is_file()] if reason is None else []
    return {"folder": str(folder), "files": len(files), "bytes": sum(f.stat().st_size for f in files), "unused": reason}


# ---- trials --------------------------------------------------------------------------------------------------------
def _try_kernel(folder: Path) -> None:
    import numpy as np

    from motiform.base.kernels import sum_fixed

    if sum_fixed(np.arange(1000.0)) != 499500.0:
        raise ArithmeticError("a kernel gives a wrong sum")


def _try_recording(folder: Path) -> None:
    from motiform.record import open_recording
    from motiform.scene import simulate

    simulate("thrown", settings={"scene.duration": 0.02}, out=folder / "trial.mf")
    if not open_recording(folder / "trial.mf").complete:
        raise OSError("a recording was not written whole")


def _try_film(folder: Path) -> None:
    import imageio_ffmpeg
    import numpy as np

    from motiform.image.films import encoder

    path = folder / "trial.mp4"
    with encoder(path, (64, 64), 10) as send:
        send(np.zeros((64, 64, 3), np.uint8))
    if imageio_ffmpeg.count_frames_and_secs(str(path))[0] != 1:
        raise OSError("a film of one picture has another number of them")


_TRIALS: dict[str, Callable[[Path], None]] = {"kernels": _try_kernel, "recordings": _try_recording, "films": _try_film}


def _tried(trial: Callable[[Path], None]) -> str | None:
    """Return the error in one line, or None."""
    with TemporaryDirectory() as folder:
        try:
            trial(Path(folder))
        except Exception as error:  # whatever is broken, the report goes on
            return f"{type(error).__name__}: {error}"[:300]
    return None
