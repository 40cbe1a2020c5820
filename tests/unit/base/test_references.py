"""References of equations."""

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


@pytest.mark.parametrize("key", REFERENCES)
def test_every_reference_is_a_sentence(key):
    assert len(REFERENCES[key]) > 40
    assert key.isalnum()
