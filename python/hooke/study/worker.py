"""A process that runs what it is handed: python3 -m hooke.study.worker DESCRIPTOR

Messages come and go over a socket: a Work, lists of points; back goes a Row for each point, as soon as it is done. When the
other end is gone, so is this one.
"""

from __future__ import annotations

import signal
import sys
from multiprocessing.connection import Connection

from .work import Work, run_point


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who sent the work decides
    connection: Connection = Connection(int(sys.argv[1]))
    work: Work | None = None
    try:
        while True:
            message = connection.recv()
            if isinstance(message, Work):
                work = message
                continue
            assert work is not None
            for point in message:
                connection.send(run_point(work, point))
    except (EOFError, OSError):
        pass


if __name__ == "__main__":
    main()
