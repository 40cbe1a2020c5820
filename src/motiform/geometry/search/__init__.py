"""Search in space: trees of boxes, neighbours within a range, signed distance from points to solids."""
