"""The page of a study on this machine alone: a click on a run makes its animation."""

from __future__ import annotations

import re
import threading
import webbrowser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ..table import StudyTable
from . import page_of, save_view, view_path


def serve(table: StudyTable, port: int = 0, opens_browser: bool = True) -> None:
    """Until Ctrl-C."""
    server = make_server(table, port)
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    print(f"{address}  (Ctrl-C ends it)", flush=True)
    if opens_browser:
        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()


def make_server(table: StudyTable, port: int) -> ThreadingHTTPServer:
    one_at_a_time = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """The page, or views/NUMBER.html; only for who asks for this machine by its name, so that no other site can."""
            host = self.headers.get("Host", "").rsplit(":", 1)[0]
            view = re.fullmatch(r"/views/(\d{1,9})\.html", self.path)
            if host not in ("127.0.0.1", "localhost"):
                self._answer(403, b"ask for 127.0.0.1")
            elif self.path == "/":
                self._answer(200, page_of(table).encode())
            elif view and int(view[1]) < len(table) and table.work is not None and table.work.model:
                self._view(int(view[1]))
            else:
                self._answer(404, b"there is nothing here")

        def _view(self, run: int) -> None:
            with one_at_a_time:
                path = view_path(table, run)
                try:
                    self._answer(200, (path if path.exists() else save_view(table, run)).read_bytes())
                except Exception as error:  # a run that fails has no animation
                    self._answer(500, str(error).encode(), "text/plain; charset=utf-8")

        def _answer(self, status: int, body: bytes, kind: str = "text/html; charset=utf-8") -> None:
            self.send_response(status)
            for name, value in (
                ("Content-Type", kind),
                ("Content-Length", str(len(body))),
                ("X-Content-Type-Options", "nosniff"),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)
