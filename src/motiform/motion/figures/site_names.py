"""Sites by the names that laboratories give their markers, where these are of no marker set."""

import re
from collections.abc import Sequence
from pathlib import Path

from motiform.measure.names import bare_name
from motiform.motion.figures.human36_table import TAGS
from motiform.motion.figures.marker_sets import MARKER_SETS, SITES
from motiform.record.files import disk, new_file, write_file

__all__ = ["likely_site", "sites_of_names", "write_sites"]

_SIDES = {"r": "r", "right": "r", "rt": "r", "l": "l", "left": "l", "lt": "l"}
# What parts of names say, the first that fits: the more special ones come first.
_WORDS = (
    ("metatarsal1", r"mt1|mth1|1mt|1meta|meta1|fmh|d1m|toe ?med|med\w* toe"),
    ("metatarsal5", r"mt5|mth5|5mt|5meta|meta5|vmh|d5m|toe ?lat|lat\w* toe"),
    ("metatarsal2", r"mt2|mth2|2mt|2meta|meta2|d2m|toe|forefoot"),
    ("heel", r"heel|hee|cal|calc"),
    ("medial_malleolus", r"(med|m|in)\w* ?(mal|ank)|mmal|ank\w* ?(med|m|in)"),
    ("lateral_malleolus", r"mal|ank"),
    ("medial_knee", r"(med|m|in)\w* ?(knee|epi|kne|cond)|kne\w* ?(med|m|in)\w*|mfc|mfe"),
    ("tibial_tuberosity", r"tub|tt"),
    ("fibula_head", r"fib|hf"),
    ("lateral_knee", r"kne|lfc|lfe|(lat|l)\w* ?(epi|cond)"),
    ("asis", r"asis|asi|ias"),
    ("psis", r"psis|psi|ips"),
    ("iliac_crest", r"crest|iliac|ic"),
    ("trochanter", r"troc|gt|gtr"),
    ("shank", r"shank|tib|shin|sh\d|tb\d|sk\d"),
    ("thigh", r"thigh|thi|th\d|femur"),
    ("acromion", r"acr|shoulder|sho"),
    ("upper_arm", r"upper ?arm|bicep|hum|ua\d?|uarm"),
    ("medial_elbow", r"(med|m|in)\w* ?elb|elb\w* ?(med|m|in)"),
    ("lateral_elbow", r"elb"),
    ("ulnar_styloid", r"uln|wrb|wri\w* ?(med|m|in)"),
    ("radial_styloid", r"rad|wra|wri"),
    ("forearm", r"fore ?arm|fa\d?|frm"),
    ("metacarpal2", r"hand|fin|mc2|hm2"),
    ("metacarpal5", r"mc5|hm5"),
)
_MIDDLE = (("sacrum", r"sac\w*"), ("c7", r"c7|cv7"), ("t10", r"t10|tv10"), ("clavicle", r"clav\w*|ij|jug\w*"),
           ("sternum", r"ster\w*|xi\w*|px"), ("vertex", r"(top )?head( top)?|vertex"))  # fmt: skip


def _spoken(name: str) -> tuple[str, str]:
    """Return the side of a name, "" where it tells none, and the rest in words."""
    plain = re.sub(r"([a-z])([A-Z])", r"\1 \2", name.rsplit(":", 1)[-1])
    parts = [part for part in re.split(r"[\s_.\-]+", plain.lower()) if part]
    for k in (0, -1):
        if len(parts) > 1 and parts[k] in _SIDES:
            side = _SIDES[parts[k]]
            del parts[k]
            return side, " ".join(parts)
    text = " ".join(parts)
    return (text[0], text[1:].strip()) if text[:1] in ("r", "l") and len(text) > 2 else ("", text)


_SPOKEN = {_spoken(site): site for site in SITES}


def _known() -> dict[str, str]:
    """Return {bare name: site} of all marker sets, without names of which sets think differently."""
    found: dict[str, set[str]] = {}
    for known in MARKER_SETS.values():
        for marker, site in known.items():
            found.setdefault(bare_name(marker), set()).add(site)
    return {name: next(iter(sites)) for name, sites in found.items() if len(sites) == 1}


def sites_of_names(names: Sequence[str]) -> dict[str, str]:
    """Return {marker: site} of names that say their site, such as R_ASIS, `r asis` or ASIS.R, or that all sets know.

    Tags of Human36 itself are not among them: they are found by their own names.
    """
    known, own = _known(), {bare_name(tag) for tag in TAGS}
    found: dict[str, str] = {}
    for name in names:
        site = _SPOKEN.get(_spoken(name)) or known.get(bare_name(name))
        if site is not None and bare_name(name) not in own:
            found[name] = site
    return found


def likely_site(name: str) -> str:
    """Return the site that a name most likely means, "" where nothing tells."""
    sure = sites_of_names([name]).get(name)
    if sure is not None:
        return sure
    side, words = _spoken(name)
    for site, pattern in _WORDS if side else ():
        if re.match(rf"(?:{pattern})", words):
            return f"{side}_{site}"
    for site, pattern in _MIDDLE:
        if re.fullmatch(pattern, words if not side else side + words):
            return site
    return ""


def write_sites(names: Sequence[str], path: str | Path, *, overwrite: bool = False) -> None:
    """Write a table (CSV) with the columns marker and site to be corrected: each name beside the site that is likely.

    Where nothing tells the site it is blank: markers with a blank site are not used. `marker_sets.read_sites` reads it.
    """
    place = new_file(path, overwrite)
    sites = [f"# {', '.join(SITES[k : k + 8])}" for k in range(0, len(SITES), 8)]
    lines = ["# Correct the sites, or leave them blank, and give this table as --markers. There are:", *sites]
    lines += ["marker,site", *(f'"{name}",{likely_site(name)}' for name in names)]
    with disk(place):
        write_file(place, ("\n".join(lines) + "\n").encode())
