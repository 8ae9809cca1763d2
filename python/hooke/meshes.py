"""Meshes of solids, and their reduction to modes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Sequence

import numpy

from . import _hooke
from .model import Model
from .settings import Modal, Solid


@dataclass
class SolidMesh:
    """Nodes and elements of a solid; numbers of nodes count from 0."""

    nodes: numpy.ndarray[Any, Any]  #: a row x, y, z for each, m
    elements: list[list[int]]  #: nodes of each
    node_sets: dict[str, list[int]]


def _model_of(solid: Solid) -> Model:
    return Model(bodies={"solid": solid})


def mesh(solid: Solid) -> SolidMesh:
    """The mesh of a solid: a box, a body of revolution, or what a file holds (gmsh, Abaqus, Nastran, VTK)."""
    return SolidMesh(**_hooke.mesh_of(_model_of(solid).problem(), "solid"))


def reduce(
    solid: Solid,
    path: str | os.PathLike[str],
    *,
    modes: int = 6,
    interfaces: Sequence[str] = (),
    damping_ratio: float = 0,
    with_surface: bool = True,
    stiffening: bool = False,
) -> Modal:
    """Reduces a solid to Craig and Bampton's modes, writes them into a file and returns the body that uses it.

    `interfaces` are node sets that joints will hold; joints call them 'body.NAME'. Without the surface the file is small, and
    results have no stress. With `stiffening`, what pulls at the body makes it stiffer.
    """
    problem = _model_of(solid).problem()
    _hooke.reduce(
        problem, "solid", os.fspath(path), modes, list(interfaces), damping_ratio, with_surface, stiffening
    )
    return Modal(file=os.path.abspath(path))
