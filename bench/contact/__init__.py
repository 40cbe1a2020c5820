"""Contact of bones: forces and pairs."""
