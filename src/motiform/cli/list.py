"""`motiform list`: the built-in scenes."""

import json

from motiform.cli.shared import AsJson, print_line


def list_scenes(as_json: AsJson = False) -> None:
    """List the built-in scenes."""
    from motiform.scene import list_scenes

    entries = list_scenes()
    if as_json:
        rows = [{"name": e.name, "title": e.title, "part": e.part, "seconds": e.seconds} for e in entries]
        print_line(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    width = max(len(entry.name) for entry in entries)
    for entry in entries:
        print_line(f"{entry.name:<{width}}  {entry.title} ({entry.seconds:g} s, {entry.part})")
