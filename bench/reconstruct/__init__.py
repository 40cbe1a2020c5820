"""The benchmark of postures from markers."""
