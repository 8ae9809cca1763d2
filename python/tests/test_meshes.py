"""Meshes and their reduction to modes."""

import numpy
import pytest

import hooke


def bar():
    return hooke.Solid(
        mesh=hooke.BoxMesh(size=[0.01, 0.02, 0.3], divisions=[1, 1, 6], element="hex20"),
        material=hooke.Material(young=2.07e11, poisson=0.29, density=7870))


def test_a_mesh_can_be_looked_at():
    mesh = hooke.mesh(bar())
    assert mesh.nodes.shape[1] == 3 and len(mesh.elements) == 6 and len(mesh.elements[0]) == 20
    assert mesh.nodes[mesh.node_sets["z_max"], 2] == pytest.approx(0.15)


def test_a_reduced_body_vibrates_as_the_solid(tmp_path):
    modal = hooke.reduce(bar(), tmp_path / "bar.modes", modes=12, interfaces=["z_min", "z_max"], with_surface=False)
    found = []
    for body, clamp in ((bar(), hooke.Tie(["ground", "bar.z_min"])), (modal, hooke.Fixed(["ground", "bar.z_min"]))):
        model = hooke.Model(bodies={"bar": body}, joints={"clamp": clamp})
        found.append(hooke.modes(model).frequency[:3])
    assert found[1] == pytest.approx(found[0], rel=0.01)


def test_the_lowest_modes_of_a_large_model():
    solid = bar()
    solid.mesh.divisions = [2, 2, 20]
    model = hooke.Model(bodies={"bar": solid}, joints={"clamp": hooke.Tie(["ground", "bar.z_min"])})
    found = hooke.modes(model, 4)
    assert found.shape.shape == (4, len(found.dofs)) and len(found.dofs) > 600
    assert len(hooke.modes(model).frequency) == 20
    frequencies, _ = hooke.run(model, analysis=hooke.Modes()).modes
    assert found.frequency == pytest.approx(frequencies[:4], rel=1e-6)
    with pytest.raises(hooke.Error, match="at least 1"):
        hooke.modes(model, 0)


def test_what_is_no_solid_is_refused(tmp_path):
    with pytest.raises(hooke.Error, match="no solid"):
        hooke.mesh(hooke.Rigid(mass=1, inertia=1))
    with pytest.raises(Exception, match="no_such_set"):
        hooke.reduce(bar(), tmp_path / "bar.modes", interfaces=["no_such_set"])
    with pytest.raises(hooke.Error, match="cannot write"):
        hooke.reduce(bar(), tmp_path / "nowhere" / "bar.modes", interfaces=["z_min"])
