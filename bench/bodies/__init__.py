"""The benchmark of rigid bodies."""
