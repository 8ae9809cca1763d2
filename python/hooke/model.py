"""A whole problem: what a model file says."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _hooke
from ._settings import Document, object_of, root
from .settings import Problem


class Model(Problem):
    """A model and what to compute of it, by the keys of a model file.

    >>> model = hooke.Model(gravity=[0, 0, -9.81])
    >>> model.bodies["arm"] = hooke.Rigid(mass=1, shape=hooke.Box([0.05, 1, 0.05]), at=[0, 0.5, 0])
    >>> model.joints["pivot"] = hooke.Revolute(["ground", "arm"], at=[0, 0, 0], axis="x")
    >>> model.run.step = 1e-3
    """

    _places: dict[str, Any] = {}  # of keys in the file it was loaded from
    _file = ""
    _overrides: tuple[str, ...] = ()  # key=value, with which it was loaded

    def problem(self) -> _hooke.Problem:
        """As the engine takes it; raises ModelError with all that is wrong."""
        document = Document()
        tree: dict[str, Any] = {"hooke": 1, **self._tree(document, False)}
        if document.blocks:
            tree["control"] = {**tree.get("control", {}), **document.blocks}
        return _hooke.read(tree, self._places, self._file)

    def _is_as_loaded(self) -> bool:
        """From a file, and the same still."""
        if not self._file:
            return False
        return self.problem().document() == _hooke.load(self._file, list(self._overrides)).document()

    def check(self) -> list[str]:
        """Raises ModelError with all that is wrong; returns what is doubtful."""
        return list(_hooke.Simulation(self.problem()).warnings)

    def to_yaml(self) -> str:
        """As a model file."""
        return self.problem().text()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file, which loads as the same model. Functions that are code cannot be written."""
        self.problem().save(os.fspath(path))


def load(path: str | os.PathLike[str], **overrides: Any) -> Model:
    """Reads a model file.

    >>> model = hooke.load("crank.yaml")
    >>> model = hooke.load("chain.yaml", **{"parameters.n": 20, "run.step": 1e-3})
    """
    texts = [f"{key}={json.dumps(value)}" for key, value in overrides.items()]
    problem = _hooke.load(os.fspath(path), texts)
    model = Model()
    document = json.loads(problem.document())
    del document["hooke"]
    model._values.update(object_of(root, document)._values)
    model._places = problem.places
    model._file = os.fspath(path)
    model._overrides = tuple(texts)
    return model
