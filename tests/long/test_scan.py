"""No run is wrong and silent: models that a long step does not resolve, over damping, steps and integrators.

A run ends as finished or fails with a message (exit status 5 or 7); one that finished is judged from its energies at
outputs, beside those of a fine run, whose largest energies are those in play:

    wrong       it has, with what dampers took and without what was supplied, more than at the start by a tenth of the
                energy in play; or so much more than the fine run ever has in motion; whether it says so or not
    inaccurate  its account is off by more than 2 % of the energy in play, either way, or its largest kinetic energy is
                beyond three times that of the fine run; right with a warning, a failure of the scan without one
    right       else

The hose starts with a compression that is gone after a millisecond, and thousands of times the energy it moves with: it is
judged from its first output on, by what is in play from there on. Without damping nothing computes it: such runs are never
right, and have no more than a tenth of what is released. The fine runs themselves must end well and with an
account that is closed. Nor may a model pass since nothing of it runs: each has a least share of right runs, and a largest
one of those that are not done.

    tests/long/test_scan.py --table        prints all runs; --program PATH tries another build (--reference this
                                           one for comparison), --few a tenth of them; in random order, so that
                                           what there is when it is stopped is a fair sample
"""

import argparse
import collections
import concurrent.futures
import csv
import io
import itertools
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("HOOKE_PROGRAM", str(ROOT / "build/release/hooke"))

# file, end (s), what damps it
MODELS = {
    "ruler": ("tests/data/trust/ruler.yaml", 1, ["bodies.ruler.cosserat.damping"]),
    "sat_min": ("tests/data/trust/sat_min.yaml", 1, ["bodies.right.cosserat.damping"]),
    "satellite": ("tests/data/trust/satellite.yaml", 3,
                  ["bodies.right.cosserat.damping", "bodies.left.cosserat.damping"]),
    "hose": ("tests/data/trust/hose.yaml", 1, ["bodies.hose.cosserat.damping"]),
    "slider_crank": ("models/flexible/slider_crank.yaml", 0.5, ["bodies.rod.cosserat.damping"]),
    "cable": ("models/flexible/cable.yaml", 1, ["bodies.cable.cosserat.damping"]),
    "solid_beams": ("models/flexible/solid_beam.yaml", 0.3,
                    ["bodies.beam.solid.stiffness_damping", "bodies.arm.solid.stiffness_damping"]),
}
RELEASES = ("hose",)       # energy at once, before the first output
UNKNOWN = [("hose", 0)]    # what releases it is damped by nothing, and no step follows it
DAMPING = [0, 1e-4, 1e-3, 1e-2]
STEPS = [1e-4, 5e-4, 2e-3, 5e-3, 1e-2, 2e-2]
LEAST_RIGHT = 0.2  # of the runs of a model by implicit integrators
MOST_SLOW = 0.1    # of all of a model
EXPLICIT = ("dormand-prince", "merson")
WARNS = ("warning: steps do not resolve", "warning: errors of the steps", "warning: the balance of energy")


def integrators(program):
    text = subprocess.run([program, "schema"], capture_output=True, text=True, check=True).stdout
    choices = json.loads(text)["properties"]["run"]["properties"]["integrator"]["anyOf"]
    return next(choice["enum"] for choice in choices if "enum" in choice)


def run(program, model, damping, step, integrator, limit, options=()):
    """Exit code (None: not done in `limit` s of processor time), all it said, and the energies as columns."""
    path, end, keys = MODELS[model]
    with tempfile.TemporaryDirectory() as folder:
        command = ["sh", "-c", f'ulimit -S -t {limit}; exec "$@"', "sh", program, "run", str(ROOT / path), "--step", str(step),
                   "--end", str(end), "--integrator", integrator, "--out", folder, "--set", f"outputs.every={max(step, 0.01)}", *options]
        for key in keys:
            command += ["--set", f"{key}={damping}"]
        if model in RELEASES and damping < 1e-3:  # nodes of sixteen turn against each other by more than half a turn
            command += ["--set", "bodies.hose.cosserat.elements=48"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == -signal.SIGXCPU:
            return None, "", {}
        energies = subprocess.run([program, "export", f"{folder}/results.h5", "--csv", "-", "energy"],
                                  capture_output=True, text=True).stdout
    rows = list(csv.reader(line for line in io.StringIO(energies) if not line.startswith("#")))
    columns = {name.split(" ")[0]: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])} if rows else {}
    return done.returncode, done.stdout + done.stderr, columns


def account(columns, first):
    """From the output `first` on: energy with what dampers took and without what was supplied, beside its start."""
    parts = zip(*(columns[f"energy.{part}"][first:] for part in ("kinetic", "potential", "supplied", "dissipated")))
    sums = [k + p - s + d for k, p, s, d in parts]
    return [e - sums[0] for e in sums]


class Fine:
    """What a run is judged by."""

    def __init__(self, case, code, columns):
        if code != 0:
            raise ValueError(f"the fine run {case} ends with {code}")
        self.first = 1 if case[0] in RELEASES else 0
        kinetic, potential, supplied, dissipated = (columns[f"energy.{part}"][self.first:]
                                                    for part in ("kinetic", "potential", "supplied", "dissipated"))
        self.kinetic = max(kinetic)
        spans = [max(values) - min(values) for values in (potential, supplied, dissipated)]
        self.in_play = max(self.kinetic, *spans)
        off = max(map(abs, account(columns, self.first)))
        if not off < 0.02 * self.in_play:
            raise ValueError(f"the account of the fine run {case} is off by {off:.3g} J of {self.in_play:.3g} J")


