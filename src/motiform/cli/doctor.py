"""`motiform doctor`: what is installed, which devices are there, where caches are."""

import json
import os
import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import typer

from motiform.cli.shared import AsJson

_PARTS = {
    "needed": (
        "numpy",
        "scipy",
        "numba",
        "zarr",
        "pydantic",
        "pint",
        "typer",
        "rich",
        "trimesh",
        "viser",
        "matplotlib",
    ),
    "films": ("imageio", "imageio-ffmpeg"),
    "tables": ("xarray", "pandas"),
    "gpu": ("numba-cuda",),
    "dask": ("dask", "distributed"),
    "usd": ("usd-core",),
    "peers": ("mujoco", "pin"),
}


def doctor(as_json: AsJson = False) -> None:
    """Tell what is installed, which devices are there and where caches are."""
    report = examine()
    if as_json:
        typer.echo(json.dumps(report, indent=2))
        return
    for key in ("motiform", "python", "system"):
        typer.echo(f"{key:<10} {report[key]}")
    for part, packages in report["packages"].items():
        found = ", ".join(f"{name} {number or 'absent'}" for name, number in packages.items())
        typer.echo(f"{part:<10} {found}")
    cpu, gpu = report["devices"]["cpu"], report["devices"]["cuda"]
    typer.echo(f"cpu        {cpu['cores']} cores, {cpu['threads']} threads ({cpu['layer']})")
    typer.echo(f"cuda       {gpu or 'no device'}")
    cache = report["cache"]
    state = (
        f"{cache['files']} files, {cache['bytes'] / 1e6:.1f} MB"
        if cache["writable"]
        else "not writable: kernels compile anew"
    )
    typer.echo(f"cache      {cache['folder']} ({state})")
    typer.echo(f"chromium   {report['chromium'] or 'not found (needed by the browser tests alone)'}")


def examine() -> dict[str, Any]:
    """Return what `doctor` tells."""
    import numba

    from motiform import __version__
    from motiform.base.caches import cache_dir
    from motiform.base.kernels import cuda_device_name

    folder = cache_dir()
    files = [file for file in folder.rglob("*") if file.is_file()] if folder.is_dir() else []
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return {
        "motiform": __version__,
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "packages": {part: {name: _version(name) for name in names} for part, names in _PARTS.items()},
        "devices": {
            "cpu": {
                "cores": os.cpu_count(),
                "threads": numba.get_num_threads(),
                "layer": str(getattr(numba.config, "THREADING_LAYER", "default")),
            },
            "cuda": cuda_device_name(),
        },
        "cache": {
            "folder": str(folder),
            "files": len(files),
            "bytes": sum(file.stat().st_size for file in files),
            "writable": os.access(existing, os.W_OK),
        },
        "chromium": shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome"),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
