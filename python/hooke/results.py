"""What a run leaves."""

from __future__ import annotations

import html
import os
import tempfile
from typing import TYPE_CHECKING, Any, Iterator

import numpy

from . import _hooke

if TYPE_CHECKING:
    import pandas


class Results:
    """Numbers of a run by name: results["joint.A.angle"], with `time` and, for steps, `step.time`.

    They are in an HDF5 file, and read when they are first asked for.
    """

    def __init__(self, path: str, summary: dict[str, Any] | None = None, folder: Any = None) -> None:
        self.path = path
        self.summary: dict[str, Any] = summary or {}
        self._file = _hooke.ResultsFile(path)
        self._folder = folder  # holds the file, and goes with this object
        self._known: dict[str, numpy.ndarray[Any, Any]] = {}

    def __getitem__(self, name: str) -> numpy.ndarray[Any, Any]:
        if name not in self._known:
            self._known[name] = self._file.read(name)
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Results({self.status}, {len(self.time)} outputs, {len(self)} quantities)"

    @property
    def names(self) -> list[str]:
        """All quantities."""
        return list(self._file.names)

    @property
    def time(self) -> numpy.ndarray[Any, Any]:
        """Of the outputs, s."""
        return self["time"]

    @property
    def status(self) -> str:
        """finished, interrupted or failed."""
        return str(self._file.status)

    @property
    def modes(self) -> tuple[numpy.ndarray[Any, Any], numpy.ndarray[Any, Any]]:
        """Of the analysis `modes`: frequencies (Hz) and damping ratios."""
        frequency, damping = self._file.modes
        return frequency, damping

    def unit(self, name: str) -> str:
        """Of a quantity."""
        return str(self._file.unit(name))

    def select(self, *names: str) -> list[str]:
        """Quantities by names, their beginnings (body.slider) and patterns (body.*.position.x)."""
        return list(self._file.select(list(names)))

    def to_pandas(self, *names: str) -> pandas.DataFrame:
        """A table over the output times; of the quantities named as for `select`, or of all."""
        import pandas

        wanted = self.select(*names) if names else self.names
        columns = {n: self[n] for n in wanted if n != "time" and not self._file.is_per_step(n)}
        return pandas.DataFrame(columns, index=pandas.Index(self.time, name="time"))

    def plot(self, *names: str, axes: Any = None, **style: Any) -> Any:
        """Draws quantities over time with matplotlib; returns the axes. One axis for each unit."""
        import matplotlib.pyplot as pyplot

        wanted = [n for n in self.select(*names) if n != "time"]
        units = list(dict.fromkeys(self.unit(n) for n in wanted))
        if axes is None:
            _, axes = pyplot.subplots(len(units), 1, sharex=True, squeeze=False, layout="constrained")
            axes = axes[:, 0]
        each = list(numpy.ravel(axes))
        for name in wanted:
            axis = each[units.index(self.unit(name)) % len(each)]
            x = self["step.time"] if self._file.is_per_step(name) else self.time
            axis.plot(x, self[name], **{"label": name, **style})
            axis.set_ylabel(self.unit(name))
            axis.legend()
        each[-1].set_xlabel("time [s]")
        return each[0] if len(each) == 1 else each

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of `hooke view` with everything in it: animation, plots, facts."""
        label = self._file.title or os.path.basename(os.fspath(path))
        self._file.write_page(label, os.fspath(path))

    def view(self, *, height: int = 600) -> View:
        """Shows the animation: in a notebook below the cell, otherwise in the browser."""
        shown = View(self, height)
        if not in_notebook():
            import webbrowser

            webbrowser.open("file://" + shown.write())
        return shown


class View:
    """The page of some results; a notebook shows it as an inline frame."""

    def __init__(self, results: Results, height: int) -> None:
        self._results = results
        self._height = height

    def write(self) -> str:
        """Into a file of its own, for the browser."""
        handle, path = tempfile.mkstemp(prefix="hooke-", suffix=".html")
        os.close(handle)
        self._save(path)
        return path

    def _save(self, path: str) -> None:
        """Under its title, or as what it is: the name of a temporary file says nothing."""
        self._results._file.write_page(self._results._file.title or "Results", path)

    def _repr_html_(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            self._save(path)
            with open(path, encoding="utf-8") as file:
                page = file.read()
        return (
            f'<iframe style="width: 100%; height: {self._height}px; border: 0" sandbox="allow-scripts" '
            f'srcdoc="{html.escape(page)}"></iframe>'
        )


def in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return get_ipython() is not None and "IPKernelApp" in get_ipython().config


def show() -> None:
    """Shows the figures that were drawn: matplotlib.pyplot.show()."""
    import matplotlib.pyplot as pyplot

    pyplot.show()


def read_results(path: str | os.PathLike[str]) -> Results:
    """Results of an earlier run, or of one that still goes on: a file, or the folder it is in."""
    name = os.fspath(path)
    return Results(os.path.join(name, "results.h5") if os.path.isdir(name) else name)
