"""References of equations."""

import pytest

from motiform.base.references import REFERENCES, cite


def test_reference_by_key():
    assert cite("Zara").startswith("F. Zara")
    with pytest.raises(KeyError):
        cite("Nobody")


@pytest.mark.parametrize("key", REFERENCES)
def test_every_reference_is_a_sentence(key):
    assert len(REFERENCES[key]) > 40
    assert key.isalnum()
