"""The schema of scene files, one class per table."""
