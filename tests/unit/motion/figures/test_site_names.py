"""Markers that say their sites in other letters, and the table of likely sites for those that do not."""

import pytest

from motiform.base.errors import RecordingError
from motiform.measure.names import bare_name
from motiform.motion.figures.human36_table import TAGS
from motiform.motion.figures.marker_sets import MARKER_SETS, SITES, read_sites
from motiform.motion.figures.site_names import likely_site, sites_of_names, write_sites

OWN = {bare_name(tag) for tag in TAGS}


@pytest.mark.parametrize("write", [str.upper, str.title, lambda s: s.replace("_", "."), lambda s: s.replace("_", " "),
                                   lambda s: s.replace("_", "-"), lambda s: s, lambda s: f"Anna:{s}",
                                   lambda s: "_".join([*s.split("_")[1:], s[0]])])  # fmt: skip
def test_letters_and_separators_do_not_matter(write):
    for site in SITES:
        if site[:2] in ("r_", "l_") and bare_name(site) not in OWN:
            name = write(site)
            assert sites_of_names([name]) == {name: site}


def test_names_that_sets_understand_differently_are_not_sure():
    assert MARKER_SETS["cmu-41"]["LTOE"] != MARKER_SETS["plug-in-gait"]["LTOE"]
    assert sites_of_names(["LTOE", "RKNE", "nonsense"]) == {"RKNE": "r_lateral_knee"}
    assert likely_site("LTOE") == "l_metatarsal2"


@pytest.mark.parametrize(("name", "site"), [
    ("R_MED_KNEE", "r_medial_knee"), ("RMedAnkle", "r_medial_malleolus"), ("L_Ankle_Med", "l_medial_malleolus"),
    ("LLatEpi", "l_lateral_knee"), ("ThighR", "r_thigh"), ("left heel", "l_heel"), ("Rt_Elbow", "r_lateral_elbow"),
    ("SACR", "sacrum"), ("Point7", ""),
])  # fmt: skip
def test_likely_sites(name, site):
    assert likely_site(name) == site


def test_every_likely_site_of_known_names_is_a_site():
    for known in MARKER_SETS.values():
        for name in known:
            assert likely_site(name) in (*SITES, "")


def test_the_table_is_read_as_it_is_written(tmp_path):
    names = ["R_MED_KNEE", "Point7", "L HEEL, old"]
    write_sites(names, tmp_path / "m.csv")
    assert read_sites(tmp_path / "m.csv") == {"R_MED_KNEE": "r_medial_knee", "L HEEL, old": "l_heel"}
    text = (tmp_path / "m.csv").read_text("utf-8")
    assert all(site in text for site in SITES)  # what may be filled in
    with pytest.raises(RecordingError, match="exists already"):
        write_sites(names, tmp_path / "m.csv")
