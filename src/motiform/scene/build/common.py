"""From a checked scene to the rigid bodies that are simulated; shapes and poses of all scenes."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from motiform.base.errors import MotiformError, SceneError
from motiform.geometry import Compound, MassProperties, Particles, Shape, particles_from_mesh, read_mesh
from motiform.motion.bodies import Bodies, Body, Drag, Environment, Load, Spring, scatter
from motiform.scene.read.load import Scene
from motiform.scene.tables.common import PoseTable
from motiform.scene.tables.schema import BodyTable, ForceTable, SpringTable
from motiform.scene.tables.shapes import ParticleTable, ShapeTable
from motiform.spatial import Transform, rotation_from_cardan, rotation_from_quaternion

__all__ = ["at_table", "build_bodies", "build_pose", "build_shape", "placed"]


def build_bodies(scene: Scene) -> Bodies:
    """Return the rigid bodies of a scene and what acts on them."""
    document = scene.document
    rng = np.random.default_rng(document.scene.seed)
    bodies = [placed(scene, lambda n=n, b=b: _body(scene, n, b, rng), "body", n) for n, b in enumerate(document.body)]
    springs = [placed(scene, lambda s=s: _spring(s), "spring", n) for n, s in enumerate(document.spring)]
    loads = [placed(scene, lambda f=f: _load(f), "force", n) for n, f in enumerate(document.force)]
    with at_table(scene, "environment"):
        environment = _environment(scene)
    model = Bodies(tuple(bodies), tuple(springs), tuple(loads), environment)
    try:
        model.packed  # noqa: B018, its checks belong here, where the file is known
    except MotiformError as error:
        raise SceneError(f"{_place(scene, error.where or '')}: {error}") from error
    return model


def _spring(table: SpringTable) -> Spring:
    a, b = (None if name == "world" else name for name in table.between)
    return Spring(a, b, table.stiffness, *table.at, damping=table.damping, rest=table.rest)


def _load(table: ForceTable) -> Load:
    until = np.inf if table.until is None else table.until
    return Load(table.body, table.force, table.torque, table.at, table.follows, table.start, until)


@contextmanager
def at_table(scene: Scene, *keys: str | int) -> Iterator[None]:
    """Let whatever the values of a table make anything raise end as a SceneError that names file, line and table.

    A scene comes from anyone; this is where its values meet Python objects. The exception stays as the cause.
    """
    try:
        yield
    except (SceneError, Warning):
        raise
    except MotiformError as error:
        raise SceneError(f"{scene.place(*keys)}: {error}") from error
    except ArithmeticError as error:  # Python's own numbers raise where arrays become infinite
        raise beyond_floats(scene, *keys) from error
    except Exception as error:
        message = (
            f"{'.'.join(map(str, keys)) or 'the scene'} cannot be built: {type(error).__name__}: {str(error)[:200]}"
        )
        raise SceneError(message, where=scene.place(*keys)) from error


def placed(scene: Scene, make: Any, *keys: str | int) -> Any:
    """Return what a function makes of a table (`at_table`)."""
    with at_table(scene, *keys):
        return make()


def beyond_floats(scene: Scene, *keys: str | int) -> SceneError:
    """Return the error of numbers whose squares, products or quotients no float holds."""
    remedy = "Look for one near 1e154 or above, or near 1e-154 or below."
    return SceneError("a number must not be so large or small", where=scene.place(*keys), remedy=remedy)


def _place(scene: Scene, where: str) -> str:
    """Return the line of the scene for the place that an error of the model names, such as "spring 2"."""
    names = [body.name for body in scene.document.body]
    found = re.search(r"(body|spring|load|environment)(?: '(.+)'| (\d+))?", where)
    if found is None:
        return scene.place()
    kind, name, number = found.groups()
    index = [names.index(name)] if name in names else [int(number) - 1] if number else []
    return scene.place("force" if kind == "load" else kind, *index)


def _environment(scene: Scene) -> Environment:
    table = scene.document.environment
    given: dict[str, Any] = {"gravity": table.gravity, "air_density": table.air_density, "wind": table.wind}
    if table.gust is not None:
        given |= {"gust": table.gust.amplitude, "gust_direction": table.gust.direction}
        given |= {"gust_length": table.gust.length, "gust_period": table.gust.period}
    return Environment(**given)


def _body(scene: Scene, n: int, table: BodyTable, rng: np.random.Generator) -> Body:
    try:
        shape, properties = build_shape(scene, table.shape)
        properties = _own_properties(table, properties)
        position, rotation = np.array(table.pose.at), build_rotation(table.pose)
        drag = None if table.drag is None else Drag(table.drag.area, table.drag.center, table.drag.spin)
        body = Body(
            table.name, properties, shape, position, rotation, table.velocity, table.spin, table.pinned, drag,
            table.color,
        )  # fmt: skip
        return body if table.copies is None else scatter(body, **table.copies.model_dump(), rng=rng)
    except MotiformError as error:
        text = str(error)
        if error.where is not None and error.where.startswith(("scene ", "body ")):
            text = text.removeprefix(f"{error.where}: ")  # said better here
        raise SceneError(f"{scene.place('body', n)} body {table.name!r}: {text}") from error


def _own_properties(table: BodyTable, properties: MassProperties | None) -> MassProperties:
    """Return the mass properties: the shape's, or those that the body states instead."""
    stated = (table.mass, table.com, table.inertia)
    if properties is None and None in (table.mass, table.inertia):
        raise SceneError("the body has no mass", remedy="Give shape.density, shape.mass, or mass and inertia.")
    if all(value is None for value in stated):
        assert properties is not None
        return properties
    mass = properties.mass if table.mass is None else table.mass  # type: ignore[union-attr]
    center = (properties.com if properties else np.zeros(3)) if table.com is None else np.array(table.com)
    if table.inertia is None:
        assert properties is not None
        inertia = properties.inertia * (mass / properties.mass)
    else:
        inertia = np.array(table.inertia, float)
        inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
    return MassProperties(mass, center, inertia)


