"""A model that is stepped through time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy

from . import _hooke
from .model import Model


@dataclass
class ModeShapes:
    """Modes of vibration, by rising frequency; one of each conjugate pair."""

    frequency: numpy.ndarray[Any, Any]  #: Hz
    damping: numpy.ndarray[Any, Any]  #: ratio to critical
    eigenvalue: numpy.ndarray[Any, Any]  #: 1/s
    shape: numpy.ndarray[Any, Any]  #: a row for each mode, a column for each dof
    dofs: list[str]

    def __len__(self) -> int:
        return len(self.frequency)


@dataclass
class LinearSystem:
    """x' = A x + B u, y = C x + D u; x = (motions that are free, their rates, states of control blocks)."""

    A: numpy.ndarray[Any, Any]
    B: numpy.ndarray[Any, Any]
    C: numpy.ndarray[Any, Any]
    D: numpy.ndarray[Any, Any]
    N: numpy.ndarray[Any, Any]  #: columns: the free motions, in the dofs of the model
    inputs: list[str]
    outputs: list[str]


class Simulation(_hooke.Simulation):
    """A model that is stepped through time.

    >>> sim = hooke.Simulation(model)
    >>> while sim.time < 5:
    ...     sim.step()
    ...     angle = sim.joint("pivot").angle

    Raises ModelError with all that is wrong with the model. One thread at a time may use it.
    """

    def __init__(self, model: Model) -> None:
        self.model = model.copy()
        super().__init__(self.model.problem())

    def modes(self, count: int | None = None) -> ModeShapes:
        """Modes about the state now, which must be at rest or move steadily: the lowest `count`.

        Without a number these are all of them, or the lowest 20 of a model of more than 600 unknowns, which are found with
        sparse matrices.
        """
        return ModeShapes(**self._modes(-1 if count is None else count), dofs=self.dofs)

    def linearise(self, inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> LinearSystem:
        """The linear system about the state now, which must be at rest, from inputs to outputs.

        Inputs are parameter blocks, outputs are quantities by their names in results ('joint.A.angle') or signals.
        """
        A, B, C, D, N = self._linear_matrices(list(inputs), list(outputs))
        return LinearSystem(A, B, C, D, N, list(inputs), list(outputs))
