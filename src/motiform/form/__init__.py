"""Form: what shape motion wears."""

from motiform.form.form import Form, Part, dress, strobe

__all__ = ["Form", "Part", "dress", "strobe"]