def build_rotation(pose: PoseTable) -> np.ndarray:
    """Return the rotation of a pose."""
    if pose.quaternion is not None:
        quaternion = np.array(pose.quaternion)
        return rotation_from_quaternion(quaternion / np.linalg.norm(quaternion))
    if pose.turn is None:
        return np.eye(3)
    return rotation_from_cardan([pose.turn.z, pose.turn.y, pose.turn.x])


def build_pose(pose: PoseTable) -> Transform:
    """Return a pose."""
    return Transform(build_rotation(pose), np.array(pose.at))


def build_shape(scene: Scene, table: ShapeTable) -> tuple[Shape, MassProperties | None]:
    """Return a shape and its mass properties, None where neither density nor mass is given."""
    if table.parts is not None:
        return _compound(scene, table)
    if table.particles is not None:
        return _particles(scene, table, table.particles)
    shape = table.solid() or read_mesh(scene.file(table.mesh or ""), scale=table.scale)
    if table.density is None and table.mass is None:
        return shape, None
    return shape, shape.mass_properties(density=table.density, mass=table.mass)


def _compound(scene: Scene, table: ShapeTable) -> tuple[Shape, MassProperties | None]:
    """Put parts together: each with its own density or mass, or the whole with one."""
    assert table.parts is not None
    made = [(*build_shape(scene, part), build_pose(part.pose)) for part in table.parts]
    shape = Compound(tuple((part, placed) for part, _, placed in made))
    if table.density is not None or table.mass is not None:
        return shape, shape.mass_properties(density=table.density, mass=table.mass)
    own = [properties.moved(placed) for _, properties, placed in made if properties is not None]
    if len(own) < len(made):
        if own:
            raise SceneError(
                "some parts have a mass and some have none", remedy="Give each a density or mass, or the whole."
            )
        return shape, None
    total = own[0]
    for properties in own[1:]:
        total = total + properties
    return shape, total


def _particles(scene: Scene, table: ShapeTable, grains: ParticleTable) -> tuple[Shape, MassProperties | None]:
    """Return particles: those given, which carry their masses, or those that fill a mesh."""
    if grains.mesh is None or grains.spacing is None:
        given = Particles(np.array(grains.points), np.array(grains.masses))
        return given, given.mass_properties(density=table.density, mass=table.mass)
    weightless = table.density is None and table.mass is None
    mesh = read_mesh(scene.file(grains.mesh), scale=table.scale)
    shape = particles_from_mesh(mesh, grains.spacing, density=table.density, mass=1.0 if weightless else table.mass)
    return shape, None if weightless else shape.mass_properties()
