"""The server of `hooke view` from outside: where it listens, what it serves and whom it refuses."""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["HOOKE_PROGRAM"]
ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])


class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="hooke_server_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run([PROGRAM, "run", ROOT / "models/pendulum.yaml", "--out", cls.folder / "run", "--end", "0.5"], check=True,
                       capture_output=True)
        cls.server = subprocess.Popen([PROGRAM, "view", cls.folder / "run", "--no-open"], stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.server.kill)
        cls.address = cls.server.stdout.readline().strip()
        cls.port, cls.secret = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)", cls.address).groups()

    def get(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", int(self.port), timeout=20)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        answer.content = answer.read()
        connection.close()
        return answer

    def test_serves_the_page_and_its_numbers(self):
        self.assertIn(b"<!doctype html>", self.get(self.secret).content)
        runs = json.loads(self.get(self.secret + "runs.json").content)
        self.assertEqual(runs[0]["title"], "Pendulum")
        self.assertEqual(runs[0]["sets"]["time"]["total"], 51)
        self.assertEqual(len(self.get(self.secret + "data/0/time/0").content), 51 * 8)

    def test_listens_on_loopback_only(self):
        table = pathlib.Path("/proc/net/tcp").read_text() + pathlib.Path("/proc/net/tcp6").read_text()
        listening = [line.split()[1] for line in table.splitlines() if line.split()[3] == "0A"]
        mine = [place for place in listening if int(place.rsplit(":", 1)[1], 16) == int(self.port)]
        self.assertEqual(mine, [f"0100007F:{int(self.port):04X}"])

    def test_refuses_other_sites(self):
        for headers in [{"Host": "evil.example"}, {"Host": f"evil.example:{self.port}"}, {"Origin": "http://evil.example"},
                        {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]:
            for path in [self.secret, self.secret + "runs.json", self.secret + "data/0/time/0"]:
                self.assertEqual(self.get(path, **headers).status, 403, (headers, path))

    def test_tells_the_browser_to_keep_it_apart(self):
        headers = self.get(self.secret).headers
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Frame-Options"], "DENY")
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
        self.assertNotIn("Access-Control-Allow-Origin", headers)

    def test_has_no_way_to_files(self):
        for path in ["/", "/etc/passwd", "//etc/passwd", "/../../etc/passwd", self.secret + "../../etc/passwd",
                     self.secret + "..%2f..%2fetc%2fpasswd", self.secret + "data/0/../../../etc/passwd/0",
                     self.secret + "data/0//etc/passwd/0", self.secret + "results.h5", self.secret + "data/0/model/0",
                     self.secret[:-2] + "/", self.secret + "\0", "http://127.0.0.1/etc/passwd"]:
            with socket.create_connection(("127.0.0.1", int(self.port)), timeout=20) as raw:
                raw.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
                answer = raw.makefile("rb").read()
            self.assertTrue(answer.startswith(b"HTTP/1.1 404"), (path, answer[:60]))
            self.assertNotIn(b"root:", answer)
        self.assertEqual(self.get(self.secret, method="POST").status, 405)

    def test_lives_through_nonsense_and_idle_connections(self):
        idle = [socket.create_connection(("127.0.0.1", int(self.port))) for _ in range(10)]
        for nonsense in [b"", b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00", b"A" * 40000, b"GET / HTTP/1.1\r\n" + b"x" * 40000]:
            with socket.create_connection(("127.0.0.1", int(self.port)), timeout=20) as raw:
                try:
                    raw.sendall(nonsense)
                    raw.shutdown(socket.SHUT_WR)
                    raw.makefile("rb").read()
                except OSError:  # it hung up
                    pass
        start = time.monotonic()
        self.assertEqual(self.get(self.secret).status, 200)
        self.assertLess(time.monotonic() - start, 10)
        for raw in idle:
            raw.close()


class Ending(unittest.TestCase):
    def test_ctrl_c_ends_it_and_a_taken_port_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "run", ROOT / "models/pendulum.yaml", "--out", folder, "--end", "0.1"], check=True, capture_output=True)
            server = subprocess.Popen([PROGRAM, "view", folder, "--no-open"], stdout=subprocess.PIPE, text=True)
            port = server.stdout.readline().split(":")[2].split("/")[0]
            second = subprocess.run([PROGRAM, "view", folder, "--no-open", "--port", port], capture_output=True, text=True, timeout=60)
            self.assertEqual(second.returncode, 6)
            self.assertIn("Address already in use", second.stderr)
            server.send_signal(signal.SIGINT)
            self.assertEqual(server.wait(timeout=20), 0)
            server.stdout.close()


if __name__ == "__main__":
    unittest.main()
