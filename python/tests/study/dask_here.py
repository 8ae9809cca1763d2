"""A Dask scheduler and workers for tests; each worker in a network namespace of its own, with its own address, where that can be made."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time

BRIDGE, NETWORK = "hooke0", "10.213.77"


def has_namespaces():
    """Whether this user may make network namespaces, bridges and pairs of links."""
    if os.geteuid() != 0:
        return False
    commands = [f"ip netns add {BRIDGE}x", f"ip link add {BRIDGE}x type veth peer name {BRIDGE}y netns {BRIDGE}x"]
    done = [subprocess.run(command.split(), capture_output=True).returncode == 0 for command in commands]
    subprocess.run(f"ip link del {BRIDGE}x".split(), capture_output=True)
    subprocess.run(f"ip netns del {BRIDGE}x".split(), capture_output=True)
    return all(done)


def ip(*words):
    subprocess.run(["ip", *" ".join(words).split()], check=True, capture_output=True)


@contextlib.contextmanager
def addresses(count):
    """The scheduler's address, and for each worker its address and how to start a program that has it alone."""
    if not has_namespaces():
        yield "127.0.0.1", [(f"127.0.0.{2 + i}", []) for i in range(count)]
        return
    names = [f"{BRIDGE}w{i}" for i in range(count)]
    try:
        ip(f"link add {BRIDGE} type bridge")
        ip(f"addr add {NETWORK}.1/24 dev {BRIDGE}")
        ip(f"link set {BRIDGE} up")
        for i, name in enumerate(names):
            ip(f"netns add {name}")
            ip(f"link add {name} type veth peer name eth0 netns {name}")
            ip(f"link set {name} master {BRIDGE} up")
            ip(f"-n {name} addr add {NETWORK}.{11 + i}/24 dev eth0")
            ip(f"-n {name} link set eth0 up")
            ip(f"-n {name} link set lo up")
        yield f"{NETWORK}.1", [(f"{NETWORK}.{11 + i}", ["ip", "netns", "exec", name]) for i, name in enumerate(names)]
    finally:
        for name in names:
            subprocess.run(["ip", "link", "del", name], capture_output=True)
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
        subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True)


class Cluster:
    """One scheduler under one address for all its lives, and workers that come back to it."""

    def __init__(self, host, places):
        with socket.socket() as probe:
            probe.bind((host, 0))
            self.port = probe.getsockname()[1]
        self.host, self.places = host, places
        self.address = f"tcp://{host}:{self.port}"
        self.scheduler = None
        self.workers = [None] * len(places)

    def start_scheduler(self):
        command = [
            "-m",
            "distributed.cli.dask_scheduler",
            "--host",
            self.host,
            "--port",
            str(self.port),
            "--no-dashboard",
        ]
        self.scheduler = start(command, [])
        wait_until(self.is_listening)

    def is_listening(self):
        with contextlib.suppress(OSError), socket.create_connection((self.host, self.port), 1):
            return True
        return False

    def start_worker(self, i):
        address, inside = self.places[i]
        options = [
            "--nthreads",
            "1",
            "--no-dashboard",
            "--no-nanny",
            "--host",
            address,
            "--death-timeout",
            "120",
            "--local-directory",
            tempfile.gettempdir(),
        ]
        self.workers[i] = start(["-m", "distributed.cli.dask_worker", self.address, *options], inside)

    def close(self):
        for process in [*self.workers, self.scheduler]:
            if process is not None:
                process.kill()
                process.wait()


def start(arguments, inside):
    return subprocess.Popen([*inside, sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_until(is_true, seconds=60):
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.02)


@contextlib.contextmanager
def cluster(count):
    with addresses(count) as (host, places):
        made = Cluster(host, places)
        try:
            made.start_scheduler()
            for i in range(count):
                made.start_worker(i)
            yield made
        finally:
            made.close()
