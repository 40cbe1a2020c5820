"""What every part stands on: errors, units, references, kernels, progress."""
