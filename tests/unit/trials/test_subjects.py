"""Whose trial a file is: conditions, subjects and variants as laboratories name their folders."""

import csv
import io
from pathlib import Path

import pytest

from motiform.base.errors import InputError
from motiform.record import Recording
from motiform.trials.batch import plan_batch
from motiform.trials.figure import FigureSpec, choose_subject
from motiform.trials.subjects import TrialGroup, find_group, other_subject, variants_of
from motiform.trials.table import TABLE, trials_csv
from motiform.trials.trial import TrialOptions

COLUMNS = ("01", "0101", "0103", "02", "Anna", "Subject0402")


@pytest.mark.parametrize(
    ("subject", "found"),
    [
        ("01", [("01", ""), ("0101", "01"), ("0103", "03")]),
        ("1", [("01", ""), ("0101", "01"), ("0103", "03")]),
        ("02", [("02", "")]),
        ("4", [("Subject0402", "02")]),
        ("anna", [("Anna", "")]),
        ("0103", [("0103", "")]),
        ("03", []),
        ("10", []),
    ],
)
def test_columns_of_a_subject(subject, found):
    assert variants_of(COLUMNS, subject) == found


def test_numbers_tell_other_subjects_and_names_do_not():
    assert other_subject("01", "02")
    assert other_subject("0103", "02")
    assert not other_subject("0103", "01")
    assert not other_subject("Anna", "02")
    assert not other_subject("01", "Anna")


@pytest.mark.parametrize(
    ("file", "depth", "group"),
    [
        ("Measures/before/Subject01/walk.c3d", 2, TrialGroup("before", "01")),
        ("Measures/before/Subject01/walk.c3d", 1, TrialGroup("before", "01")),
        ("Measures/before/Subject01/walk.c3d", 0, TrialGroup("before", "01")),
        ("Measures/g1/before/Subject01/walk.c3d", 3, TrialGroup("g1/before", "01")),
        ("Measures/Subject01/before/walk.c3d", 2, TrialGroup("before", "01")),
        ("Measures/before/anna/walk.c3d", 2, TrialGroup("before", "anna")),
        ("Measures/before/walk.c3d", 1, TrialGroup("before", "")),
        ("Measures/walk.c3d", 0, TrialGroup("", "")),
    ],
)
def test_folders_tell_condition_and_subject_whatever_folder_is_named(tmp_path, file, depth, group):
    path = tmp_path / file
    place = Path(*path.parts[-depth - 1 :])
    assert find_group(path, place, COLUMNS) == group


# ---------------------------------------------------------------- variants
MEASURES = {
    "01": {"height": 1.7}, "0101": {"height": 1.71}, "0103": {"height": 1.73}, "02": {"height": 1.8},
}  # fmt: skip


def tree(root):
    for name in ("J1/Subject01/a.trc", "J2/Subject01/a.trc", "J1/Subject02/a.trc"):
        (root / "Measures" / name).parent.mkdir(parents=True)
        (root / "Measures" / name).write_text("PathFileType\t4\n")
    return root / "Measures"


def planned(root, subject=None, paths=None, measures=MEASURES):
    options = TrialOptions(FigureSpec(subjects=measures, subject=subject))
    return plan_batch(paths or [tree(root)], root / "out", options)


def places(batch):
    return {Path(trial.folder).relative_to(batch.out).as_posix(): trial.group.column for trial in batch.trials}


def test_a_trial_is_done_with_each_variant_of_its_subject(tmp_path):
    assert places(planned(tmp_path)) == {
        "J1/Subject01/a": "01", "J1/Subject01/0101/a": "0101", "J1/Subject01/0103/a": "0103",
        "J2/Subject01/a": "01", "J2/Subject01/0101/a": "0101", "J2/Subject01/0103/a": "0103",
        "J1/Subject02/a": "02",
    }  # fmt: skip


def test_one_variant_alone_takes_the_trials_of_its_subject(tmp_path):
    batch = planned(tmp_path, "0103")
    assert places(batch) == {"J1/Subject01/0103/a": "0103", "J2/Subject01/0103/a": "0103"}
    assert [Path(name).parent.name for name in batch.others] == ["Subject02"]
    file = tmp_path / "Measures/J1/Subject02/a.trc"
    assert len(planned(tmp_path, "0103", [file]).trials) == 1  # a file that is named is asked for
    with pytest.raises(InputError, match="no trial is of the subject"):
        planned(tmp_path, "07", [tmp_path / "Measures"], {"07": {}})


def test_another_column_of_the_table_changes_no_other_trial(tmp_path):
    before = {trial.folder: trial.key for trial in planned(tmp_path).trials}
    more = MEASURES | {"0104": {"height": 1.74}, "09": {}}
    after = {trial.folder: trial.key for trial in planned(tmp_path, None, [tmp_path / "Measures"], more).trials}
    assert {name: after[name] for name in before} == before
    assert len(after) == len(before) + 2
    assert len(set(after.values())) == len(set(before.values())) + 1  # equal files of two conditions have one key


def test_results_of_a_variant_and_a_trial_of_its_name_do_not_meet(tmp_path):
    root = tree(tmp_path)
    (root / "J1/Subject01/0103.trc").write_text("PathFileType\t4\n")
    with pytest.raises(InputError, match="the same place"):
        planned(tmp_path, None, [root])


def test_a_file_of_another_subject_than_its_folder_is_refused():
    spec, rec = FigureSpec(subjects=MEASURES), Recording.from_arrays({}, manifest={"subject": "02"})
    with pytest.raises(InputError, match="must be of one subject"):
        choose_subject(spec, rec, Path("Subject01/a.trc"), "01")
    assert choose_subject(spec, rec, Path("a.trc")) == "02"
    variants = FigureSpec(subjects={"0201": {}, "0202": {}})
    with pytest.raises(InputError, match="variants alone"):
        choose_subject(variants, rec, Path("a.trc"))


# ---------------------------------------------------------------- the table
def test_the_table_has_a_row_for_each_trial(tmp_path):
    batch = planned(tmp_path)
    done = {"status": "done", "source": "a.trc", "samples": 3, "rms": 0.0015, "worst": {"tag": "vertex", "rms": 0.01}}
    batch.take(1, done | {"not_settled": 2})
    batch.take(0, None, "RuntimeError: disk\nmore")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / TABLE).read_text())))
    assert [row["trial"] for row in rows] == sorted(places(batch))
    found = {row["trial"]: row for row in rows}
    one, two = (Path(batch.trials[k].folder).relative_to(batch.out).as_posix() for k in (1, 0))
    assert found[two]["error"] == "RuntimeError: disk"
    assert found[one]["rms [m]"] == "0.0015"
    assert (found[one]["worst_tag"], found[one]["not_converged"]) == ("vertex", "2")
    assert [found["J2/Subject01/0103/a"][name] for name in ("condition", "subject", "variant")] == ["J2", "01", "03"]
    assert [row["status"] for row in rows].count("left") == len(rows) - 2


def test_what_is_not_known_is_blank():
    text = trials_csv([{"trial": "b", "rms": float("nan"), "subject": ["A", "B"]}, {"trial": "a"}])
    first, second = csv.DictReader(io.StringIO(text))
    assert (first["trial"], set(first.values())) == ("a", {"a", ""})
    assert (second["rms [m]"], second["subject"]) == ("", "A, B")
