"""A study over a Dask cluster gives the table of processes here."""

import pytest

import motiform as mf
import study_models
from motiform.base.errors import InputError

GRID = {"motion.step": [1e-3, 2e-3, -1.0], "motion.integrator": ["rk4", "lie-midpoint"]}


def run(out, **options):
    found = mf.study(
        "handle", GRID, settings={"scene.duration": 0.1}, measures={"a": ("energy", "range")}, out=out, **options
    )
    return found.table.drop(columns="seconds")


@pytest.mark.slow
def test_a_scheduler_gives_the_same_table(tmp_path):
    distributed = pytest.importorskip("distributed")
    pandas = pytest.importorskip("pandas")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        over = run(tmp_path / "cluster", scheduler=cluster.scheduler_address)
    pandas.testing.assert_frame_equal(over, run(tmp_path / "here", jobs=1))
    assert len(list((tmp_path / "cluster").glob("runs/*/*.mf"))) == 4


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    from motiform.studies.engines import cluster

    monkeypatch.setattr(cluster, "_PATIENCE", 1)
    with pytest.raises(InputError, match="the scheduler does not answer"):
        run(tmp_path / "s", scheduler="tcp://127.0.0.1:9")
    found = mf.study(study_models.numbers, {"x": [1]}, out=tmp_path / "t", jobs=1)
    assert found.count["done"] == 1


def test_many_tasks_are_sent_a_few_at_a_time(monkeypatch):
    """The scheduler holds no more than the window, whatever the number of tasks."""
    pytest.importorskip("distributed")
    from motiform.studies.engines import cluster

    client = FakeClient()
    monkeypatch.setattr(cluster, "_client", lambda scheduler, count: client)
    monkeypatch.setattr(cluster, "_some_done", lambda client, futures, scheduler: futures[:3])
    found = list(cluster.over_cluster(print, range(1000), "tcp://a:1", 1, lambda fraction: None))
    assert sorted(result.number for result in found) == list(range(1000))
    assert client.most == cluster._FEWEST


class FakeFuture:
    status = "finished"

    def __init__(self, client, number):
        self.client, self.number = client, number

    def result(self, timeout=None):
        from motiform.studies import Result

        return Result(self.number)

    def release(self):
        self.client.held -= 1


class FakeClient:
    held = most = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def scheduler_info(self):
        return {"workers": {"a": {"nthreads": 1}}}

    def submit(self, on_worker, work, number, task, pure):
        self.held += 1
        self.most = max(self.most, self.held)
        return FakeFuture(self, number)

    def cancel(self, futures):
        assert not futures
