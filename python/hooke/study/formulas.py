"""Formulas of named numbers, in the language of model files."""

from __future__ import annotations

from typing import Mapping

from .. import _hooke
from ..model import Model
from ..settings import ParameterBlock, Rigid


class Formulas:
    """Several at once; one may use those before it. The engine reads and evaluates them, as signals of a model at rest."""

    def __init__(self, formulas: Mapping[str, str], names: list[str]) -> None:
        model = Model()
        model.bodies["rest"] = Rigid(mass=1, inertia=1)
        for name in names:
            model.control[name] = ParameterBlock(0.6180339887)  # hardly a place where a formula has no value
        for name, formula in formulas.items():
            model.signals[name] = formula
        self._simulation = _hooke.Simulation(model.problem())
        self._signals = [(name, f"signal.{name}") for name in formulas]

    def __call__(self, values: Mapping[str, float]) -> dict[str, float]:
        for name, value in values.items():
            self._simulation.set_input(name, value)
        return {name: float(self._simulation[signal]) for name, signal in self._signals}


def constant(formula: str) -> float:
    return Formulas({"value": formula}, [])({})["value"]
