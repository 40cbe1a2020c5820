"""Libraries that find contacts of meshes."""
