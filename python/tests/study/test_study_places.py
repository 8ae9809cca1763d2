"""The same table wherever a study runs; what happens when workers and schedulers are lost."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import dask_here
import pytest
import slurm_here
from test_study_runs import CRANK, children, same, wait_for_lines, write_study

import hooke
from hooke.study.runners.slurm import SlurmRunner

needs_dask = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="no Dask (tools/setup studies)")
needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or shutil.which("mpiexec") is None, reason="no MPI (tools/setup studies)"
)
needs_slurm = pytest.mark.skipif(bool(slurm_here.missing()), reason=slurm_here.missing() or "-")


def command(tmp_path, *options):
    return [sys.executable, "-m", "hooke.study", str(tmp_path / "study.json"), "--out", str(tmp_path / "out"), *options]


def points_of(path):
    return [tuple(json.loads(line)["point"]) for line in path.read_text().splitlines()]


def check(tmp_path, study, count):
    """Every run once, and the table that one process makes."""
    points = points_of(tmp_path / "out" / "journal.jsonl")
    assert len(points) == len(set(points)) == count
    table = hooke.read_table(tmp_path / "out")
    assert not table.failed and same(table, hooke.study(study))


@needs_dask
def test_dask_on_this_machine(tmp_path):
    study = write_study(tmp_path / "study.json", 12, end=0.1)
    assert (
        subprocess.run(
            command(tmp_path, "--where", "dask", "--workers", "1"), stdout=subprocess.DEVNULL, timeout=100
        ).returncode
        == 0
    )
    check(tmp_path, study, 12)


@needs_dask
def test_dask_loses_workers_and_its_scheduler(tmp_path):
    """Workers have addresses of their own; one is killed, then the scheduler."""
    study = write_study(tmp_path / "study.json", 40, end=0.5)
    journal = tmp_path / "out" / "journal.jsonl"
    with dask_here.cluster(2) as cluster:
        whole = command(tmp_path, "--where", "dask", "--address", cluster.address)
        with subprocess.Popen(whole, stdout=subprocess.DEVNULL) as process:
            wait_for_lines(journal, 4)
            cluster.workers[0].kill()
            wait_for_lines(journal, 10)
            cluster.scheduler.kill()
            cluster.scheduler.wait()
            cluster.start_scheduler()
            for i in (0, 1):
                cluster.workers[i].kill()
                cluster.start_worker(i)
            assert process.wait(100) == 0
    check(tmp_path, study, 40)


@needs_mpi
def test_mpi_loses_a_rank(tmp_path):
    study = write_study(tmp_path / "study.json", 40, end=1)
    journal = tmp_path / "out" / "journal.jsonl"
    with subprocess.Popen(
        command(tmp_path, "--where", "mpi", "--workers", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        wait_for_lines(journal, 3)
        (launcher,) = children(process.pid)
        os.kill(children(launcher)[-1], 9)
        assert process.wait(100) == 0
    check(tmp_path, study, 40)


@needs_slurm
def test_slurm(tmp_path):
    study = write_study(tmp_path / "study.json", 12, end=0.1)
    study["where"] = {"slurm": {"tasks": 2}}
    (tmp_path / "study.json").write_text(json.dumps(study))
    with slurm_here.slurm(tmp_path / "slurm") as environment:
        assert (
            subprocess.run(command(tmp_path), env=environment, stdout=subprocess.DEVNULL, timeout=100).returncode == 0
        )
    check(tmp_path, {**study, "where": "local"}, 12)


def fake(folder, name, text):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_scripts_for_slurm(tmp_path, monkeypatch):
    """Without a Slurm: what is submitted is a script that runs, and a task that dies is submitted again."""
    programs = tmp_path / "programs"
    programs.mkdir()
    fake(
        programs,
        "sbatch",
        f"""
echo x >> {programs}/submitted
last=$(sed -n 's/^#SBATCH --array=0-//p' "$2")
for task in $(seq 0 "$last"); do
  if [ "$(wc -l < {programs}/submitted)" = 1 ] && [ "$task" = 1 ]; then continue; fi
  SLURM_ARRAY_TASK_ID=$task sh "$2" || exit 1
done
echo 7""",
    )
    fake(programs, "squeue", "exit 0")
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    design = {"monte-carlo": 6}
    table = hooke.study(
        {**CRANK, "design": design},
        where={"slurm": {"tasks": 2, "options": {"partition": "long"}}},
        out=tmp_path / "out",
    )
    assert same(table, hooke.study({**CRANK, "design": design}))
    assert len((programs / "submitted").read_text().split()) == 2
    script = (tmp_path / "out" / "slurm" / "job.sh").read_text()
    assert "#SBATCH --partition=long\n" in script and "#SBATCH --array=0-1\n" in script


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(hooke.Error, match="there is no sbatch on this machine"):
        SlurmRunner(pathlib.Path(tmp_path))
    for name, where in (("distributed", "dask"), ("mpi4py", "mpi")):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(
            ImportError, match=f"where: {where} needs the Python package {name}: apt install python3-{name}"
        ):
            hooke.study({**CRANK, "design": {"grid": 2}}, where=where)


def test_no_scheduler(monkeypatch):
    pytest.importorskip("distributed")
    from hooke.study.runners import dask

    monkeypatch.setattr(dask, "PATIENCE", 0.0)
    monkeypatch.setattr(dask, "CONNECTING", 0.5)
    with pytest.raises(hooke.Error, match="no scheduler at tcp://127.0.0.1:9"):
        hooke.study({**CRANK, "design": {"grid": 2}}, where={"dask": {"address": "tcp://127.0.0.1:9"}})


def test_other_threads_may_run(tmp_path):
    found = []
    thread = threading.Thread(target=lambda: found.append(hooke.study({**CRANK, "design": {"grid": 2}})))
    thread.start()
    thread.join()
    assert len(found[0]) == 4
