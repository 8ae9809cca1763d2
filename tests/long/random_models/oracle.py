"""What a run must be: in order by its own results, or failed with a message; and runs that have to agree."""

import collections
import copy
import csv
import io
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from .dice import norm, plus
from .maker import model, write
from .settings import SOLVERS

LIMIT = 20  # s of processor time, for one run
WARNS = ("warning: steps do not resolve", "warning: errors of the steps", "warning: the balance of energy")


Run = collections.namedtuple("Run", "code said table errors")  # table: columns by name; errors: of the steps


def columns(text):
    rows = list(csv.reader(line for line in io.StringIO(text) if not line.startswith("#")))
    return {name.split(" ")[0]: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])} if rows else {}


def processor_time(process):
    """Used so far, of all its threads, in s."""
    try:
        text = pathlib.Path(f"/proc/{process.pid}/stat").read_text()
    except OSError:
        return 0
    return sum(map(int, text.rpartition(")")[2].split()[11:13]))/os.sysconf("SC_CLK_TCK")


def ended(command):
    """Exit status and what was said. A command that takes longer than the limit is told to stop; what then does not, hangs.
    The limit is of processor time, so that a busy machine makes nothing slow; one that sleeps gets ten times that."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        begin, told = time.monotonic(), None
        while True:
            try:
                said = process.communicate(timeout=1)[0]
                return "slow" if told and process.returncode == 130 else process.returncode, said
            except subprocess.TimeoutExpired:
                now = time.monotonic()
            if told and now - told > 10*LIMIT:
                process.kill()
                return "hangs", ""
            if not told and (processor_time(process) > LIMIT or now - begin > 10*LIMIT):
                process.send_signal(signal.SIGTERM)
                told = now


def run(program, model):
    """Code: the exit status, or "slow" if it ends when told to, or "hangs" if it does not."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(model, folder)
        command = [program, "run", str(folder / "model.yaml"), "--out", name, "-q"]
        code, said = ended(command)
        refused = []

        def export(*names):
            command = [program, "export", f"{name}/results.h5", "--csv", "-", *names]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                refused.append(done.stderr)
            return done.stdout if done.returncode == 0 else ""

        if code == "hangs" or not (folder / "results.h5").exists():
            return Run(code, said, "", [])
        table, errors = export(), columns(export("step.error")).get("step.error", [])
        return Run(code, "".join([said, *refused]), table, errors)


def size(model):
    """Diameter, roughly: of all places."""
    places = [point for body in model["bodies"].values() for point in body.get("between", [body.get("at")])]
    places += [joint["at"] for joint in model.get("joints", {}).values() if "at" in joint]
    return max(0.1, *(2*norm(plus(point, places[0], -1)) for point in places), 0)


def is_passive(model):
    """Nothing acts but gravity, springs and what takes energy away."""
    text = json.dumps([model.get("forces", {}), model["bodies"]])
    return not model.get("drives") and not any(word in text for word in ("load", "active", "*t", "(t", "preload"))


def fault(model, run):
    """What is wrong with a run; empty: nothing."""
    if run.code in (3, 4, 5, 7):
        return "" if run.said.strip() else f"exit {run.code} without a message"
    if run.code != 0:
        return "" if run.code == "slow" and may_be_slow(model, run.said) else f"exit {run.code}"
    table = columns(run.table)
    if not table:
        return "no results"
    for name, values in table.items():
        if not all(map(math.isfinite, values)):
            return f"not finite: {name}"
    if "analysis" in model["run"]:
        return ""
    if abs(table["time"][-1] - model["run"]["end"]) > 1e-9:
        return f"ends at {table['time'][-1]}"
    apart = max(table["constraints.position"])
    if apart > 1e-2*max(1, size(model)):
        return f"joints apart by {apart:.2g}"
    return "" if is_warned(run) else wrong_energy(model, table)


def is_warned(run):
    """Of its accuracy."""
    return any(text in run.said for text in WARNS)


