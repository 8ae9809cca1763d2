"""A model that is stepped through time."""

from __future__ import annotations

from typing import Any, Sequence

from . import _hooke
from .model import Model


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

    def modes(self) -> Any:
        """Modes about the state now, which must be at rest."""
        from .analyses import ModeShapes

        return ModeShapes(**self.modes_here(), dofs=self.dofs)

    def linearise(self, inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> Any:
        """The linear system about the state now, which must be at rest, from inputs to outputs.

        Inputs are parameter blocks, outputs are quantities by their names in results ('joint.A.angle') or signals.
        """
        from .analyses import LinearSystem

        A, B, C, D, N = self.linear_matrices(list(inputs), list(outputs))
        return LinearSystem(A, B, C, D, N, list(inputs), list(outputs))
