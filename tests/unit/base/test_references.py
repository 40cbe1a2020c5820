"""References of equations."""

import re
from importlib.resources import files

import pytest

from motiform.base.errors import InputError
from motiform.base.references import REFERENCES, cite


def test_reference_by_key():
    assert cite("Zara").startswith("F. Zara")
    with pytest.raises(InputError, match=r"no such reference .*Did you mean 'Zara'"):
        cite("Zar")
    for key in ("Nobody", None, []):
        with pytest.raises(InputError, match="no such reference"):
            cite(key)


def test_every_entry_of_the_file_is_read():
    """The reader takes one manner of writing: an entry in another would be missing."""
    text = files("motiform.base").joinpath("references.bib").read_text("utf-8")
    keys = re.findall(r"^\s*@\s*\w+\s*\{\s*([^,\s]+)", text, flags=re.MULTILINE)
    assert list(REFERENCES) == keys == sorted(set(keys), key=str.lower)


def test_kinds_of_documents():
    assert cite("Blinn82") == (
        "J. F. Blinn, A generalization of algebraic surface drawing, ACM Trans. Graph. 1 (1982) 235–256. "
        "doi:10.1145/357306.357310"
    )
    assert cite("Boor78") == "C. de Boor, A Practical Guide to Splines, Springer 1978."
    assert cite("Hapala11").startswith(
        "M. Hapala et al., Efficient stack-less BVH traversal for ray tracing, SCCG 2011"
    )


@pytest.mark.parametrize("key", REFERENCES)
def test_every_reference_is_a_sentence(key):
    assert len(REFERENCES[key]) > 40
    assert key.isalnum()
