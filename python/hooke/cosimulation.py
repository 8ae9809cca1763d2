"""Co-simulation with participants that are written in Python."""

from __future__ import annotations

import json
from typing import Any, Mapping, Protocol, Sequence

import numpy

from . import _hooke
from ._settings import object_of
from .model import Model
from .settings import Coupling
from .simulation import Simulation


class Participant(Protocol):
    """One of those that make a coupled simulation: it advances by itself over a macro step.

    One macro step is: save() once; then set_input(u), advance(h), output(), as often as the coupling iterates, with
    restore() in front of every further advance. u and the outputs are values at the end of the macro step.
    """

    @property
    def inputs(self) -> Sequence[str]: ...
    @property
    def outputs(self) -> Sequence[str]: ...
    def set_input(self, u: numpy.ndarray[Any, Any]) -> None: ...
    def advance(self, h: float) -> None: ...
    def output(self) -> Any: ...
    def save(self) -> None: ...
    def restore(self) -> None: ...


class SimulationParticipant:
    """A Hooke model as a participant: inputs are its parameter blocks, outputs its quantities by name."""

    def __init__(self, simulation: Simulation, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self.simulation = simulation
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self._saved = simulation.state

    def set_input(self, u: numpy.ndarray[Any, Any]) -> None:
        for name, value in zip(self.inputs, u):
            self.simulation.set_input(name, float(value))

    def advance(self, h: float) -> None:
        self.simulation.advance(self.simulation.time + h)

    def output(self) -> list[float]:
        return [self.simulation[name] for name in self.outputs]

    def save(self) -> None:
        self._saved = self.simulation.state

    def restore(self) -> None:
        self.simulation.state = self._saved


class CoSimulation:
    """Participants that are iterated over every macro step until what each gives is what the others were told.

    >>> plant = hooke.SimulationParticipant(sim, inputs=["torque"], outputs=["joint.pivot.angle"])
    >>> both = hooke.CoSimulation({"plant": plant, "motor": Motor()},
    ...                           {"plant.torque": "motor.torque", "motor.angle": "plant.joint.pivot.angle"})
    >>> both.advance(1, step=1e-2)

    `connections` name for each input the output that feeds it. `settings`: a hooke.Coupling, as under `coupling` of a
    model file.
    """

    def __init__(
        self, participants: Mapping[str, Participant], connections: Mapping[str, str], settings: Coupling | None = None
    ) -> None:
        outputs = [f"{name}.{output}" for name, p in participants.items() for output in p.outputs]
        inputs = [f"{name}.{input}" for name, p in participants.items() for input in p.inputs]
        for name in connections:
            if name not in inputs:
                raise ValueError(f"no input named '{name}'{_hooke.suggest(name, inputs)}")
        sources: list[list[int]] = []
        for name, participant in participants.items():
            sources.append([])
            for input in participant.inputs:
                source = connections.get(f"{name}.{input}")
                if source is None:
                    raise ValueError(f"the input '{name}.{input}' is not connected; outputs are {', '.join(outputs)}")
                if source not in outputs:
                    raise ValueError(f"no output named '{source}'{_hooke.suggest(source, outputs)}")
                sources[-1].append(outputs.index(source))
        members = [(p, name, len(p.inputs), list(p.outputs)) for name, p in participants.items()]
        model = Model() if settings is None else Model(coupling=settings)
        self.outputs = outputs
        self.time = 0.0
        self.iterations = 0
        self._coupling = _hooke.Coupling(members, sources, model.problem())

    def step(self, h: float) -> int:
        """One macro step; returns how many iterations it took. Raises StepError when they do not agree."""
        taken = int(self._coupling.step(h))
        self.time += h
        self.iterations += taken
        return taken

    def advance(self, time: float, step: float) -> None:
        """Macro steps of that size to the time."""
        while self.time < time - 1e-12 * max(1.0, abs(time)):
            self.step(min(step, time - self.time))

    def __getitem__(self, output: str) -> float:
        if output not in self.outputs:
            raise KeyError(f"no output named '{output}'{_hooke.suggest(output, self.outputs)}")
        return float(self._coupling.outputs[self.outputs.index(output)])


def coupling_survey(
    model: Model, displaced: Sequence[str] | None = None, steps: Sequence[float] | None = None
) -> list[dict[str, Any]]:
    """Which settings of a force-displacement coupling are stable, and up to which macro step: `hooke stability`.

    Each entry has the `settings` (a ForceDisplacement), the spectral radius of the `exchange` alone (1 or more: no step
    helps), the `radii` of a macro step for each of `steps`, and the `largest_step` that is stable.
    """
    if displaced is None:
        coupling = model.coupling.force_displacement
        if coupling is None:
            raise ValueError("the model has no force-displacement coupling: name the displaced subsystems")
        displaced = [coupling.displaced] if isinstance(coupling.displaced, str) else list(coupling.displaced)
    if steps is None:
        steps = list(float(model.run.step) * numpy.logspace(-1.5, 1.5, 13))
    found = Simulation(model)._coupling_survey(list(displaced), [float(h) for h in steps])
    for verdict in found:
        verdict["settings"] = object_of("ForceDisplacement", json.loads(verdict["settings"]))
    return list(found)