def wrong_energy(model, table):
    kinetic, potential, supplied, dissipated, error = (
        table["energy." + name] for name in ("kinetic", "potential", "supplied", "dissipated", "error"))
    in_play = max(max(kinetic), potential[0] - min(potential), max(map(abs, supplied)), max(map(abs, dissipated)))
    noise = 1e-9*(max(kinetic) + max(map(abs, potential))) + 1e-12
    if min(kinetic) < 0:
        return "negative kinetic energy"
    if not is_visible(model, table):
        return ""
    if max(map(abs, error)) > 0.2*in_play + noise:
        return f"energy off by {max(map(abs, error))/(in_play + noise):.2g}"
    gain = max(k + p for k, p in zip(kinetic, potential)) - kinetic[0] - potential[0]
    if is_passive(model) and gain > 0.2*in_play + noise:
        return f"passive, and gains {gain/in_play:.2g} of its energy"
    if min(dissipated) < -0.1*in_play - noise:
        return "dissipates less than nothing"
    return ""


def is_visible(model, table):
    """Whether anything moves by more than a thousandth of the model's size or turns by as many rad."""
    ranges = {name: max(values) - min(values) for name, values in table.items() if name.startswith("body.")}
    return any(".position." in name and move > 1e-3*size(model) or ".orientation." in name and move > 5e-4
               for name, move in ranges.items())


def may_be_slow(model, said):
    """Unreasonable, or with more than the dynamics of rigid bodies."""
    is_rigid = all("rigid" in body for body in model["bodies"].values())
    return "unreasonable" in model["title"] or "drives may contradict" in said or "subsystems" in model or not is_rigid


# --- runs that have to agree

def is_well_resolved(run):
    return run.code == 0 and not is_warned(run) and run.errors and sum(run.errors) < 1e-3


def largest_difference(model, one, other):
    """Of positions at the same times, in units of the model's size."""
    a, b = columns(one.table), columns(other.table)
    names = [name for name in a if name.startswith("body.") and ".position." in name]
    rows = [(i, b["time"].index(t)) for i, t in enumerate(a["time"]) if t in b["time"]]
    return max(abs(a[name][i] - b[name][j]) for name in names for i, j in rows)/size(model)


def with_run(model, **changes):
    changed = copy.deepcopy(model)
    changed["run"].update(changes)
    return changed


def compare(program, seed, model, first):
    """Another run of the same motion; what differs."""
    what = ("solver", "order", "threads", "integrator", None, None)[seed % 6]
    if what == "threads":
        other = run(program, with_run(model, threads=3 - model["run"]["threads"]))
        is_same = (other.code, other.table) == (first.code, first.table)
        return "" if is_same or other.code == "slow" else "differs with another number of threads"
    if what is None or not is_well_resolved(first) or {"tolerance", "realtime", "analysis"} & set(model["run"]):
        return ""
    if "subsystems" in model and what != "order":
        return ""
    tolerance = 1e-6
    if what == "solver":
        solvers = [s for s in SOLVERS[1:] if s != model["run"].get("solver")]
        changed = with_run(model, solver=solvers[seed//6 % len(solvers)])
    elif what == "order":
        changed = copy.deepcopy(model)
        for key in ("bodies", "joints", "drives", "forces"):
            if key in changed:
                changed[key] = dict(reversed(list(changed[key].items())))
    else:
        changed = with_run(model, integrator="generalized-alpha", step=model["run"]["step"]/2)
    other = run(program, changed)
    if what == "integrator" and not is_well_resolved(other):
        return ""
    if other.code != 0:
        return f"exit {other.code} with another {what}"
    if what == "integrator":
        tolerance += 30*(sum(first.errors) + sum(other.errors))
    difference = largest_difference(model, first, other)
    return f"differs by {difference:.2g} with another {what}" if difference > tolerance else ""


def outcome(program, seed):
    """A word for the table, and what is wrong."""
    model_ = model(seed)
    first = run(program, model_)
    wrong = fault(model_, first)
    if not wrong and first.code in (0, 5, 7):
        wrong = compare(program, seed, model_, first)
    if wrong:
        kind = wrong if wrong.startswith("exit") else re.sub(r" (by |at )?\d\S*", "", wrong)
        return f"fault: {kind}", wrong, first.said
    if first.code == 0:
        return "finished with a warning" if is_warned(first) else "finished", "", first.said
    return f"not done in {LIMIT} s" if first.code == "slow" else f"exit {first.code}", "", first.said
