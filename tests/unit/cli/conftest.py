"""What tests of commands share."""

import sys

import pytest


@pytest.fixture
def reconstruct_in(monkeypatch, capfd):
    """The command `reconstruct` in this process, as typed in a folder: gives code, stdout, stderr."""
    from motiform.cli import main

    def enter(folder):
        monkeypatch.chdir(folder)

        def call(*arguments):
            monkeypatch.setattr(sys, "argv", ["motiform", "reconstruct", *map(str, arguments)])
            with pytest.raises(SystemExit) as end:
                main()
            return int(end.value.code or 0), *capfd.readouterr()

        return call

    return enter
