"""Runs of models: by the program, as users run them (Program), or many in one process (Batch)."""

import collections
import csv
import io
import json
import math
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from .maker import write, write_files

# code: the exit status, or "slow" if it ends when told to, or "hangs" if it does not; table: columns by name; not_finite: one
# that is not; digest: of all that was recorded; error: the sum of the steps' errors.
Run = collections.namedtuple("Run", "code said table not_finite digest error")


def nothing(code, said):
    return Run(code, said, {}, "", "", 0)


def columns(text):
    rows = list(csv.reader(line for line in io.StringIO(text) if not line.startswith("#")))
    return {name.split(" ")[0]: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])} if rows else {}


class Program:
    """`hooke run` and `hooke export`. Counts its runs."""

    limit, patience = 20, 1  # s of processor time; how much more of it may be asked for
    is_brief = False

    def __init__(self, program):
        self.program, self.count = program, 0

    def run(self, model, patience=1):
        self.count += 1
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write(model, folder)
            code, said = self.ended([self.program, "run", str(folder / "model.yaml"), "--out", name, "-q"])
            refused = []

            def export(*names):
                command = [self.program, "export", f"{name}/results.h5", "--csv", "-", *names]
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode != 0:
                    refused.append(done.stderr)
                return done.stdout if done.returncode == 0 else ""

            if code == "hangs" or not (folder / "results.h5").exists():
                return nothing(code, said)
            text, errors = export(), columns(export("step.error")).get("step.error", [])
        table = columns(text)
        not_finite = [name for name, values in table.items() if not all(map(math.isfinite, values))]
        error = sum(errors) if errors else math.inf
        return Run(code, "".join([said, *refused]), table, "".join(not_finite[:1]), text, error)

    def ended(self, command):
        """Exit status and what was said. A command that takes longer than the limit is told to stop; what then does not,
        hangs. The limit is of processor time, so that a busy machine makes nothing slow; one that sleeps gets ten times that."""
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            begin, told = time.monotonic(), None
            while True:
                try:
                    said = process.communicate(timeout=1)[0]
                    return "slow" if told and process.returncode == 130 else process.returncode, said
                except subprocess.TimeoutExpired:
                    now = time.monotonic()
                if told and now - told > 10*self.limit:
                    process.kill()
                    return "hangs", ""
                if not told and (processor_time(process) > self.limit or now - begin > 10*self.limit):
                    process.send_signal(signal.SIGTERM)
                    told = now


def processor_time(process):
    """Used so far, of all its threads, in s."""
    try:
        text = pathlib.Path(f"/proc/{process.pid}/stat").read_text()
    except OSError:
        return 0
    return sum(map(int, text.rpartition(")")[2].split()[11:13]))/os.sysconf("SC_CLK_TCK")


class Batch:
    """tests/long/programs/run_models, started anew when it dies. Its models are brief: some tens of steps."""

    is_brief, patience = True, 100

    def __init__(self, program, limit):
        self.program, self.limit, self.count, self.process = program, limit, 0, None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hooke_runs_"))
        write_files(self.folder)

    def run(self, model, patience=1):
        self.count += 1
        if not self.process:
            with open(self.folder / "said", "w") as said:
                self.process = subprocess.Popen([self.program], cwd=self.folder, text=True, stderr=said,
                                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdin.write(f"{patience*self.limit} {json.dumps(model)}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line.endswith("\n"):
            status, self.process = self.process.wait(), None
            hangs = status in (-signal.SIGPROF, -signal.SIGALRM)
            return nothing("hangs" if hangs else status or "unknown", (self.folder / "said").read_text())
        said = json.loads(line)
        code = "slow" if said["code"] == 130 else said["code"]
        return Run(code, said["said"], said["table"], said["wrong"], said["digest"], said["error"])
