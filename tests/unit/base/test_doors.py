"""The doors of public functions: junk ends with an error that names the argument, what is right passes unchanged."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import motiform as mf
from motiform.base.doors import open_doors
from motiform.base.errors import DefectError, InputError, MotiformWarning
from motiform.base.machine import check_steps
from motiform.base.stated import checker_of
from motiform.form.rig import Posed
from motiform.form.screen import continuum_of, lattice_response
from motiform.geometry import Ball, Box, Cylinder
from motiform.geometry.maps import Grid, surface_elements
from motiform.image import CameraPath, show_pictures
from motiform.measure import synthetic_ct, write_subjects
from motiform.measure.plates import center_of_pressure
from motiform.motion.actuation import PostureTask, prioritized
from motiform.motion.actuation.muscles import MuscleModel
from motiform.motion.bones import Cartilage, Ligament
from motiform.motion.contact import solve_contacts
from motiform.motion.matter import Engine, Points
from motiform.motion.matter.coupling import transmission
from motiform.motion.reconstruct import GaitSeries, PlateContact, Series, gait_cycles
from motiform.scene.read.load import image_hints
from motiform.spatial import kinetic_energy, random_rotation, skew
from motiform.spatial.checks import generator


@pytest.mark.parametrize(
    ("function", "arguments", "text"),
    [
        (Grid, {"shape": {"a": 1}, "spacing": [1, 1, 1]}, r"Grid\(\): 'shape' must be a sequence"),
        (prioritized, {"levels": 3.0}, r"prioritized\(\): 'levels' must be a sequence"),
        (mf.figures.human36, {"heigth": 1.8}, "unknown argument .*Did you mean 'height'"),
        (mf.simulate, {}, "the arguments do not fit: missing a required argument: 'what'"),
        (transmission, {"Y": np.eye(2), "omega": [1.0]}, "the arguments do not fit: .*missing"),
        (kinetic_energy, {"matrix": np.eye(6), "twist": np.zeros(4)}, "shape"),
    ],
)
def test_junk_is_named(function, arguments, text):
    with pytest.raises(InputError, match=text):
        function(**arguments)


def _put_flat_state():
    b = mf.NetworkBuilder()
    b.masses("a", np.zeros((1, 3)), mass=1.0)
    engine = Engine(b.build())
    flat = engine.state()
    engine.place(replace(flat, position=flat.position[:, :2]))


_SERIES = Series("no", "hip", "flexion", "r", np.zeros(1))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: mf.FigureBuilder("arm").segment(3, None, None), r"segment"),
        (lambda: mf.Transform.identity().inverse(1), r"Transform\.inverse\(\): the arguments do not fit"),
        (lambda: Points(np.arange(2), {}), r"Points\(\): 'owner' must be a PointsBuilder"),
        (lambda: Cartilage(thickness=10**30), "Cartilage: thickness is out of range"),
        (lambda: mf.joints.revolute((0, 0, 1)).column(10**30), r"column\(\): 'k' must be a number with fewer digits"),
        (lambda: continuum_of(1.0, 1.0, 1e-80, 5), r"continuum_of\(\): it cannot be computed for these values"),
        (lambda: center_of_pressure(np.zeros(4), np.zeros(3), np.zeros(3), np.zeros(3)), "shape"),
        (lambda: solve_contacts(np.eye(2), np.zeros(3), *[np.zeros(0)] * 4), "the matrices must fit together"),
        (lambda: synthetic_ct(blur=1e3), "blurred over less than its size"),
        (lambda: CameraPath.from_hints({}), "must have keys with times"),
        (lambda: mf.figures.human36().recipe.changed({"a": 1}), "no such measure"),
        (lambda: gait_cycles({"a": 1}), r"gait_cycles\(\): 'events' must be a sequence"),
        (lambda: surface_elements(Box((1, 1, 1)).to_mesh(), 1e-5), "a surface is cut into too many pieces"),
        (lambda: Posed((), np.zeros(3), np.zeros(4)), r"Posed\(\): 'rig' must be a Rig"),
        (lambda: Box((1, 1, 1)).stretched(2.0), r"Box\.stretched\(\): the shapes of the arrays do not fit"),
        (lambda: PostureTask(("x",)).codes(mf.figures.human36()), "coordinate"),
        (
            lambda: Grid((2, 2, 2), np.ones(3)).points(object()),
            r"Grid\.points\(\): 'index' must be an array of finite numbers",
        ),
        (lambda: image_hints({"a": np.eye(2)}, {}), "tables, texts and numbers"),
        (lambda: mf.joints.revolute((0, 0, 1)).column(5), r"column\(\): there are fewer of them"),
        (lambda: Box((1, 1, 1)).to_mesh().reach(np.zeros((0, 3))), "it cannot be computed of nothing"),
        (lambda: random_rotation(np.random.default_rng(0), 10**18), "it needs more memory than there is"),
        (lambda: Ball(1.0).stretched(np.eye(3)[None]), r"the arguments do not fit: TypeError, .*stretch \(1, 3, 3\)"),
        (lambda: Grid((2, 2, 2), np.ones(3)).index(print), r"index\(\): 'points' must be an array of finite numbers"),
        (lambda: mf.figures.human36().plain_places(b"x"), r"plain_places\(\): 'segments' must be a sequence"),
        (lambda: write_subjects({"a": "x"}, "x.csv"), r"'subjects' must be a mapping, each a Subject"),
        (lambda: continuum_of(1.0, 1.0, np.timedelta64(1, "s")), r"'spacing' must be a number"),
        (lambda: PlateContact("x", 0.0, 1.0, 0), r"PlateContact\(\): 'plate' must be a whole number"),
        (lambda: PlateContact(), r"PlateContact\(\): the arguments do not fit: missing"),
        (lambda: mf.geometry.Shape(), r"Shape\(\): only its kinds can be made"),
        (lambda: mf.geometry.Solid(1), r"Solid\(\): it takes no arguments"),
        (lambda: MuscleModel(), r"MuscleModel\(\): only its kinds can be made"),
        (lambda: mf.figures.human36().velocity(thorax=None), "a coordinate must get all of its numbers"),
        (lambda: lattice_response(1.0, 1.0, 1, extent=-1), "a response must have a width"),
        (lambda: GaitSeries(np.zeros(1), (), (1,), "").channels(), r"GaitSeries\(\): 'untold' must be a sequence"),
        (lambda: GaitSeries(np.zeros(1), (_SERIES,), (), "").channels(), r"the arguments do not fit: KeyError, 'no'"),
        (_put_flat_state, r"Engine\.\w+\(\): the shapes of the arrays do not fit .*position \(1, 2\)"),
        (lambda: check_steps(10**30), "steps at once must be few enough to end"),
    ],
)
def test_junk_in_methods_and_fields_is_named(call, text):
    with pytest.raises(InputError, match=text):
        call()


def test_exceptions_of_callers_functions_pass():
    def field(points):
        raise ValueError("mine")

    from motiform.form.implicit import polygonise

    with pytest.raises(ValueError, match="mine"):
        polygonise(field, np.array([[[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]]), spacing=0.5)


def test_functions_with_doors_are_found_by_pickle():
    assert pickle.loads(pickle.dumps(skew)) is skew


@pytest.mark.parametrize(
    ("value", "fits"),
    [(np.zeros(2), True), ([1, 2.0], True), ((), True), (3, True), ("a", False), ([1, "a"], False), (None, False),
     ([[1], [1, 2]], False), (np.array(["a"]), False)],
)  # fmt: skip
def test_fields_of_arrays_take_what_becomes_one(value, fits):
    test = checker_of(np.ndarray)
    assert test is not None
    assert test(value) == fits


def test_what_is_no_array_is_told():
    work = _opened(
        "import numpy as np\ndef work(a: np.ndarray, b: np.ndarray | None = None) -> np.ndarray:\n    return a + 1"
    )
    with pytest.raises(InputError, match="'a' must be an array of NumPy"):
        work(range(3), None)


def test_tables_and_iterators_are_told():
    with pytest.raises(InputError, match=r"Cylinder.reach\(\): 'directions' must be an array of NumPy"):
        Cylinder(0.1, 0.2).reach(pd.DataFrame({"a": [1.0, 2.0]}))
    with pytest.raises(InputError, match=r"show_pictures\(\): the arguments do not fit"):
        show_pictures(k for k in range(3))


def test_a_table_in_place_of_two_values_is_told():
    with pytest.raises(InputError, match=r"Ligament\(\): 'bones' must be 2 values"):
        Ligament("tie", "ties", pd.DataFrame({"a": [1.0, 2.0]}), np.zeros((1, 3)), np.ones((1, 3)), 1.0)  # type: ignore[arg-type]


def _opened(text: str):
    """Return the function `work` of a package of that text with its door."""
    package = {"__name__": "motiform.of_tests", "__all__": ["work"], "__file__": __file__}
    exec(text, package)
    open_doors(package)
    return package["work"]


def test_defects_are_told_as_such():
    work = _opened("def work(n: int) -> int:\n    raise RuntimeError('of ours')")
    with pytest.raises(DefectError, match=r"work\(\): motiform has a defect here.*RuntimeError.*of ours") as told:
        work(1)
    assert isinstance(told.value.__cause__, RuntimeError)


@pytest.mark.parametrize("error", [StopIteration, MotiformWarning])
def test_what_python_asks_for_passes(error):
    with pytest.raises(error):
        _opened(f"from motiform.base.errors import MotiformWarning\ndef work() -> None:\n    raise {error.__name__}")()


def test_exceptions_of_compiled_code_are_told():
    work = _opened(
        "import numba, numpy as np\n"
        "@numba.njit\ndef kernel(a):\n    return a.reshape(3, 4)\n"
        "def work(a: np.ndarray) -> np.ndarray:\n    return kernel(a)"
    )
    with pytest.raises(InputError, match=r"the shapes of the arrays do not fit \(got 'argument 1 \(5,\)'\)"):
        work(np.zeros(5))


def test_what_cannot_be_looked_at_is_told():
    work = _opened("def work(a: object, n: int = 0) -> int:\n    return [1][2]")
    with pytest.raises(InputError, match="there are fewer of them"):
        work(np.zeros(()))

    class Odd:
        def __len__(self):
            raise ValueError

    with pytest.raises(DefectError, match="IndexError"):
        work(Odd())


def test_seeds_are_whole_numbers_from_0():
    assert generator(3).random() == np.random.default_rng(3).random()
    for seed in (-1, 1.5, True):
        with pytest.raises(InputError, match="a seed must be a whole number from 0"):
            generator(seed)


@pytest.mark.parametrize("number", [3.0, np.float64(3.0), np.array(3.0)])
def test_whole_numbers_of_another_type_are_told_where_they_do_not_do(number):
    work = _opened("def work(n: int) -> list:\n    return list(range(n + 0))")
    with pytest.raises(InputError, match="'n' must be a whole number, of the type int"):
        work(number)
    assert work(3) == [0, 1, 2]
