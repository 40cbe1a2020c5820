"""Functions of one family are called in one way."""

import inspect

import pytest

import motiform
from motiform import contact, geometry, joints, matter, measure, record, surfaces
from motiform.motion import tree
from motiform.motion.tree import read

POSITIONAL, KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY


def functions(*modules, names=None):
    """Return the functions that modules export, by name."""
    found = {}
    for module in modules:
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) and (names is None or name in names or name.startswith(tuple(names))):
                found[f"{module.__name__}.{name}"] = value
    return found


def parameters(function, kind):
    return [name for name, one in inspect.signature(function).parameters.items() if one.kind is kind]


OBSTACLES = {
    f"contact.{name}": value
    for name, value in vars(contact).items()
    if inspect.isfunction(value) and "Obstacle" in str(inspect.signature(value).return_annotation)
}
JOINTS = {
    f"joints.{name}": value
    for name, value in functions(joints).items()
    if "Joint" in str(inspect.signature(value).return_annotation)
}
LAWS = functions(matter.links, matter.presets)
READERS = functions(geometry, measure, record, read, names=("read_",))
WRITERS = functions(geometry, measure, record, names=("write_",))
STATES = {name: getattr(tree, name) for name in tree.__all__ if inspect.isfunction(getattr(tree, name))}


def test_the_families_are_found():
    assert {"contact.plane", "contact.floor", "contact.stairs", "contact.from_surface"} <= set(OBSTACLES)
    assert min(map(len, (OBSTACLES, JOINTS, LAWS, READERS, WRITERS))) >= 6


@pytest.mark.parametrize("name", OBSTACLES)
def test_obstacles_take_sizes_in_order_and_the_rest_by_name(name):
    by_place, by_name = parameters(OBSTACLES[name], POSITIONAL), parameters(OBSTACLES[name], KEYWORD)
    assert "name" not in by_place
    if "obstacles_of" not in name:
        assert "name" in by_name
        assert not {"segment", "friction", "restitution", "color", "placement"} & set(by_place)


@pytest.mark.parametrize("name", JOINTS)
def test_joints_take_names_and_limits_by_name(name):
    by_place = parameters(JOINTS[name], POSITIONAL)
    assert not {"name", "names", "limits", "offset", "point"} & set(by_place)


@pytest.mark.parametrize("name", surfaces.__all__)
def test_surfaces_take_sizes_in_order_and_the_side_by_name(name):
    value = getattr(surfaces, name)
    if inspect.isfunction(value):
        assert "inside" not in parameters(value, POSITIONAL)


@pytest.mark.parametrize("name", LAWS)
def test_laws_begin_with_their_strength_and_take_rest_and_damping_by_name(name):
    by_place = parameters(LAWS[name], POSITIONAL)
    assert by_place[:1] in (["stiffness"], ["damping"], [])
    assert not {"rest", "damping"} & set(by_place[1:])


@pytest.mark.parametrize("name", READERS)
def test_readers_take_a_path_and_the_rest_by_name(name):
    assert parameters(READERS[name], POSITIONAL) == ["path"]


@pytest.mark.parametrize("name", WRITERS)
def test_writers_take_what_and_where_and_overwrite_by_name(name):
    by_place, by_name = parameters(WRITERS[name], POSITIONAL), parameters(WRITERS[name], KEYWORD)
    assert len(by_place) == 2
    assert by_place[1] == "path"
    assert "overwrite" in by_name


@pytest.mark.parametrize("name", STATES)
def test_algorithms_of_trees_take_the_figure_first_then_the_state(name):
    order = ["figure", "q", "v", "a", "tau"]
    by_place = [one for one in parameters(STATES[name], POSITIONAL) if one in order]
    assert by_place == sorted(by_place, key=order.index)
    if "figure" in by_place:
        assert parameters(STATES[name], POSITIONAL)[0] == "figure"


@pytest.mark.parametrize("name", ["simulate", "reconstruct", "calibrate", "film", "picture", "export"])
def test_long_work_takes_its_subject_by_place_and_all_else_by_name(name):
    most = {"simulate": 1, "reconstruct": 2, "calibrate": 2, "film": 2, "picture": 2, "export": 2}[name]
    assert len(parameters(getattr(motiform, name), POSITIONAL)) <= most


@pytest.mark.parametrize("name", ["simulate", "film", "picture", "export"])
def test_what_writes_takes_overwrite(name):
    assert "overwrite" in parameters(getattr(motiform, name), KEYWORD)
