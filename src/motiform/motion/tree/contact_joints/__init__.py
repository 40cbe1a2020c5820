"""Contacts as joints: two surfaces that roll, slide and spin on each other without parting."""
