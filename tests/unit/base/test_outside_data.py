"""Outside data ends with errors of motiform that have their cause; calls in Python keep Python's own exceptions."""

import errno

import numpy as np
import pytest

from motiform.base.errors import InputError, RecordingError, RunError, outside_data
from motiform.base.files import reads_file


@pytest.mark.parametrize("cause", [KeyError("x"), ZeroDivisionError("x"), RecursionError("x"), UnicodeError("x")])
def test_what_a_file_makes_anything_raise_is_reported_with_its_cause(cause):
    text = f"it cannot be read: {type(cause).__name__}: .*x"
    with pytest.raises(RecordingError, match=text) as caught, outside_data("a.mf", "it cannot be read", RecordingError):
        raise cause
    assert str(caught.value).startswith("a.mf: ")
    assert caught.value.__cause__ is cause


def test_errors_of_motiform_and_ends_of_the_process_go_on():
    for error in (RunError("the disk is full"), KeyboardInterrupt(), UserWarning("w")):
        with pytest.raises(type(error)) as caught, outside_data("a", "it cannot be read"):
            raise error
        assert caught.value is error


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, RunError), (errno.EMFILE, RunError), (errno.ENOENT, InputError)]
)
def test_errors_of_the_system_are_of_the_machine_or_of_the_input(number, kind):
    with pytest.raises(kind, match=r"b\.csv: it cannot be read: no") as caught, outside_data("a", "it cannot be read"):
        raise OSError(number, "no", "b.csv")
    assert type(caught.value) is kind


def test_readers_name_the_file_and_leave_arguments_to_python():
    @reads_file("numbers")
    def read(path: str, *, scale: float = 1.0) -> float:
        return scale * float(path)

    assert read("2", scale=3.0) == 6.0
    with pytest.raises(InputError, match="two: the file cannot be read as numbers: ValueError: could not"):
        read("two")
    with pytest.raises(TypeError, match=r"read\(\) got an unexpected keyword argument 'scal'"):
        read("2", scal=3.0)
    with pytest.raises(TypeError, match=r"read\(\) missing a required argument: 'path'"):
        read()


def test_a_defect_in_a_call_is_not_reported_as_wrong_arguments(monkeypatch):
    """An internal KeyError of a function with an array argument stays what it is."""
    from motiform.spatial import inertia

    def fail(*_args, **_kwargs):
        raise KeyError("of ours")

    monkeypatch.setattr(inertia, "as_floats", fail)
    with pytest.raises(KeyError, match="of ours"):
        inertia.kinetic_energy(np.eye(6), np.zeros(6))
