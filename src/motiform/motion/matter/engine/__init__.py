"""The engine that steps a network on a device, and its kernels."""
