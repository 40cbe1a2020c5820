"""Triangle meshes: files, checks of closed surfaces, tessellation, particles that fill them."""
