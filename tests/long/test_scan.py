"""No run is wrong and silent: models that a long step does not resolve, over damping, steps and integrators.

Each run either keeps its energy, says in a warning that its steps are too long, or fails with a message. Whether it
keeps it is judged from the results alone, without the program's own account. Wrong is a run of a passive model that
gains more than a tenth of the energy in play, and any with more than three times the kinetic energy of a fine run and a
tenth of the energy in play more than that; inaccurate is one with the former alone.

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

# file, end (s), what damps it, whether nothing drives it
MODELS = {
    "ruler": ("tests/data/trust/ruler.yaml", 1, ["bodies.ruler.cosserat.damping"], True),
    "sat_min": ("tests/data/trust/sat_min.yaml", 1, ["bodies.right.cosserat.damping"], True),
    "satellite": ("tests/data/trust/satellite.yaml", 3,
                  ["bodies.right.cosserat.damping", "bodies.left.cosserat.damping"], True),
    "hose": ("tests/data/trust/hose.yaml", 1, ["bodies.hose.cosserat.damping"], False),
    "slider_crank": ("models/flexible/slider_crank.yaml", 0.5, ["bodies.rod.cosserat.damping"], True),
    "cable": ("models/flexible/cable.yaml", 1, ["bodies.cable.cosserat.damping"], True),
    "solid_beams": ("models/flexible/solid_beam.yaml", 0.3,
                    ["bodies.beam.solid.stiffness_damping", "bodies.arm.solid.stiffness_damping"], False),
}
DAMPING = [0, 1e-4, 1e-3, 1e-2]
STEPS = [1e-4, 5e-4, 2e-3, 5e-3, 1e-2, 2e-2]
WARNS = ("warning: steps do not resolve", "warning: errors of the steps", "warning: the balance of energy")


def integrators(program):
    text = subprocess.run([program, "schema"], capture_output=True, text=True, check=True).stdout
    choices = json.loads(text)["properties"]["run"]["properties"]["integrator"]["anyOf"]
    return next(choice["enum"] for choice in choices if "enum" in choice)


def run(program, model, damping, step, integrator, limit):
    """Exit code (None: not done in `limit` s of processor time), all it said, and the energies as columns."""
    path, end, keys, _ = MODELS[model]
    with tempfile.TemporaryDirectory() as folder:
        command = ["sh", "-c", f'ulimit -t {limit}; exec "$@"', "sh", program, "run", str(ROOT / path), "--step", str(step),
                   "--end", str(end), "--integrator", integrator, "--out", folder, "--set", f"outputs.every={max(step, 0.01)}"]
        for key in keys:
            command += ["--set", f"{key}={damping}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return None, "", {}
        energies = subprocess.run([program, "export", f"{folder}/results.h5", "--csv", "-", "energy"],
                                  capture_output=True, text=True).stdout
    rows = list(csv.reader(line for line in io.StringIO(energies) if not line.startswith("#")))
    columns = {name.split(" ")[0]: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])} if rows else {}
    return done.returncode, done.stdout + done.stderr, columns


def verdict(columns, passive, fine):
    """Of energies: right, inaccurate or wrong, which is more than there can be."""
    kinetic, potential = columns["energy.kinetic"], columns["energy.potential"]
    total = [k + p for k, p in zip(kinetic, potential)]
    if not all(abs(e) < float("inf") for e in total):
        return "wrong"
    bound = 0.1 * max(kinetic[0] + potential[0] - min(potential), fine)
    if passive and max(total) - total[0] > bound:
        return "wrong"
    if max(kinetic) > 3 * fine:
        return "wrong" if max(kinetic) - fine > bound else "inaccurate"
    return "right"


def classify(program, case, fine, limit=20):
    model, damping, step, integrator = case
    code, said, columns = run(program, model, damping, step, integrator, limit)
    if code is None:
        return "slow"
    if code != 0:
        return "failed" if code in (5, 7) else f"exit {code}"
    warned = any(text in said for text in WARNS)
    return verdict(columns, MODELS[model][3], fine[model, damping]) + (", warned" if warned else ", silent")


def scan(program, cases, workers=2, reference=PROGRAM, show=lambda case, what: None):
    """Outcome of each case; fine runs by the program `reference`."""
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        keys = sorted({(model, damping) for model, damping, _, _ in cases})
        runs = pool.map(lambda key: run(reference, *key, 1e-4, "generalized-alpha", 300), keys)
        fine = {key: max(columns["energy.kinetic"]) for key, (_, _, columns) in zip(keys, runs)}
        for case, what in zip(cases, pool.map(lambda case: classify(program, case, fine), cases)):
            outcomes[case] = what
            show(case, what)
    return outcomes


def all_cases(program):
    return list(itertools.product(MODELS, DAMPING, STEPS, integrators(program)))


class Scan(unittest.TestCase):
    def test_no_run_is_wrong_and_silent(self):
        outcomes = scan(PROGRAM, all_cases(PROGRAM))
        bad = [f"{case}: {what}" for case, what in outcomes.items()
               if what in ("wrong, silent", "inaccurate, silent") or what.startswith("exit")]
        self.assertFalse(bad, "\n".join(bad))


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
