"""The algorithms of trees for CPU and GPU, one state at a time."""
