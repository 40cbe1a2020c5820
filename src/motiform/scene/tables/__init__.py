"""What a scene file may say, one class per table."""
