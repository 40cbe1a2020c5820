"""Built-in studies: TOML files, and the measures that they need beside channels."""
