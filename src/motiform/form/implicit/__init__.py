"""Implicit surfaces."""

from motiform.form.implicit.polygonise import polygonise

__all__ = ["polygonise"]
