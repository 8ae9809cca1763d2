"""The server of `hooke view` under load: many clients, idle ones, slow ones.

    python3 tests/viewer/load.py build/release/hooke

simulates a chain of 64 links and prints how long others wait, and how much memory the server needs. test_server.py
asks for the same with limits.
"""

import concurrent.futures
import contextlib
import http.client
import json
import pathlib
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Served:
    """A running `hooke view`, until the end of the `with` block."""

    def __init__(self, program, *results):
        self.process = subprocess.Popen([program, "view", *results, "--no-open"], stdout=subprocess.PIPE, text=True)
        port, self.root = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)", self.process.stdout.readline().strip()).groups()
        self.port = int(port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def get(self, name, connection=None):
        own = connection or self.connect()
        own.request("GET", self.root + name)
        answer = own.getresponse()
        answer.content = answer.read()
        if not connection:
            own.close()
        return answer

    def pieces(self):
        """Names of all pieces of the first run."""
        sets = json.loads(self.get("runs.json").content)[0]["sets"].items()
        for path, about in sets:
            for piece in range(-(-about["total"] // about["rows"])):
                yield f"data/0/{about.get('number', path)}/{piece}"

    def peak_memory(self):
        """In MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def many_clients(self, clients=40, requests=50):
        """Seconds for all of them, the longest wait for one answer, and how many got none."""
        names = ["", "runs.json", *list(self.pieces())[:8]]

        def client(number):
            connection, longest, failed = self.connect(), 0, 0
            for k in range(requests):
                start = time.monotonic()
                try:
                    failed += self.get(names[(number + k) % len(names)], connection).status != 200
                except (OSError, http.client.HTTPException):
                    failed += 1
                    connection.close()
                longest = max(longest, time.monotonic() - start)
            connection.close()
            return longest, failed

        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(clients) as pool:
            longest, failed = zip(*pool.map(client, range(clients)))
        return time.monotonic() - start, max(longest), sum(failed)

    def open_sockets(self, count, request=b""):
        """Connections that ask for something, or nothing, and never read."""
        sockets = []
        for _ in range(count):
            sockets.append(socket.create_connection(("127.0.0.1", self.port), timeout=60))
            sockets[-1].sendall(request)
        return sockets

    def wait_of_another(self, count, request=b"", most=60):
        """Seconds until somebody else gets the page while there are so many such connections."""
        start = time.monotonic()
        sockets = self.open_sockets(count, request)
        while time.monotonic() - start < most:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.get("").status == 200:
                    break
            time.sleep(.05)
        waited = time.monotonic() - start
        for each in sockets:
            each.close()
        return waited

    def ask_for(self, name):
        return f"GET {self.root}{name} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode()


def main(program):
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "run", ROOT / "models/chain.yaml", "--set", "parameters.n=64", "--set", "outputs.every=0.01", "--end", "20", "--out", folder], check=True,
                       capture_output=True)
        for count, is_slow in [(0, False), (200, False), (1000, False), (200, True)]:
            with Served(program, folder) as served:
                positions = list(served.pieces())[1]
                seconds = served.wait_of_another(count, served.ask_for(positions) if is_slow else b"")
                what = "slow readers" if is_slow else "idle connections"
                print(f"{count} {what}: another client waits {seconds:.2f} s; {served.peak_memory():.0f} MB")
        with Served(program, folder) as served:
            seconds, longest, failed = served.many_clients()
            print(f"40 clients x 50 requests: {seconds:.2f} s, longest wait {longest:.2f} s, {failed} without answer; {served.peak_memory():.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1])
