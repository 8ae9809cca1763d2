"""Hooke: flexible multibody dynamics and co-simulation.

    import hooke

    model = hooke.Model(gravity=[0, 0, -9.81])
    model.bodies["arm"] = hooke.Rigid(mass=1, shape=hooke.Box([0.05, 1, 0.05]), at=[0, 0.5, 0])
    model.joints["pivot"] = hooke.Revolute(["ground", "arm"], at=[0, 0, 0], axis="x")
    results = hooke.run(model, end=5, step=1e-3)
    results.plot("joint.pivot.angle")
"""

from . import settings as settings
from ._hooke import Body, Error, Force, Joint, ModelError, State, StepError
from ._hooke import version as __version__
from .analyses import modes, rollout, run
from .cosimulation import CoSimulation, Participant, SimulationParticipant, coupling_survey
from .functions import Code, compiled, with_derivatives
from .meshes import SolidMesh, mesh, reduce
from .model import Model, load
from .results import Results, read_results, show
from .settings import *  # noqa: F403  the classes of model files, by their descriptions
from .simulation import LinearSystem, ModeShapes, Simulation
from .study import StudyTable, read_table, study

__all__ = [
    "Body", "CoSimulation", "Code", "Error", "Force", "Joint", "LinearSystem", "Model", "ModelError", "ModeShapes",
    "Participant", "Results", "Simulation", "SimulationParticipant", "SolidMesh", "State", "StepError", "StudyTable", "__version__", "compiled",
    "coupling_survey", "load", "mesh", "modes", "read_results", "read_table", "reduce", "rollout", "run", "settings", "show", "study", "with_derivatives",
]
__all__ += settings.__all__
