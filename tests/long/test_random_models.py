"""Every run ends well or says why: small models of random topology, bodies, joints, forces, drives and methods.

A model follows from its seed. Most are reasonable; one in seven is not (far too stiff, fast, long a step, ...). A run

- finishes, and its results are in order: all outputs are there and finite, joints are closed, the account of energy
  balances or there is a warning, and a passive model gains no energy; or
- fails with a message and a documented exit status.

Some runs are repeated: another solver and the entries of the file in another order give the same motion, two threads
the same text, and another integrator the same motion within the errors that both estimate.

    tests/long/test_random_models.py --count 500 --first 1000 --keep DIR     a table of outcomes; faults go to DIR
    tests/long/test_random_models.py --seed 17 --print                       one model
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import sys
import unittest

from random_models.maker import model, write
from random_models.oracle import outcome

ROOT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("HOOKE_PROGRAM", str(ROOT / "build/release/hooke"))


def scan(program, seeds, workers=2, show=lambda seed, word, said: None):
    """Outcome of each seed."""
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for seed, (word, wrong, said) in zip(seeds, pool.map(lambda seed: outcome(program, seed), seeds)):
            outcomes[seed] = word, wrong
            show(seed, wrong or word, said)
    return outcomes


class RandomModels(unittest.TestCase):
    def test_every_run_ends_well_or_says_why(self):
        bad = [f"{seed}: {wrong}" for seed, (_, wrong) in scan(PROGRAM, range(2000)).items() if wrong]
        self.assertFalse(bad, "\n".join(bad))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the models of faults")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--print", action="store_true", help="the model of --seed")
    parser.add_argument("--all", action="store_true", help="prints every run")
    arguments = parser.parse_args()
    if arguments.print:
        return print(json.dumps(model(arguments.seed), indent=1))
    seeds = range(arguments.first, arguments.first + arguments.count) if arguments.seed is None else [arguments.seed]

    def show(seed, word, said):
        if arguments.all:
            print(seed, word, said.strip().split("\n")[0], sep="\t", flush=True)

    outcomes = scan(arguments.program, seeds, arguments.workers, show)
    for seed, (_, wrong) in outcomes.items():
        if wrong:
            print(f"{seed}: {wrong}")
            if arguments.keep:
                (arguments.keep / str(seed)).mkdir(parents=True, exist_ok=True)
                write(model(seed), arguments.keep / str(seed))
    for word, count in sorted(collections.Counter(word for word, _ in outcomes.values()).items()):
        print(f"{count:6}  {word}")


if __name__ == "__main__":
    unittest.main() if len(sys.argv) == 1 else main()
