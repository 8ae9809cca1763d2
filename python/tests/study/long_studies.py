"""What studies must show, at length.

500 slider cranks in all places with killed workers, what a study costs beside its runs, and how often the intervals of a
calibration hold the truth.
"""

import json
import os
import pathlib
import subprocess
import sys

import dask_here
import numpy
import pytest
import slurm_here
from cost import COUNT, CRANKS, overhead
from test_study_places import command, needs_dask, needs_mpi, needs_slurm
from test_study_runs import children, same, wait_for_lines
from test_study_searches import SIGNAL, STUDIES, TRUTH

import hooke
from hooke.study import read_study
from hooke.study.work import run_point


@pytest.fixture
def study(tmp_path):
    tree = dict(read_study(CRANKS).tree)
    tree["model"] = str(STUDIES / tree["model"])
    (tmp_path / "study.json").write_text(json.dumps(tree))
    return tree


@pytest.fixture(scope="module")
def expected():
    return hooke.study(
        read_study(CRANKS).tree | {"model": str(STUDIES.parent / "slider_crank.yaml")}, where={"local": {"workers": 0}}
    )


def checked(tmp_path, expected, label, losses):
    lines = (tmp_path / "out" / "journal.jsonl").read_text().splitlines()
    points = [tuple(json.loads(line)["point"]) for line in lines]
    assert len(points) == len(set(points)) == COUNT
    table = hooke.read_table(tmp_path / "out")
    assert len(table) == COUNT and not table.failed and same(table, expected)
    print(f"{label}: {COUNT} runs, {losses}: the same table, every run once", flush=True)


def test_local(tmp_path, study, expected):
    journal = tmp_path / "out" / "journal.jsonl"
    with subprocess.Popen(command(tmp_path, "--workers", "2"), stdout=subprocess.DEVNULL) as process:
        for lines in (50, 150, 250):
            wait_for_lines(journal, lines)
            os.kill(children(process.pid)[0], 9)
        wait_for_lines(journal, 300)
        process.kill()
    before = journal.read_bytes().count(b"\n")
    done = subprocess.run(command(tmp_path, "--workers", "2"), capture_output=True, text=True)
    assert f"({COUNT - before} new)" in done.stdout
    checked(tmp_path, expected, "local", f"3 workers killed, then the study itself after {before}")


@needs_dask
def test_dask(tmp_path, study, expected):
    journal = tmp_path / "out" / "journal.jsonl"
    with dask_here.cluster(3) as cluster:
        with subprocess.Popen(
            command(tmp_path, "--where", "dask", "--address", cluster.address), stdout=subprocess.DEVNULL
        ) as process:
            for i, lines in ((0, 50), (1, 120)):
                wait_for_lines(journal, lines)
                cluster.workers[i].kill()
                cluster.start_worker(i)
            wait_for_lines(journal, 200)
            cluster.scheduler.kill()
            cluster.scheduler.wait()
            cluster.start_scheduler()
            for i in range(3):
                cluster.workers[i].kill()
                cluster.start_worker(i)
            assert process.wait(300) == 0
        places = ", ".join(address for address, _ in cluster.places)
    checked(tmp_path, expected, f"dask, workers at {places}", "2 workers and the scheduler killed")


@needs_mpi
def test_mpi(tmp_path, study, expected):
    journal = tmp_path / "out" / "journal.jsonl"
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command(tmp_path, "--where", "mpi", "--workers", "2"), **options) as process:
        for lines in (100, 250):
            wait_for_lines(journal, lines)
            (launcher,) = children(process.pid)
            os.kill(children(launcher)[-1], 9)
        assert process.wait(300) == 0
    checked(tmp_path, expected, "mpi", "2 ranks killed")


@needs_slurm
def test_slurm(tmp_path, study, expected):
    (tmp_path / "study.json").write_text(json.dumps({**study, "where": {"slurm": {"tasks": 4}}}))
    journals = [tmp_path / "out" / f"journal.slurm-{i}.jsonl" for i in range(4)]
    with slurm_here.slurm(tmp_path / "slurm") as environment:
        with subprocess.Popen(command(tmp_path), env=environment, stdout=subprocess.DEVNULL) as process:
            wait_for_lines(journals[0], 20)
            tasks = subprocess.run(
                ["pgrep", "-f", f"hooke.study.runners.slurm {tmp_path}"], capture_output=True, text=True
            ).stdout.split()
            os.kill(int(tasks[0]), 9)
            wait_for_lines(tmp_path / "out" / "journal.jsonl", 120)
            process.kill()  # its jobs stay in the queue
        assert (
            subprocess.run(command(tmp_path), env=environment, stdout=subprocess.DEVNULL, timeout=300).returncode == 0
        )
    done = [tuple(json.loads(line)["point"]) for journal in journals for line in journal.read_text().splitlines()]
    assert len(done) == len(set(done)) == COUNT
    assert same(hooke.read_table(tmp_path / "out"), expected)
    print(
        f"slurm, one node: {COUNT} runs, a task and the study itself killed: the same table, every run once", flush=True
    )


def test_cost():
    """In processor time, since a machine is seldom idle. A fifth is far more than it takes, and far less than a process for each run."""
    plain, computing = (numpy.median(column) for column in list(zip(*overhead(3)))[:2])
    print(f"{COUNT} runs: {plain:.2f} s of processor in a loop, {computing:.2f} s as a study", flush=True)
    assert computing < 1.2 * plain


def test_intervals_hold_the_truth(tmp_path):
    """Of 3 x 20 intervals of 95 %, 57 are expected to; fewer than 51 would come once in 100 times."""
    found = read_study(STUDIES / "calibration.yaml")
    true = run_point(found.work, tuple(TRUTH.values())).curves
    tree = dict(found.tree) | {"model": str(STUDIES / found.tree["model"])}
    held = {name: 0 for name in TRUTH}
    for seed in range(20):
        noise = numpy.random.default_rng(100 + seed).normal(0, 0.02 * abs(true[SIGNAL]).max(), len(true["time"]))
        measured = {"time": true["time"].tolist(), "value": (true[SIGNAL] + noise).tolist()}
        table = hooke.study(tree | {"calibrate": {"curves": [{"of": SIGNAL, "to": measured}]}}, out=tmp_path)
        for name, (low, high) in table.findings["interval"].items():
            held[name] += low < TRUTH[name] < high
    print(f"of 20 intervals of 95 % hold the truth: {held}", flush=True)
    assert sum(held.values()) >= 51


def test_bump_steer(tmp_path):
    table = hooke.study(STUDIES / "bump_steer.yaml", out=tmp_path)
    print(
        f"bump steer: {table['bump_steer'][numpy.argmin(abs(table['rack_y'] - 0.27))]:.3f} deg at first, {table.findings['value']:.4f} deg "
        f"after {len(table)} runs at {table.findings['best']}",
        flush=True,
    )
    assert table.findings["value"] < 0.12


if __name__ == "__main__":
    sys.exit(pytest.main(["-s", str(pathlib.Path(__file__))]))
