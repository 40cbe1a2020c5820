"""A wrist: bones, ligaments and cartilage, and the poses at which it comes to rest."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.base.progress import Progress
from motiform.motion.bones.axes import Axes, find_axes
from motiform.motion.bones.bodies import FIXED, carried_bones, group_bones
from motiform.motion.bones.bone import Bone, BoneResolution
from motiform.motion.bones.crop import crop_long
from motiform.motion.bones.drive import driver_poses
from motiform.motion.bones.dynamics import METHODS, Loads, Method, led_along, weigh
from motiform.motion.bones.fracture import break_bone, break_ligaments, fracture_plane
from motiform.motion.bones.gaps import NeutralGaps
from motiform.motion.bones.ligaments import Ligament, make_ligaments
from motiform.motion.bones.mend import erode_mesh
from motiform.motion.bones.names import CARPALS, check_bone
from motiform.motion.bones.observe import observe_rest, rest_recording
from motiform.motion.bones.pack import PackedBones, pack_wrist
from motiform.motion.bones.read import read_bones
from motiform.motion.bones.settle import about_origin, settle_path
from motiform.motion.bones.system import BonesSystem, record_bones
from motiform.motion.run.identity import identify
from motiform.motion.run.options import check_number
from motiform.record import Event, Recording
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["Cartilage", "Wrist", "from_meshes"]

Contact = Literal["map", "balls"]
_SHORT = 0.035  # [m] of the radius, which flares towards its end: less than that shows its shaft badly


@dataclass(frozen=True)
class Cartilage:
    """Cartilage on the bones: an elastic layer."""

    thickness: float = 7e-4
    """On each bone [m]. For two bones that are nearer than twice this in the neutral pose it is half of their gap."""
    stiffness: float = 1e10
    """Pressure for each metre of compression of both layers together [N/m³], as long as it is small; 10 N/mm³."""
    hardening: float = 1e-4
    """Compression [m] at which the pressure is three times that of a constant stiffness; inf: it stays constant."""

    def __post_init__(self) -> None:
        check_number(self.thickness, "thickness", "Cartilage", above=0.0, most=0.1)
        check_number(self.stiffness, "stiffness", "Cartilage", above=0.0, most=1e100)
        if self.hardening != np.inf:
            check_number(self.hardening, "hardening", "Cartilage", least=1e-12)


@dataclass(frozen=True, eq=False)
class Wrist:
    """A wrist at rest in the pose of its meshes. Frozen: `cut`, `fuse`, `remove` and others give a changed one."""

    bones: Mapping[str, Bone]
    ligaments: tuple[Ligament, ...]
    axes: Axes
    side: Literal["right", "left"]
    cartilage: Cartilage = Cartilage()
    fused: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    """What was mended, converted or doubted when it was made."""
    unit: float = 1.0
    """Unit of the meshes that were given [m]."""
    contact: Contact = "map"
    """How bones touch: by signed maps, or by their covers by balls."""
    gaps: NeutralGaps = field(default_factory=NeutralGaps, repr=False)
    """Gaps between bones in the neutral pose, as far as they were asked for."""

    def settle(
        self,
        flexion: Any = None,
        deviation: Any = None,
        *,
        driver: Any = None,
        driven: str = "capitate",
        carried: Sequence[str] | None = None,
        center: Literal["free", "fixed"] = "free",
        load: float = 0.0,
        tolerance: float = 1e-6,
        progress: Progress | None = None,
    ) -> Recording:
        """Return the wrist at rest for each pose of the driven bone.

        The driven bone is prescribed, radius and ulna do not move, and all other bones take the pose of least energy
        of cartilage and ligaments.

        Parameters
        ----------
        flexion, deviation : angles [rad] of the driven bone from its neutral pose, relative to the radius, one number
            or n; positive towards the palm and towards the ulna. The bone turns about the centre of the head of the
            capitate, which is free to move, by R = exp(flexion · e_flexion) exp(deviation · e_deviation), with
            e_flexion = distal × palmar and e_deviation = radial × distal of `axes`.
        driver : measured poses of the driven bone instead of angles, (n, 4, 4) or a Transform: they take the points of
            its mesh from the neutral pose to where they are in the frame of the radius, in the axes of the meshes [m].
        driven : the bone, or "metacarpals".
        carried : bones that move with the driven one; by default a bone of the distal row carries that row and the
            metacarpals, and a metacarpal the metacarpals.
        center : of angles; "free": only the rotation is prescribed, and the translation is one of rest, too.
        load : with which tendons press the hand towards the forearm, along the radius [N], where the center is free.
        tolerance : the search ends when a step moves no bone by more than this [m] (or 100 rad/m), 1 mm at most.

        Returns
        -------
        A recording with one sample for each pose, in order (its time is its number). `<bone>.position` [m] and
        `<bone>.orientation` (w, x, y, z) take the points of the bone's mesh from the neutral pose to their place,
        x = R(q) x_neutral + position, relative to the radius, in the axes of the meshes. `ligament.tension` [N] and
        `ligament.length` [m] by ligament, `contact.force` [N], `contact.area` [m²] and `contact.gap` [m] by pair of
        bones; `contact.pressure` [Pa] and `contact.point` [m] of surface points under pressure; `energy` [J].
        """
        targets, notes = driver_poses(self.axes, self.bones, flexion, deviation, driver, self.unit)
        if center not in ("free", "fixed"):
            raise InputError("center must be a known rule", where="settle", got=center, allowed="'free', 'fixed'")
        bodies = self.bodies(driven, carried)
        check_number(load, "load", "settle", least=0.0, most=1e4)
        led = driver is None and center == "free"
        if load and not led:
            raise InputError(
                "the driven bone must be free to move where a load presses it", where="settle",
                got=Words("driver=" if driver is not None else "center='fixed'"), remedy="Give angles and no center.",
            )  # fmt: skip
        packed = self.packed(bodies, tolerance, led=led, load=load)
        rest = settle_path(packed, targets, progress)
        manifest = {**self._manifest(bodies, notes), "evaluations": rest.evaluations, "steps": rest.steps, "load": load}
        events = [
            Event(float(i), "unsettled", {"problem": f"the search still moved by {rest.last[i] * 1e3:.2g} mm"})
            for i in rest.lost
        ]
        arrays, at = observe_rest(packed, rest, self.ligaments), np.arange(len(rest.poses), dtype=float)
        return rest_recording(packed, self.ligaments, self._surfaces(), arrays, rest.poses, at, manifest, events)

    def simulate(
        self,
        times: Any,
        flexion: Any = None,
        deviation: Any = None,
        *,
        driver: Any = None,
        driven: str = "capitate",
        carried: Sequence[str] | None = None,
        loads: Loads | None = None,
        density: float = 1500.0,
        method: Method = "semi-implicit",
        step: float = 1e-3,
        tolerance: float = 1e-6,
        out: str | Path | None = None,
        overwrite: bool = False,
        resume: bool = False,
        progress: Progress | None = None,
    ) -> Recording:
        """Return the motion of the free bones in time, from rest in the neutral pose.

        Parameters
        ----------
        times : of the samples [s], increasing, (n,).
        flexion, deviation, driver : of the driven bone at each of the times, as in `settle`; it moves along screws
            between them. Angles turn it about the centre of the head of the capitate, which stays.
        loads : gravity, drag of soft tissue, friction; by default a drag of 50 1/s.
        density : of bones [kg/m³].
        method : "semi-implicit", the linearly implicit Euler method in steps of `step` [s], which damps what is faster
            than that; or "cash-karp", explicit and adaptive with that `tolerance`, which keeps energy but follows the
            vibrations of light bones on stiff cartilage, some kHz.
        out, overwrite, resume : folder that the recording is written to while it grows; whether one that is there is
            replaced, or continued from its last commit, to the same bits. Maps of pressure are added at the end.

        Returns
        -------
        The recording of `settle` with these times, and `energy.kinetic`, `momentum` and `angular_momentum` of the free
        bones.
        """
        at = as_floats(times, where="times")
        if at.ndim != 1 or len(at) == 0 or (np.diff(at) <= 0).any():
            raise InputError("times must increase", where="times", got=Words(str(at.shape)), allowed="(n,), increasing")
        if method not in METHODS:
            raise InputError("no such method", where="simulate", got=method, allowed=", ".join(METHODS))
        for name, value in (("density", density), ("step", step), ("tolerance", tolerance)):
            check_number(value, name, "simulate", above=0.0)
        targets, notes = driver_poses(self.axes, self.bones, flexion, deviation, driver, self.unit)
        if len(targets.translation) != len(at):
            got = Words(f"{len(targets.translation)} poses at {len(at)} times")
            raise InputError("there must be a pose for each time", where="simulate", got=got)
        bodies = self.bodies(driven, carried)
        packed, masses = weigh(self.packed(bodies), self.bones, density)
        goal = led_along(at, about_origin(targets, packed.shift))
        acting = loads or Loads(drag=50.0)
        manifest = {
            **self._manifest(bodies, notes), "method": method, "loads": asdict(acting), "density": density,
            "key": identify(packed, masses, targets, at, acting, method, step, tolerance)[0],
        }  # fmt: skip
        system = BonesSystem(
            packed, masses, goal, at, acting, method, step=step, tolerance=tolerance, ligaments=self.ligaments
        )
        return record_bones(
            system, self._surfaces(), manifest, out=out, overwrite=overwrite, resume=resume, progress=progress
        )

    def _surfaces(self) -> dict[str, Array]:
        """Return points all over the surface of each bone [m], some 0.5 mm apart."""
        return {name: np.asarray(bone.tree.data) for name, bone in self.bones.items()}

    def _manifest(self, bodies: tuple[tuple[str, ...], ...], notes: Sequence[str]) -> dict[str, Any]:
        return {
            "kind": "wrist", "image": {"plot": ["contact.force", "ligament.tension"], "ground": False},
            "side": self.side, "driven": list(bodies[1]), "fused": [list(g) for g in self.fused],
            "notes": [*self.notes, *notes],
            "axes": {k: getattr(self.axes, k).tolist() for k in ("distal", "radial", "palmar", "center")},
            "cartilage": asdict(self.cartilage), "contact": self._contact(),
        }  # fmt: skip

    def _contact(self) -> dict[str, Any]:
        """Return how bones touch, with the number of balls and the shortfall [m] of each cover."""
        if self.contact == "map":
            return {"kind": "map"}
        covers = {name: {"balls": len(bone.cover), "short": bone.cover.short} for name, bone in self.bones.items()}
        return {"kind": "balls", "covers": covers}

    def bodies(self, driven: str = "capitate", carried: Sequence[str] | None = None) -> tuple[tuple[str, ...], ...]:
        """Return which bones move together: the fixed ones, the driven ones, then each free body."""
        return group_bones(list(self.bones), carried_bones(driven, self.bones, carried), self.fused)

    def packed(
        self, bodies: tuple[tuple[str, ...], ...], tolerance: float = 1e-6, *, led: bool = False, load: float = 0.0
    ) -> PackedBones:
        """Return the wrist as kernels read it; `led`: of the driven body only the rotation is prescribed, under a load
        towards the forearm [N]."""
        layer = self.cartilage
        check_number(tolerance, "tolerance", "settle", above=0.0, most=1e-3)
        reaches = self.gaps.reaches(self.bones, bodies, 2.0 * self.cartilage.thickness)
        return pack_wrist(
            self.bones, bodies, self.ligaments, reaches, self.axes.center, layer.stiffness, layer.hardening, tolerance,
            led, self.contact == "balls", -load * self.axes.distal,
        )  # fmt: skip

    # ---------------------------------------------------------------- surgery
    def cut(self, *names: str) -> "Wrist":
        """Return the wrist without these ligaments: a name, or the group of all its parts ("scapholunate")."""
        gone = self._ligaments(names)
        return replace(self, ligaments=tuple(lig for lig in self.ligaments if lig.name not in gone))

    def replace_ligament(self, name: str, **changes: Any) -> "Wrist":
        """Return the wrist with other numbers of a ligament or a group, such as stiffness [N/m], slack, toe, over."""
        chosen = self._ligaments((name,))
        allowed = [own.name for own in fields(Ligament) if own.name not in ("name", "group", "bones")]
        for key in changes:
            if key not in allowed:
                raise InputError(
                    "a ligament has no such property to change", where=name, got=key, allowed=", ".join(allowed)
                )
        return replace(
            self, ligaments=tuple(replace(lig, **changes) if lig.name in chosen else lig for lig in self.ligaments)
        )

    def tighten(self, name: str, ratio: float) -> "Wrist":
        """Return the wrist with a ligament, or a group, that pulls from so much of its slack length on."""
        if not (isinstance(ratio, (int, float)) and np.isfinite(ratio) and ratio > 0):
            raise InputError("ratio must be above 0", where="tighten", got=ratio, allowed="a number above 0")
        chosen = self._ligaments((name,))
        return replace(
            self,
            ligaments=tuple(
                replace(lig, slack=lig.slack * ratio) if lig.name in chosen else lig for lig in self.ligaments
            ),
        )

    def attach(self, ligament: Ligament) -> "Wrist":
        """Return the wrist with another ligament, such as a graft."""
        for bone in (*ligament.bones, *ligament.over):
            check_bone(bone, self.bones, f"ligament {ligament.name}")
        if ligament.name in {lig.name for lig in self.ligaments}:
            raise InputError("there is a ligament of this name already", where="attach", got=ligament.name)
        return replace(self, ligaments=(*self.ligaments, ligament))

    def fuse(self, *names: str) -> "Wrist":
        """Return the wrist with bones that move as one."""
        bones = tuple(dict.fromkeys(check_bone(name, self.bones, "fuse") for name in names))
        if len(bones) < 2:
            raise InputError("a fusion takes two bones or more", where="fuse", got=names, allowed=", ".join(self.bones))
        return replace(self, fused=(*self.fused, bones))

    def fracture(self, name: str, through: Any = 0.5, *, normal: Any = None, gap: float = 2e-4) -> "Wrist":
        """Return the wrist with a bone broken in two, `NAME_proximal` and `NAME_distal`, by a plane.

        Parameters
        ----------
        name : a carpal bone.
        through : a point of the plane [m], or how far along the bone it is, from 0 (proximal) to 1 (distal).
        normal : of the plane; the long axis of the bone if not given.
        gap : width of the fracture [m]; there is no cartilage in it, but what fits.

        Fibres of ligaments stay on the fragment where they end. Nothing joins the fragments: `fuse` them for a screw.
        """
        bone = self.bones[check_bone(name, [b for b in self.bones if b in CARPALS], "fracture")]
        check_number(gap, "gap", "fracture", above=0.0, most=5e-3)
        point, direction = fracture_plane(bone, through, normal, self.axes.of(bone.name)[0])
        parts = break_bone(bone, point, direction, gap)
        if any(bone.name in group for group in self.fused):
            raise InputError("a bone must be broken before it is fused", where="fracture", got=bone.name)
        bones: dict[str, Bone] = {}
        for other in self.bones.values():
            bones |= {part.name: part for part in (parts if other is bone else (other,))}
        ligaments = break_ligaments(self.ligaments, bone.name, parts, point, direction)
        return replace(self, bones=bones, ligaments=ligaments, gaps=NeutralGaps())

    def remove(self, *names: str) -> "Wrist":
        """Return the wrist without bones, and without the ligaments that end on them."""
        gone = {check_bone(name, [b for b in self.bones if b != "radius"], "remove") for name in names}
        kept = [lig for lig in self.ligaments if not gone & set(lig.bones)]
        return replace(
            self,
            bones={name: bone for name, bone in self.bones.items() if name not in gone},
            ligaments=tuple(replace(lig, over=tuple(b for b in lig.over if b not in gone)) for lig in kept),
            fused=tuple(g for g in (tuple(b for b in group if b not in gone) for group in self.fused) if len(g) > 1),
        )

    def _ligaments(self, names: Sequence[str]) -> set[str]:
        known = {lig.name for lig in self.ligaments} | {lig.group for lig in self.ligaments}
        for name in names:
            if name not in known:
                remedy = closest(name, known) if isinstance(name, str) else None
                raise InputError(
                    "no such ligament", where="ligaments", got=name, allowed=", ".join(sorted(known)), remedy=remedy
                )
        return {lig.name for lig in self.ligaments if lig.name in names or lig.group in names}


def from_meshes(
    meshes: Any,
    *,
    side: Literal["right", "left"] = "right",
    unit: str | None = None,
    cartilage: Cartilage | None = None,
    fineness: BoneResolution | None = None,
    erode: float = 0.0,
    ligaments: Sequence[Ligament] | None = None,
    contact: Contact = "map",
) -> Wrist:
    """Return a wrist from the surfaces of its bones in one common frame, in a neutral pose.

    Parameters
    ----------
    meshes : {bone: mesh} or a folder of STL, PLY or OBJ files named after bones (radius or rad, scaphoid or sca, …,
        metacarpal3 or mc3). A mesh is a path, a Mesh, an object with vertices and faces (trimesh) or a pair of
        arrays. Radius and capitate must be there; every other bone may be missing.
    side : which wrist it is. The bones decide where they show another one, with a note.
    unit : unit of the meshes: "m", "cm", "mm", "um" or "in". Without it they are in metres, or, with a note, in that
        unit in which the capitate has the size of one.
    cartilage, fineness : other than by default.
    erode : [m] by which the surfaces are moved inwards: for meshes that touch or overlap because they were made for
        pictures, or segmented too widely. Poses are those of the meshes as they were given.
    ligaments : instead of those of the table, found by landmarks.
    contact : how bones touch: "map", surface points in the signed map of the other bone; or "balls", in its cover by
        balls of the medial axis, whose resolution is `fineness.voxels`.
    """
    if contact not in ("map", "balls"):
        raise InputError("contact must be of a known kind", where="contact", got=contact, allowed="'map', 'balls'")
    if side not in ("right", "left"):
        raise InputError("side must be that of a hand", where="side", got=side, allowed="'right', 'left'")
    if not (isinstance(erode, (int, float)) and 0.0 <= erode <= 2e-3):
        raise InputError("erode is out of range", where="from_meshes", got=erode, allowed="0 to 0.002 m")
    found, scale, notes = read_bones(meshes, unit)
    found = {name: erode_mesh(mesh, erode) for name, mesh in found.items()} if erode else found
    axes = find_axes(found, side)
    if axes.side is None:
        notes.append(f"Neither pisiform nor trapezium shows which wrist this is; it is taken as a {side} one.")
    elif axes.side != side:
        notes.append(f"The bones are those of a {axes.side} wrist, not of a {side} one, and are taken as such.")
    missing = [name for name in FIXED[1:] if name not in found]
    if missing:
        notes.append("There is no ulna: its ligaments are missing.")
    if axes.shown < _SHORT:
        notes.append(
            f"The radius shows its last {1e3 * axes.shown:.0f} mm: the forearm's direction is known to 10° to 20°."
        )
    fine = fineness or BoneResolution()
    bones = {name: Bone(name, mesh, fine, crop_long(name, mesh, found)) for name, mesh in found.items()}
    gaps = NeutralGaps()
    notes += gaps.overlaps(bones)
    chosen = make_ligaments(bones, axes) if ligaments is None else tuple(ligaments)
    return Wrist(
        bones, chosen, axes, axes.side or side, cartilage or Cartilage(), (), tuple(notes), scale, contact, gaps
    )
