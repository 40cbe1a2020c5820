"""The meshes of MJCF: files, corners, matter by the rules of the format, and the boxes that shapes are fitted to."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from motiform.base.errors import closest
from motiform.geometry import MassProperties, Mesh
from motiform.motion.tree.read.elements import Element, located
from motiform.motion.tree.read.folders import Folders
from motiform.motion.tree.read.mjcf.obj import read_first_object
from motiform.motion.tree.read.mjcf.settings import Compiler
from motiform.motion.tree.read.shared import Report, load_mesh
from motiform.spatial import Transform, rotation_from_quaternion
from motiform.spatial.checks import Array

__all__ = ["MjcfMeshes", "SolidMesh"]

INERTIA = ("legacy", "exact", "convex", "shell")
LARGEST_TABLE = 3 << 24  # numbers of an attribute


@dataclass(frozen=True, eq=False)
class SolidMesh:
    """A mesh, and how the format turns it into matter.

    ``legacy`` adds up the pyramids from the middle to each triangle without their signs, so that open and twisted
    meshes have a mass, too; ``exact`` takes the signs; ``convex`` fills the hull; ``shell`` puts matter on the faces.
    """

    mesh: Mesh
    rule: str

    @cached_property
    def integrals(self) -> tuple[float, Array, Array]:
        """Volume [m³] (area of a shell [m²]), centre of mass [m], second moments about it [m⁵ or m⁴]."""
        mesh = _hull(self.mesh.vertices) if self.rule == "convex" else self.mesh
        corners = mesh.vertices[mesh.faces]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area, middle = 0.5 * np.linalg.norm(normal, axis=1), corners.mean(axis=1)
        center = area @ middle / area.sum()
        if self.rule == "shell":
            return float(area.sum()), center, _second(corners - center, area) / 12.0
        share = self._pyramids(middle - center, normal)
        center = share @ (0.75 * middle + 0.25 * center) / share.sum()
        share = self._pyramids(middle - center, normal)  # from the centre of mass now: this is the volume that weighs
        return float(share.sum()), center, _second(corners - center, share) / 20.0

    def _pyramids(self, middle: Array, normal: Array) -> Array:
        volume: Array = np.einsum("ij,ij->i", middle, normal) / 6.0
        return np.abs(volume) if self.rule == "legacy" else volume

    def matter(self, *, density: float | None = None, mass: float | None = None) -> MassProperties:
        """Return the mass properties by density [kg/m³, of a shell kg/m²] or mass [kg]."""
        volume, center, second = self.integrals
        total = mass if mass is not None else (density or 0.0) * volume
        return MassProperties(total, center, total / volume * (np.trace(second) * np.eye(3) - second))

    @cached_property
    def box(self) -> tuple[Array, Transform]:
        """Half sizes [m], rising, of the box with the same inertia, and its frame in the mesh's."""
        volume, center, second = self.integrals
        moments, axes = np.linalg.eigh(second)
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        return np.sqrt(3.0 * np.maximum(moments, 0.0) / volume), Transform(axes, center)


def _second(corners: Array, share: Array) -> Array:
    """Σ share (s sᵀ + a aᵀ + b bᵀ + c cᵀ) with s = a + b + c."""
    rays = [corners.sum(axis=1), *np.moveaxis(corners, 1, 0)]
    return sum(((ray * share[:, None]).T @ ray for ray in rays), start=np.zeros((3, 3)))


