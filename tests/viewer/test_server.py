"""The server of `hooke view` from outside: where it listens, what it serves and whom it refuses."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from load import Served

PROGRAM = os.environ["HOOKE_PROGRAM"]
ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])


class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="hooke_server_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run([PROGRAM, "run", ROOT / "models/pendulum.yaml", "--out", cls.folder / "run", "--end", "0.5"], check=True,
                       capture_output=True)
        cls.served = Served(PROGRAM, cls.folder / "run")
        cls.addClassCleanup(cls.served.close)
        cls.port, cls.secret = cls.served.port, cls.served.root

    def get(self, path, method="GET", **headers):
        connection = self.served.connect()
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        answer.content = answer.read()
        connection.close()
        return answer

    def exchange(self, *requests):
        """What comes back over one connection, until the server closes it."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as raw:
            raw.sendall(b"".join(requests))
            raw.shutdown(socket.SHUT_WR)
            return raw.makefile("rb").read()

    def test_serves_the_page_and_its_numbers(self):
        self.assertIn(b"<!doctype html>", self.get(self.secret).content)
        runs = json.loads(self.get(self.secret + "runs.json").content)
        self.assertEqual(runs[0]["title"], "Pendulum")
        self.assertEqual(runs[0]["sets"]["time"]["total"], 51)
        self.assertEqual(len(self.get(self.secret + "data/0/0/0").content), 51 * 8)

    def test_listens_on_loopback_only(self):
        table = pathlib.Path("/proc/net/tcp").read_text() + pathlib.Path("/proc/net/tcp6").read_text()
        listening = [line.split()[1] for line in table.splitlines() if line.split()[3] == "0A"]
        mine = [place for place in listening if int(place.rsplit(":", 1)[1], 16) == self.port]
        self.assertEqual(mine, [f"0100007F:{self.port:04X}"])

    def test_refuses_other_sites(self):
        for headers in [{"Host": "evil.example"}, {"Host": f"evil.example:{self.port}"}, {"Origin": "http://evil.example"},
                        {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]:
            for path in [self.secret, self.secret + "runs.json", self.secret + "data/0/0/0"]:
                self.assertEqual(self.get(path, **headers).status, 403, (headers, path))

    def test_tells_the_browser_to_keep_it_apart(self):
        for name in ["", "runs.json", "data/0/0/0", "nothing"]:
            headers = self.get(self.secret + name).headers
            for policy in ["default-src 'none'", "frame-ancestors 'none'"]:
                self.assertIn(policy, headers["Content-Security-Policy"])
            self.assertNotIn("unsafe", headers["Content-Security-Policy"])
            self.assertEqual(headers["X-Frame-Options"], "DENY")
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
            self.assertEqual(headers["Cross-Origin-Opener-Policy"], "same-origin")
            self.assertNotIn("Access-Control-Allow-Origin", headers)
        self.assertIn("script-src 'sha256-", self.get(self.secret).headers["Content-Security-Policy"])

    def test_has_no_way_to_files(self):
        for path in ["/", "/etc/passwd", "//etc/passwd", "/../../etc/passwd", self.secret + "../../etc/passwd",
                     self.secret + "..%2f..%2fetc%2fpasswd", self.secret + "data/0/../../../etc/passwd/0",
                     self.secret + "data/0//etc/passwd/0", self.secret + "results.h5", self.secret + "data/0/model/0",
                     self.secret[:-2] + "/", self.secret + "\0", "http://127.0.0.1/etc/passwd"]:
            answer = self.exchange(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
            self.assertTrue(answer.startswith(b"HTTP/1.1 404"), (path, answer[:60]))
            self.assertNotIn(b"root:", answer)
        self.assertEqual(self.get(self.secret, method="POST").status, 405)

    def test_keeps_connections_open(self):
        connection = self.served.connect()
        connection.connect()
        first = connection.sock
        for _ in range(3):
            self.assertEqual(len(self.served.get("data/0/0/0", connection).content), 51 * 8)
        self.assertIs(connection.sock, first)
        connection.close()

    def test_answers_in_order_and_closes_after_what_it_does_not_know(self):
        ask = self.served.ask_for
        self.assertEqual(self.exchange(ask("data/0/0/0"), ask("nothing"), ask("data/0/0/0")).count(b"HTTP/1.1 "), 3)
        with_body = ask("").replace(b"GET", b"POST").replace(b"\r\n\r\n", b"\r\nContent-Length: 500\r\n\r\n")
        for last in [with_body, ask("nothing").replace(b"HTTP/1.1", b"HTTP/1.0"), b"nonsense\r\n\r\n"]:
            answer = self.exchange(last, ask("runs.json"))
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1)
            self.assertIn(b"Connection: close", answer)

    def test_serves_many_clients_at_once(self):
        seconds, _, failed = self.served.many_clients()
        self.assertEqual(failed, 0)
        self.assertLess(seconds, 20)

    def test_idle_and_slow_clients_do_not_block_others(self):
        for count, request in [(200, b""), (400, b""), (100, self.served.ask_for(""))]:
            self.assertLess(self.served.wait_of_another(count, request), 5)

    def test_lives_through_nonsense_and_idle_connections(self):
        idle = self.served.open_sockets(10)
        for nonsense in [b"", b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00", b"A" * 40000, b"GET / HTTP/1.1\r\n" + b"x" * 40000]:
            with socket.create_connection(("127.0.0.1", self.port), timeout=20) as raw:
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


class Streams(unittest.TestCase):
    """Pipes that nobody reads, streams that are closed, disks that are full."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="hooke_streams_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run([PROGRAM, "run", ROOT / "models/pendulum.yaml", "--out", cls.folder, "--end", "5"], check=True, capture_output=True)

    def shell(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "hooke": PROGRAM})

    def test_a_pipe_that_is_not_read_to_the_end(self):
        for command in ["export results.h5 --csv -", "export results.h5 --list"]:
            done = self.shell(f"$hooke {command} | head -n 1; exit ${{PIPESTATUS[0]}}")
            self.assertIn(done.returncode, [0, 128 + signal.SIGPIPE], done.stderr)
            self.assertEqual((done.stdout.count("\n"), done.stderr), (1, ""))
        done = self.shell("trap '' PIPE; $hooke export results.h5 --csv - | head -n 1; exit ${PIPESTATUS[0]}")
        self.assertEqual((done.returncode, done.stderr), (6, "hooke: cannot write to the standard output\n"))

    def test_output_that_cannot_be_written_is_an_error(self):
        for command in ["export results.h5 --csv -", "export results.h5 --list", "view results.h5 --export page.html", "report results.h5"]:
            for place in [">/dev/full", ">&-"]:
                done = self.shell(f"$hooke {command} {place}")
                self.assertEqual((done.returncode, done.stderr), (6, "hooke: cannot write to the standard output\n"), command + place)

    def test_closed_streams_do_not_get_into_files(self):
        before = (self.folder / "results.h5").read_bytes()
        done = self.shell("$hooke plot results.h5 energy --out a.svg; $hooke plot results.h5 energy --out b.svg <&- >&- 2>&-")
        self.assertEqual(done.returncode, 6)
        self.assertEqual((self.folder / "a.svg").read_bytes(), (self.folder / "b.svg").read_bytes())
        self.assertEqual((self.folder / "results.h5").read_bytes(), before)

    def test_view_outlives_who_reads_its_address_and_ends_by_signal(self):
        for number, expect in [(signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGHUP, 0)]:
            if signal.getsignal(number) == signal.SIG_IGN:  # under nohup
                continue
            with Served(PROGRAM, self.folder) as served:
                served.process.stdout.close()
                self.assertEqual(served.get("runs.json").status, 200)
                served.process.send_signal(number)
                self.assertEqual(served.process.wait(timeout=20), expect)

    def test_no_colours_where_they_are_not_wanted(self):
        for setting, expect in [({"NO_COLOR": "", "TERM": "xterm"}, True), ({"NO_COLOR": "1", "TERM": "xterm"}, False), ({"TERM": "dumb"}, False)]:
            terminal, end = os.openpty()
            subprocess.run([PROGRAM, "export", self.folder, "--list", "energy"], stdout=end, check=True, env={**os.environ, **setting})
            os.close(end)
            self.assertEqual(b"\033[" in os.read(terminal, 4096), expect, setting)
            os.close(terminal)


if __name__ == "__main__":
    unittest.main()
