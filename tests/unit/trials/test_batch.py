"""Which files of markers are trials, and where their results go."""

from pathlib import Path

import pytest

from motiform.base.errors import InputError
from motiform.trials.batch import find_trials, names_of
from motiform.trials.inputs import forces_of


def touch(root, *names):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("PathFileType\t4\n")


def names(paths, **options):
    return names_of(find_trials(paths, **options))


TREE = ("before/Subject01/walk.trc", "before/Subject02/walk.trc", "after/Subject01/walk.trc")


def test_a_tree_of_folders_is_mirrored(tmp_path):
    touch(tmp_path, *TREE)
    assert names([tmp_path]) == ["after/Subject01/walk", "before/Subject01/walk", "before/Subject02/walk"]


@pytest.mark.parametrize("order", [1, -1])
def test_equal_names_in_two_conditions_stay_apart_in_any_order(tmp_path, order):
    """As folders or as files, and each file has the same name whatever the order of arguments."""
    touch(tmp_path, *TREE)
    expected = {"before/Subject01/walk", "before/Subject02/walk", "after/Subject01/walk"}
    assert set(names([tmp_path / "before", tmp_path / "after"][::order])) == expected
    files = find_trials([tmp_path / name for name in TREE][::order])
    for file, name in zip(files, names_of(files), strict=True):
        assert file == tmp_path / f"{name}.trc"


def test_files_with_names_of_their_own_keep_these(tmp_path):
    touch(tmp_path, "a/walk1.trc", "b/walk2.trc")
    assert names([tmp_path / "a/walk1.trc", tmp_path / "b", tmp_path / "a/walk1.trc"]) == ["walk1", "walk2"]


def test_results_are_never_inside_those_of_another_trial(tmp_path):
    """Names that differ in their endings alone, and a file beside a folder of its name."""
    touch(tmp_path, "walk.trc", "walk.csv", "walk/fast.trc", "Run.trc", "run/one.trc")
    found = find_trials([tmp_path])
    made = [name.lower() for name in names_of(found)]
    assert len(set(made)) == len(found) == len(made)
    assert not {p.as_posix() for name in made for p in Path(name).parents} & set(made)


def test_results_and_recordings_are_no_trials(tmp_path):
    touch(tmp_path, "a.trc", "out/b.trc", "done/summary.json", "done/x/c.trc", "d.mf/e.trc", ".git/f.trc")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert names([tmp_path], leave_out=[tmp_path / "out"]) == ["a"]
    with pytest.raises(InputError, match="the folder has no trials"):
        find_trials([tmp_path], leave_out=[tmp_path / "out", tmp_path / "a.trc"])


def test_forces_have_the_tree_of_the_trials(tmp_path):
    touch(tmp_path, *TREE, "loads/before/Subject01/walk.mot", "loads/Subject01/walk.mot")
    assert forces_of(tmp_path / TREE[0], str(tmp_path / "loads")) == tmp_path / "loads/before/Subject01/walk.mot"
    assert forces_of(tmp_path / TREE[2], str(tmp_path / "loads")) == tmp_path / "loads/Subject01/walk.mot"
    with pytest.raises(InputError, match="no forces of the trial"):
        forces_of(tmp_path / TREE[1], str(tmp_path / "loads"))


def test_a_file_that_cannot_be_read_is_a_row_with_its_error(tmp_path, monkeypatch):
    """The others are planned; folders of forces without those of a trial, too."""
    from motiform.trials.batch import plan_batch
    from motiform.trials.trial import TrialOptions

    touch(tmp_path, "in/a.trc", "in/b.trc", "loads/a.mot")
    options = TrialOptions(forces=str(tmp_path / "loads"))
    batch = plan_batch([tmp_path / "in"], tmp_path / "out", options)
    assert [Path(trial.source).name for trial in batch.trials] == ["a.trc"]
    assert [(row["trial"], row["status"]) for row in batch.rows] == [("b", "failed")]
    assert "no forces of the trial" in batch.rows[0]["error"]
