"""The report of a reconstructed trial."""
