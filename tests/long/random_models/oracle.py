"""What a run must be: in order by its own results, or failed with a message; and runs that have to agree."""

import copy
import json
import re

from .dice import norm, plus
from .maker import model
from .settings import SOLVERS

WARNS = ("warning: steps do not resolve", "warning: errors of the steps", "warning: the balance of energy", ": jumps by ")


def run(runner, model):
    """What should not be slow gets more time before it is called that."""
    made = runner.run(model)
    if made.code == "slow" and runner.patience > 1 and not may_be_slow(model, made.said):
        return runner.run(model, runner.patience)
    return made


def size(model):
    """Diameter, roughly: of all places."""
    places = [point for body in model["bodies"].values() for point in body.get("between", [body.get("at")])]
    places += [joint["at"] for joint in model.get("joints", {}).values() if "at" in joint]
    places += [frame["at"] for frame in model.get("ground", {}).get("frames", {}).values()]
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
    table = run.table
    if not table:
        return "no results"
    if run.not_finite:
        return f"not finite: {run.not_finite}"
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
    return run.code == 0 and not is_warned(run) and run.error < 1e-3


def largest_difference(model, one, other):
    """Of positions at the same times, in units of the model's size."""
    a, b = one.table, other.table
    names = [name for name in a if name.startswith("body.") and ".position." in name]
    row = {t: j for j, t in enumerate(b["time"])}
    rows = [(i, row[t]) for i, t in enumerate(a["time"]) if t in row]
    return max(abs(a[name][i] - b[name][j]) for name in names for i, j in rows)/size(model)


def with_run(model, **changes):
    changed = copy.deepcopy(model)
    changed["run"].update(changes)
    return changed


def compare(runner, seed, model, first):
    """Another run of the same motion; what differs."""
    what = ("solver", "order", "threads", "integrator")[seed % 4]
    if what == "threads":
        other = run(runner, with_run(model, threads=3 - model["run"]["threads"]))
        is_same = (other.code, other.digest) == (first.code, first.digest)
        return "" if is_same or other.code == "slow" else "differs with another number of threads"
    if not is_well_resolved(first) or {"tolerance", "realtime", "analysis"} & set(model["run"]):
        return ""
    if "subsystems" in model and what != "order" or "no_value" in model["title"] and what == "integrator":
        return ""  # across a pole of a force there is no motion to agree with
    tolerance = 1e-6
    if what == "solver":
        solvers = [s for s in SOLVERS[1:] if s != model["run"].get("solver")]
        changed = with_run(model, solver=solvers[seed//4 % len(solvers)])
    elif what == "order":
        changed = copy.deepcopy(model)
        for key in ("bodies", "joints", "drives", "forces"):
            if key in changed:
                changed[key] = dict(reversed(list(changed[key].items())))
    else:
        changed = with_run(model, integrator="generalized-alpha", step=model["run"]["step"]/2)
    other = run(runner, changed)
    if what == "integrator" and not is_well_resolved(other):
        return ""
    if other.code == "slow" and may_be_slow(model, other.said):
        return ""
    if other.code != 0:
        return f"exit {other.code} with another {what}"
    tolerance += (30 if what == "integrator" else 1)*(first.error + other.error)  # by which both may be off
    difference = largest_difference(model, first, other)
    return f"differs by {difference:.2g} with another {what}" if difference > tolerance else ""


def outcome(runner, seed):
    """A word for the table, and what is wrong."""
    model_ = model(seed, runner.is_brief)
    first = run(runner, model_)
    wrong = fault(model_, first)
    if not wrong and first.code in (0, 5, 7):
        wrong = compare(runner, seed, model_, first)
    if wrong:
        kind = wrong if wrong.startswith("exit") else re.sub(r" (by |at )?\d\S*", "", wrong)
        return f"fault: {kind}", wrong, first.said
    if first.code == 0:
        return "finished with a warning" if is_warned(first) else "finished", "", first.said
    return f"not done in {runner.limit:g} s" if first.code == "slow" else f"exit {first.code}", "", first.said
