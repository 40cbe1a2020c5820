"""References of gait: from sessions of controls, from one session, from tables of bands."""

import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from motiform.base.errors import InputError, MotiformError
from motiform.motion.postures import read_reference, write_reference
from motiform.motion.postures.gait.indices import PROFILE

P = np.linspace(0, 2 * np.pi, 101)


def session(subject, seed, conditions=("",), **more):
    """A session of the nine curves with three cycles for each side."""
    rng = np.random.default_rng(seed)
    sets = []
    for condition in conditions:
        for side in "lr":
            for k, title in enumerate(PROFILE):
                patterns = np.stack([np.sin(n * P) for n in range(1, 10)])
                mean = 20 * np.sin(P + k) + 3 * (rng.normal(size=9) @ patterns)
                cycles = mean + rng.normal(0, 1, (3, 1))
                sets.append((condition, side, title, cycles))
    shared = [{"condition": c, "side": s, "title": t, "unit": "°"} for c, s, t, _ in sets]
    return {
        "kind": "motiform session", "version": 1, "subject": subject, "convention": "isb",
        "conditions": list(conditions),
        "means": [{**one, "mean": y.mean(0).tolist()} for one, (*_, y) in zip(shared, sets, strict=True)],
        "curves": [{**one, "curves": y.tolist()} for one, (*_, y) in zip(shared, sets, strict=True)],
        **more,
    }  # fmt: skip


def written(folder, name, made):
    path = folder / name
    path.write_text(json.dumps(made))
    return path


@pytest.fixture
def controls(tmp_path):
    made = [session(f"c{k}", k) for k in range(10)]
    return made, [written(tmp_path, f"c{k}.json", one) for k, one in enumerate(made)]


def test_bands_are_those_between_the_controls(controls, tmp_path):
    made, files = controls
    write_reference(files, tmp_path / "r.json", source="ten people")
    found = read_reference(tmp_path / "r.json")
    assert (found.source, found.subjects, found.convention, len(found.controls)) == ("ten people", 10, "isb", 20)
    each = np.array(
        [np.mean([m["mean"] for m in one["means"] if m["title"] == "knee flexion"], axis=0) for one in made]
    )
    low, high = found.band_of("knee flexion", "°")
    assert_allclose(found.mean_of("knee flexion", "°"), each.mean(0), rtol=1e-12)
    assert_allclose((high - low) / 2, each.std(0, ddof=1), rtol=1e-9)
    index = found.deviation_index()
    assert np.mean([index.of(one) for one in found.controls]) == pytest.approx(100.0, abs=1e-9)
    # no control has a constant offset: their features do not hold it, and no index is told
    far = {title: curve + 30 for title, curve in found.controls[0].items()}
    assert np.isnan(index.of(far))
    patients = []
    for k in range(4):
        one = session(f"p{k}", 20 + k)
        for row in one["means"]:
            row["mean"] = (np.array(row["mean"]) + 20 + 5 * k).tolist()
        patients.append(written(tmp_path, f"p{k}.json", one))
    write_reference(files, tmp_path / "r2.json", source="ten people", patients=patients)
    other = read_reference(tmp_path / "r2.json")
    assert_allclose(other.mean_of("knee flexion", "°"), found.mean_of("knee flexion", "°"), rtol=1e-12)
    assert other.deviation_index().of(far) < 80.0


def test_one_session_has_bands_between_its_cycles(tmp_path):
    made = session("p", 1, ("bare", "shod"))
    path = written(tmp_path, "session.json", made)
    found = read_reference(f"{path}:shod")
    own = [one for one in made["curves"] if (one["title"], one["condition"]) == ("hip flexion", "shod")]
    cycles = np.concatenate([one["curves"] for one in own])
    assert_allclose(found.mean_of("hip flexion", "°"), cycles.mean(0), rtol=1e-12)
    low, high = found.band_of("hip flexion", "°")
    assert_allclose((high - low) / 2, cycles.std(0, ddof=1), rtol=1e-9)
    with pytest.raises(InputError, match="of 1 subject"):
        found.deviation_index()
    with pytest.raises(InputError, match="must be given with one of them"):
        read_reference(path)
    with pytest.raises(InputError, match="no such condition"):
        read_reference(f"{path}:boots")


@pytest.mark.parametrize(("heads", "known"), [("mean,sd", True), ("low,high", False)])
def test_a_table_of_bands_tells_scores_where_it_has_means(tmp_path, heads, known):
    path = tmp_path / "bands.csv"
    path.write_text(f"# ours\nquantity,percent,{heads}\nknee flexion [°],0,5,6\nknee flexion [°],100,6,8\n")
    found = read_reference(path)
    assert found.band_of("knee flexion", "°") is not None
    assert (found.mean_of("knee flexion", "°") is not None) == known
    assert bool(found.profile_means()) == known
    with pytest.raises(InputError, match="got '0 curves of 0 subjects'"):
        found.deviation_index()


def test_what_is_refused(controls, tmp_path):
    made, files = controls
    with pytest.raises(InputError, match="a reference must have subjects, each once"):
        write_reference([files[0], files[0]], tmp_path / "r.json", source="twice")
    other = written(tmp_path, "other.json", {**made[1], "convention": "plug-in-gait"})
    with pytest.raises(InputError, match="the convention of angles must be one"):
        write_reference([files[0], other], tmp_path / "r.json", source="mixed")
    write_reference(files[:2], tmp_path / "r.json", source="two")
    with pytest.raises(InputError, match="a reference must be made of sessions"):
        write_reference([tmp_path / "r.json", files[0]], tmp_path / "s.json", source="of a reference")
    with pytest.raises(InputError, match="a reference has no conditions"):
        read_reference(f"{tmp_path / 'r.json'}:bare")
    for text, words in (
        ("{", "must be JSON"),
        ("[]", "the kind of the file"),
        ('{"kind": "x"}', "the kind of the file"),
    ):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(InputError, match=words):
            read_reference(tmp_path / "bad.json")
    later = written(tmp_path, "later.json", {**made[0], "version": 2})
    with pytest.raises(InputError, match="the version of the file must be known"):
        read_reference(later)
    with pytest.raises(InputError, match="no such file"):
        read_reference(tmp_path / "nothing.json")


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=True) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.slow
@given(
    kind=st.sampled_from(["motiform session", "motiform gait reference"]),
    changed=st.sampled_from(["means", "curves", "conditions", "subject", "controls", "convention"]),
    value=VALUES,
)
def test_any_content_is_a_reference_or_an_error_of_ours(tmp_path_factory, kind, changed, value):
    made = {**session("p", 1), "kind": kind, "controls": [{"subject": "p", "sides": {}, "cycles": {}}], changed: value}
    path = written(tmp_path_factory.mktemp("fuzz"), "r.json", made)
    for work in (read_reference, lambda file: write_reference([file, file], file.with_name("o.json"), source="")):
        with suppress(MotiformError):
            work(path)