def verdict(columns, fine):
    """Of energies: right, inaccurate or wrong, which is more than there can be."""
    if not all(math.isfinite(value) for values in columns.values() for value in values):
        return "wrong"
    if not fine:
        released = columns["energy.potential"][0] - min(columns["energy.potential"])
        return "wrong" if max(account(columns, 0)) > 0.1 * released else "inaccurate"
    error, kinetic = account(columns, fine.first), max(columns["energy.kinetic"][fine.first:])
    if max(error) > 0.1 * fine.in_play or kinetic - fine.kinetic > 0.1 * fine.in_play and kinetic > 3 * fine.kinetic:
        return "wrong"
    return "inaccurate" if max(map(abs, error)) > 0.02 * fine.in_play or kinetic > 3 * fine.kinetic else "right"


def classify(program, case, fine, limit=20):
    model, damping, step, integrator = case
    code, said, columns = run(program, model, damping, step, integrator, limit)
    if code is None:
        return "slow"
    if code != 0:
        return "failed" if code in (5, 7) and "at t = " in said else f"exit {code}"
    warned = any(text in said for text in WARNS)
    return verdict(columns, fine.get((model, damping))) + (", warned" if warned else ", silent")


def scan(program, cases, workers=2, reference=PROGRAM, show=lambda case, what: None):
    """Outcome of each case; fine runs by the program `reference`."""
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        keys = sorted({(model, damping) for model, damping, _, _ in cases}.difference(UNKNOWN))
        runs = pool.map(lambda key: run(reference, *key, 1e-4, "generalized-alpha", 600,
                                        ["--tolerance", "1e-6"] if key[0] in RELEASES else []), keys)
        fine = {key: Fine(key, code, columns) for key, (code, _, columns) in zip(keys, runs)}
        for case, what in zip(cases, pool.map(lambda case: classify(program, case, fine), cases)):
            outcomes[case] = what
            show(case, what)
    return outcomes


def faults(outcomes):
    """What a scan must not have."""
    found = [f"{case}: {what}" for case, what in outcomes.items()
             if what.startswith(("wrong", "exit")) or what == "inaccurate, silent"]
    for model in sorted({case[0] for case in outcomes}):
        of_model = {case: what for case, what in outcomes.items() if case[0] == model}
        implicit = [what for case, what in of_model.items() if case[3] not in EXPLICIT]
        right = sum(what.startswith("right") for what in implicit)
        slow = sum(what == "slow" for what in of_model.values())
        if right < LEAST_RIGHT * len(implicit):
            found.append(f"{model}: {right} of {len(implicit)} runs by implicit integrators are right")
        if slow > MOST_SLOW * len(of_model):
            found.append(f"{model}: {slow} of {len(of_model)} runs are not done")
    return found


def all_cases(program):
    return list(itertools.product(MODELS, DAMPING, STEPS, integrators(program)))


class Scan(unittest.TestCase):
    def test_no_run_is_wrong_and_silent(self):
        outcomes = scan(PROGRAM, all_cases(PROGRAM))
        found = faults(outcomes)
        self.assertFalse(found, "\n".join(found))

    def test_the_scan_can_fail(self):
        """Energy from nowhere, with a warning as well; losses in silence; nothing that runs."""
        columns = {"energy.kinetic": [0, 1, 1], "energy.potential": [0, -1, -1], "energy.supplied": [0, 0, 0],
                   "energy.dissipated": [0, 0, 0]}
        fine = Fine(("ruler", 0), 0, columns)
        self.assertEqual(verdict(columns, fine), "right")
        for part, values, what in (("kinetic", [0, 1.2, 1], "wrong"), ("dissipated", [0, 0.2, 0.2], "wrong"),
                                   ("dissipated", [0, math.nan, 0], "wrong"), ("kinetic", [0, 0.9, 0.9], "inaccurate"),
                                   ("supplied", [0, 0.05, 0.05], "inaccurate")):
            self.assertEqual(verdict(columns | {f"energy.{part}": values}, fine), what)
        with self.assertRaises(ValueError):
            Fine(("ruler", 0), 7, columns)
        with self.assertRaises(ValueError):
            Fine(("ruler", 0), 0, columns | {"energy.dissipated": [0, 0.1, 0.1]})
        case = ("ruler", 0, 1e-4, "hht")
        self.assertFalse(faults({case: "right, silent"}))
        for what in ("wrong, warned", "inaccurate, silent", "exit 1", "failed", "slow"):
            self.assertTrue(faults({case: what}), what)


if __name__ == "__main__":
    if "--table" not in sys.argv:
        unittest.main()
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--reference", default=PROGRAM)
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--models", nargs="*")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    cases = all_cases(arguments.program)
    if arguments.models:
        cases = [case for case in cases if case[0] in arguments.models]
    if arguments.few:
        cases = cases[::10]
    random.Random(1).shuffle(cases)
    outcomes = scan(arguments.program, cases, arguments.workers, arguments.reference,
                    lambda case, what: print(*case, what, sep="\t", flush=True))
    print(dict(collections.Counter(outcomes.values())))
    print(*faults(outcomes), sep="\n")
