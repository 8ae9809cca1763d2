"""A Slurm of one node on this machine, for a test: its own folder, its own ports, no authentication, gone in the end."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import time

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "scancel")


def missing():
    """Why it cannot run here, or nothing."""
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent:
        return f"{absent[0]} is not installed (tools/setup slurm)"
    return "" if os.geteuid() == 0 else "slurmd wants to be root"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def configuration(folder):
    return f"""ClusterName=hooke
SlurmctldHost={socket.gethostname()}(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
MinJobAge=2
NodeName={socket.gethostname()} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:1
"""


@contextlib.contextmanager
def slurm(folder):
    """The environment that its commands need."""
    folder = pathlib.Path(folder)
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    (folder / "slurm.conf").write_text(configuration(folder))
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    daemons = []
    try:
        for name in ("slurmctld", "slurmd"):
            log = open(folder / f"{name}.txt", "w")
            daemons.append(subprocess.Popen([name, "-D"], env=environment, stdout=log, stderr=log))
        end = time.monotonic() + 30
        while (
            "idle"
            not in subprocess.run(["sinfo", "-h", "-o", "%t"], env=environment, capture_output=True, text=True).stdout
        ):
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in daemons):
                raise RuntimeError(
                    "; ".join((folder / f"{name}.txt").read_text()[-300:] for name in ("slurmctld", "slurmd"))
                )
            time.sleep(0.2)
        yield environment
    finally:
        for daemon in daemons:
            daemon.terminate()
            daemon.wait(20)
