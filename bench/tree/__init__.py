"""The benchmark of articulated trees."""
