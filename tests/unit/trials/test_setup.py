"""The parameters of a reconstruction as the page sets them: taken, kept in a table, launched."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.measure import read_subjects, write_markers_csv
from motiform.motion.figures import human36
from motiform.motion.tree import tags
from motiform.record import Channel, Recording
from motiform.trials.setup import TAGS, TrialSetup, marker_lines

LEGS = 18  # tags that HuMAnS uses


@pytest.fixture
def file(tmp_path):
    """Markers of a body of 1.6 m, the last with a name of its own."""
    body = human36(1.6, 60.0)
    t = np.arange(20)[:, None] / 50.0
    q = body.neutral() + np.random.default_rng(2).uniform(-0.1, 0.1, body.nq) * np.sin(5 * t)
    x = tags(body, q)[:, :LEGS]
    names = [*body.tag_names[: LEGS - 1], "STRN"]
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=x.shape[1:], rate=50.0)
    rec = Recording.from_arrays({"markers": (channel, x)}, manifest={"labels": {"marker": names}, "up": "y"})
    write_markers_csv(rec, tmp_path / "a.csv")
    return tmp_path / "a.csv"


def test_a_file_with_names_of_tags_is_matched(file):
    setup = TrialSetup(file)
    assert setup.marker_set == TAGS
    assert sum(name is not None for name in setup.correspondence.values()) == LEGS - 1
    assert setup.correspondence["suprasternale"] is None
    body = human36(setup.height, setup.mass)
    assert list(setup.lengths.values()) == list(body.lengths)
    assert setup.tags["vertex"] == tuple(body.tags[27].point)


def test_what_is_set_is_what_is_reconstructed(file):
    setup = TrialSetup(file)
    setup.height, setup.mass = 1.6, 60.0
    setup.take_body()
    setup.correspondence["suprasternale"] = "STRN"
    rec = setup.work()(lambda part: None)
    found = rec.manifest["reconstruct"]
    assert found["rms"] < 1e-9
    assert len(found["per_marker"]) == LEGS
    setup.lengths["L6"] += 0.05  # a thigh that is 5 cm too long: the knee's marker is off by some of that
    assert setup.work()(lambda part: None).manifest["reconstruct"]["rms"] > 2e-3
    setup.correspondence = dict.fromkeys(setup.correspondence)
    with pytest.raises(InputError, match="no tag has a marker"):
        setup.work()


def test_a_table_gets_a_column_more_and_gives_it_back(file, tmp_path):
    setup, table = TrialSetup(file, name="01"), tmp_path / "subjects.csv"
    setup.save(table, table)
    setup.name, setup.height = "0103", 1.62
    setup.lengths["L5"] = 0.4321
    setup.tags["vertex"] = (0.01, 0.2, 0.0)
    setup.save(table, table)
    assert list(read_subjects(table)) == ["01", "0103"]
    other = TrialSetup(file)
    assert other.load(table, "0103") == ["01", "0103"]
    assert (other.name, other.height, other.lengths["L5"]) == ("0103", 1.62, 0.4321)
    assert (other.lengths, other.tags) == (setup.lengths, setup.tags)
    other.load(table)
    assert other.name == "01"
    with pytest.raises(InputError, match="no such subject"):
        other.load(table, "0104")


def test_lines_join_all_tags_of_a_body(file):
    """One drawing: every tag of a limb is reached from every other."""
    setup = TrialSetup(file)
    rec = setup.work()(lambda part: None)
    pairs = marker_lines(rec.manifest["skeleton"])
    reached, before = {0}, 0
    while len(reached) > before:
        before = len(reached)
        reached |= {int(k) for pair in pairs for k in pair if set(map(int, pair)) & reached}
    assert reached == set(range(28))
