"""Networks: point masses and the links between them; how one is built."""
