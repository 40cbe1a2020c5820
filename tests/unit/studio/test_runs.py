import threading

import pytest

from motiform.base.errors import InputError, RunError
from motiform.studio.runs import Runner, plain


class Heard:
    def __init__(self):
        self.fractions, self.done, self.failed, self.cancelled = [], [], [], 0

    def runner(self):
        return Runner(
            on_progress=self.fractions.append,
            on_done=self.done.append,
            on_failed=self.failed.append,
            on_cancelled=self._cancelled,
        )

    def _cancelled(self):
        self.cancelled += 1


def test_a_run_reports_and_gives_its_result():
    heard = Heard()
    runner = heard.runner()
    runner.start(lambda progress: [progress(f) for f in (-1, 0.5, 7)] and "result")
    runner.join(10)
    assert heard.fractions == [0.0, 0.5, 1.0]
    assert heard.done == ["result"]
    assert not runner.busy


def test_only_one_at_a_time_and_cancel_stops_it():
    heard, started = Heard(), threading.Event()
    runner = heard.runner()

    def endless(progress):
        while True:
            progress(0.1)
            started.set()

    runner.start(endless)
    assert started.wait(10)
    with pytest.raises(RunError, match="under way"):
        runner.start(endless)
    runner.cancel()
    runner.join(10)
    assert (heard.cancelled, heard.failed, heard.done, runner.busy) == (1, [], [], False)
    runner.start(lambda progress: "again")
    runner.join(10)
    assert heard.done == ["again"]


def test_errors_become_sentences():
    heard = Heard()
    runner = heard.runner()
    for error in (InputError("too long", got=3), ZeroDivisionError("by zero\nmore"), ValueError()):

        def fail(progress, error=error):
            raise error

        runner.start(fail)
        runner.join(10)
    assert heard.failed == ["too long (got 3)", "Unexpected ZeroDivisionError: by zero", "Unexpected ValueError"]
    assert "Traceback" not in plain(RuntimeError("x"))


def test_a_refused_run_does_not_begin_and_an_early_cancel_counts():
    heard, go, begun = Heard(), threading.Event(), []
    runner = heard.runner()
    runner.start(lambda progress: go.wait(10), on_start=lambda: begun.append(1))
    with pytest.raises(RunError, match="under way"):
        runner.start(lambda progress: None, on_start=lambda: begun.append(2))
    go.set()
    runner.join(10)
    assert begun == [1]
    runner.start(lambda progress: progress(0.5), on_start=runner.cancel)
    runner.join(10)
    assert (heard.cancelled, heard.fractions) == (1, [])