def _hull(points: Array) -> Mesh:
    """Return the convex hull, outward."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    faces, corners = hull.simplices.copy(), points[hull.simplices]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ij,ij->i", normal, hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return Mesh(points, faces)


class MjcfMeshes:
    """The meshes that a file names, read when they are asked for."""

    def __init__(self, compiler: Compiler, folders: Folders, meshes: str, report: Report) -> None:
        self.compiler, self.folders, self.choice, self.report = compiler, folders, meshes, report
        self.assets: dict[str, Element] = {}
        self.loaded: dict[tuple[str, bool], SolidMesh | None] = {}

    def add(self, mesh: Element) -> None:
        """Remember a mesh."""
        self.assets[mesh.attributes.get("name") or Path(mesh.text("file")).stem] = mesh

    def get(self, geom: Element, *, needed: bool) -> SolidMesh | None:
        """Return the mesh that a geom names, or None where it is left out and not needed."""
        name = geom.text("mesh")
        if name not in self.assets:
            raise geom.error("unknown mesh", got=name, remedy=closest(name, self.assets))
        if (name, needed) not in self.loaded:
            self.loaded[name, needed] = self._load(self.assets[name], "all" if needed else self.choice)
        return self.loaded[name, needed]

    def _load(self, element: Element, choice: str) -> SolidMesh | None:
        if "builtin" in element.attributes:
            raise element.error("a mesh with 'builtin' is not supported", remedy="Write it to a file.")
        mesh = self._inline(element) if "vertex" in element.attributes else self._from_file(element, choice)
        if mesh is None:
            return None
        with located(element):
            # The format keeps corners as float32; their reference frame and scale act on these.
            corners = mesh.vertices.astype(np.float32).astype(float) - element.numbers("refpos", 3, (0.0, 0.0, 0.0))
            corners = corners @ rotation_from_quaternion(element.numbers("refquat", 4, (1.0, 0.0, 0.0, 0.0)))
            scale = element.numbers("scale", 3, (1.0, 1.0, 1.0))
            if (scale == 0).any():
                raise element.error("factors of a mesh must not be zero", got=scale.tolist(), allowed="not zero")
            faces = mesh.faces if np.prod(np.sign(scale)) > 0 else mesh.faces[:, ::-1]
            return SolidMesh(Mesh(corners * scale, faces), element.word("inertia", "legacy", INERTIA))

    def _inline(self, element: Element) -> Mesh:
        with located(element):
            corners = element.numbers("vertex", (12, LARGEST_TABLE)).reshape(-1, 3)
            if "face" not in element.attributes:
                return _hull(corners)
            return Mesh(corners, element.numbers("face", (3, LARGEST_TABLE)).astype(int).reshape(-1, 3))

    def _from_file(self, element: Element, choice: str) -> Mesh | None:
        name = element.text("file")
        place = self._place(element, Path(name).name if self.compiler.strip_path else name)
        suffix = Path(name).suffix.lower()
        if suffix in (".msh", ".obj") and choice != "skip":
            path = self.folders.find(place, element)
            if path is not None:
                return read_msh(path, element) if suffix == ".msh" else self._from_obj(path, element)
        return load_mesh(element, self.folders, place, np.ones(3), choice, self.report)

    def _from_obj(self, path: Path, element: Element) -> Mesh:
        mesh, left = read_first_object(path, element)
        for what in left:
            self.report.leave(element, f"{what} of {path.name}")
        return mesh

    def _place(self, element: Element, name: str) -> str:
        """Return where a mesh lies: in the folder of meshes or, below it, in that of the file that names it."""
        folder = Path(self.compiler.mesh_folder)
        places = [folder / name, folder / element.folder / name]
        return str(next((place for place in places if self.folders.has(str(place), element)), places[-1]))


def read_msh(path: Path, element: Element) -> Mesh:
    """Return the mesh of a binary .msh file: four counts, corners, normals, texture coordinates, faces."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise element.error(f"the file cannot be read: {error.strerror}", got=path.name) from error
    counts = np.frombuffer(data[:16], "<i4") if len(data) >= 16 else np.zeros(4, int)
    corners, normals, textures, faces = (int(n) for n in counts)
    size = 16 + 12 * corners + 12 * normals + 8 * textures + 12 * faces
    if min(counts) < 0 or corners < 4 or faces < 1 or len(data) != size:
        raise element.error(
            "the file must be a .msh file", got=path.name, remedy="The file may be cut short, or of another format."
        )
    vertices = np.frombuffer(data[16 : 16 + 12 * corners], "<f4").reshape(-1, 3).astype(float)
    table = np.frombuffer(data[size - 12 * faces :], "<i4").reshape(-1, 3).astype(np.int64)
    with located(element):
        return Mesh(vertices, table)
