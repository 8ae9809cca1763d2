"""Every run ends well or says why: small models of random topology, bodies, joints, forces, drives and methods.

A model follows from its seed. Most are reasonable; one in seven is not (far too stiff, fast, long a step, ...). A run

- finishes, and its results are in order: all outputs are there and finite, joints are closed, the account of energy
  balances or there is a warning, and a passive model gains no energy; or
- fails with a message and a documented exit status.

Some runs are repeated: another solver and the entries of the file in another order give the same motion, two threads
the same text, and another integrator the same motion within the errors that both estimate.

    tests/long/test_random_models.py --count 500 --first 1000 --keep DIR     a table of outcomes; faults go to DIR
    tests/long/test_random_models.py --seed 17 --print                       one model
"""

import argparse
import collections
import concurrent.futures
import copy
import csv
import io
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("HOOKE_PROGRAM", str(ROOT / "build/release/hooke"))
LIMIT = 20  # s, for one run

# Coordinates that a joint leaves free, as in docs/joints.md.
JOINTS = {
    "fixed": [],
    "revolute": ["angle"],
    "prismatic": ["displacement"],
    "screw": ["displacement", "angle"],
    "cylindrical": ["displacement", "angle"],
    "universal": ["angle_x", "angle_y"],
    "constant-velocity": ["angle_x", "angle_y"],
    "spherical": [],
    "planar": ["x", "y", "angle"],
    "point-on-line": ["displacement"],
    "parallel-axes": ["angle"],
    "point-on-plane": ["x", "y"],
    "perpendicular-axes": [],
}
DRIVABLE = {"fixed", "revolute", "prismatic", "screw", "cylindrical", "universal", "constant-velocity", "planar"}
EXPLICIT = ["dormand-prince", "merson"]
WARNS = ("warning: steps do not resolve", "warning: errors of the steps", "warning: the balance of energy")
SOLVERS = ["auto", "dense", "sparse", "schur", "dca", "klu"]

# Files that models refer to.
FILES = {
    "bar.modes": """hooke_modes: 1
reduce:
  mesh: {box: {size: [0.4, 0.03, 0.02], divisions: [6, 1, 1]}}
  material: {young: 7e10, poisson: 0.3, density: 2700}
  interfaces: [x_min, x_max]
  modes: 14
  damping_ratio: 0.01
""",
    "motion.csv": "time,value\n" + "".join(f"{k/10:g},{0.2*(1 - math.cos(k/2)):.6f}\n" for k in range(21)),
}


def digits(x, count=4):
    return float(f"{x:.{count}g}")


def plus(a, b, factor=1.0):
    return [x + factor*y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]


def norm(a):
    return math.sqrt(sum(x*x for x in a))


def unit(a):
    return [x/norm(a) for x in a]


def times(numbers, factor):
    """One number or a list."""
    return [digits(x*factor) for x in numbers] if isinstance(numbers, list) else digits(numbers*factor)


def turns(coordinate):
    return coordinate.startswith("angle")


class Maker:
    """One model. A body reaches from its base to its tip; the joint to its parent is at the base."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.model = {"hooke": 1, "title": "", "gravity": [0, 0, 0], "ground": {"frames": {}}, "bodies": {},
                      "joints": {}, "drives": {}, "forces": {}}
        self.points = {}  # attachment: where it is
        self.kinds = {}   # body: its kind
        self.free = {}    # joint in the tree: coordinates that nothing acts along
        self.is_flat = self.chance(0.4)  # all points in the yz plane, axes along x
        self.is_flexible = self.chance(0.35)

    # --- numbers

    def chance(self, share):
        return self.random.random() < share

    def pick(self, *choices):
        return choices[int(self.random.random()*len(choices))]

    def between(self, low, high):
        return digits(low + (high - low)*self.random.random())

    def log(self, low, high):
        return digits(low*(high/low)**self.random.random())

    def sign(self):
        return self.pick(-1, 1)

    def direction(self):
        if self.is_flat:
            angle = self.between(0, 2*math.pi)
            return [0.0, math.cos(angle), math.sin(angle)]
        if self.chance(0.3):
            return self.pick([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0])
        return unit([self.random.gauss(0, 1) for _ in range(3)])

    def axis(self):
        return [1.0, 0.0, 0.0] if self.is_flat else [digits(x) for x in self.direction()]

    def across(self, axis):
        return unit(cross(axis, self.pick([0, 1, 0], [0, 0, 1]) if self.is_flat else [self.between(1, 2), 0.3, -0.7]))

    # --- bodies

    def make(self):
        self.gravity()
        count = self.pick(1, 2, 2, 3, 3) if self.is_flexible else self.pick(1, 1, 2, 2, 3, 4, 5, 6, 8, 12)
        for _ in range(count):
            self.body()
        for _ in range(self.pick(0, 0, 1, 1, 2) if count > 1 else self.pick(0, 0, 0, 1)):
            self.loop()
        self.pair()
        for _ in range(self.pick(0, 0, 0, 1, 1, 2)):
            self.drive()
        for _ in range(self.pick(0, 0, 1, 1, 2, 3)):
            self.pick(self.spring, self.spring, self.torsion_spring, self.joint_force, self.bushing, self.load,
                      self.load, self.distributed_load)()
        self.run()
        return self.finished()

    def gravity(self):
        if self.chance(0.75):
            self.model["gravity"] = [0, 0, -9.81]
        elif self.chance(0.3):
            self.model["gravity"] = [self.between(-20, 20) for _ in range(3)]

    def body(self):
        names = list(self.kinds)
        parent = "ground"
        if names and not self.chance(0.15):
            parent = names[-1] if self.chance(0.7) else self.pick(*names)
        name = f"b{len(names)}"
        kind = "rigid"
        if self.is_flexible and (not names or self.chance(0.5)):
            kind = self.pick("cosserat", "cosserat", "ancf", "ffrf", "solid", "modal")
        length = 0.4 if kind == "modal" else self.log(0.1, 1)
        if parent == "ground":
            base = [0.0, 0.0, 0.0] if not names else [digits(x) for x in plus([0, 0, 0], self.direction(), 0.7)]
            grip = "ground"
        else:
            grip = f"{parent}.{self.ends(parent)[1]}"
            base = self.points[grip]
        tip = plus(base, self.direction(), length)
        self.kinds[name] = kind
        self.points[f"{name}.{self.ends(name)[0]}"] = base
        self.points[f"{name}.{self.ends(name)[1]}"] = tip
        self.model["bodies"][name] = getattr(self, kind)(base, tip, length)
        if not (parent == "ground" and self.chance(0.12)):
            self.tree_joint(grip, name, base)
        elif self.chance(0.7):
            self.model["bodies"][name]["velocity"] = [self.between(-1, 1) for _ in range(3)]
            self.model["bodies"][name]["angular_velocity"] = [self.between(-5, 5) for _ in range(3)]

    def ends(self, body):
        kind = self.kinds[body]
        return {"rigid": ("base", "tip"), "solid": ("x_min", "x_max"), "modal": ("x_min", "x_max")}.get(
            kind, ("start", "end"))

    def placement(self, base, tip):
        """Midway, turned anyhow, and the ends in the body."""
        half = [x/2 for x in plus(tip, base, -1)]
        place = {"at": plus(base, half)}
        w, x, y, z = unit([self.random.gauss(0, 1) for _ in range(4)])
        rows = [[1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)],
                [2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)],
                [2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)]]
        columns = [list(c) for c in zip(*rows)]
        way = self.pick("none", "quaternion", "matrix", "axes", "rotate")
        if way == "none":
            columns = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        elif way == "quaternion":
            place[way] = [w, x, y, z]
        elif way == "matrix":
            place[way] = rows
        elif way == "axes":
            place[way] = {"x": columns[0], "y": columns[1]}
        else:
            place[way] = {"axis": [x, y, z], "angle": 2*math.acos(w)}
        local = [sum(a*b for a, b in zip(column, half)) for column in columns]
        return place, {"base": {"at": [-x for x in local]}, "tip": {"at": local}}

    def rigid(self, base, tip, length):
        size = [self.log(0.02, 0.3), self.log(0.02, 0.3), length]
        mass = self.log(0.05, 5)
        inertia = [digits(mass/12*(sum(s*s for s in size) - s*s)) for s in size]
        what = self.pick("numbers", "numbers", "box", "cylinder", "sphere", "points")
        if what == "box":
            rigid = {"shape": {"box": size}, "density": self.log(500, 8000)}
        elif what == "cylinder":
            rigid = {"shape": {"cylinder": {"radius": size[0], "length": length}}, "mass": mass}
        elif what == "sphere":
            rigid = {"shape": {"sphere": size[0]}, "mass": mass}
        else:
            rigid = {"mass": mass, "inertia": self.pick(inertia, max(inertia), inertia + [0, 0, 0])}
            if self.chance(0.2):
                rigid["centre"] = [self.between(-0.1, 0.1) for _ in range(3)]
        if what == "points":
            rigid["points"] = [{"mass": self.log(0.01, 1), "at": [self.between(-0.2, 0.2) for _ in range(3)]}]
        if self.chance(0.4):
            ends = {"base": {"at": [0, 0, -length/2]}, "tip": {"at": [0, 0, length/2]}}
            return {"rigid": rigid, "between": [base, tip], "frames": ends}
        place, ends = self.placement(base, tip)
        return {"rigid": rigid, **place, "frames": ends}

    def material(self):
        return {"young": self.log(1e6, 2e11), "poisson": self.between(0, 0.45), "density": self.log(800, 8000)}

    def rod(self, length, elements):
        radius = digits(length/self.log(10, 80))
        inner, edge = digits(radius*self.between(0.1, 0.9)), digits(radius*self.log(0.3, 3))
        section = self.pick({"circle": radius}, {"tube": {"outer": radius, "inner": inner}},
                            {"rectangle": [radius, edge]})
        rod = {"section": section, "material": self.material(), "elements": elements}
        if self.chance(0.6):
            rod["damping"] = self.log(1e-5, 1e-2)
        return rod

    def cosserat(self, base, tip, length):
        rod = self.rod(length, self.pick(1, 2, 3, 4, 6))
        if self.chance(0.3):
            rod["order"] = 1
        if self.chance(0.15):
            rod["curvature"] = [self.between(-1, 1) for _ in range(3)]
        if self.chance(0.1):
            del rod["material"]
            rod["section"] = {"general": {"stiffness": [1e4, 1e4, 1e4, 5, 5, 5], "mass": 0.5,
                                          "inertia": [1e-4, 1e-4, 2e-4]}}
        return {"cosserat": rod, "between": [base, tip]}

    def ancf(self, base, tip, length):
        return {"ancf": self.rod(length, self.pick(1, 2, 3, 4)), "between": [base, tip]}

    def ffrf(self, base, tip, length):
        rod = self.rod(length, self.pick(2, 4, 8))
        rod["material"]["young"] = self.log(1e9, 2e11)
        rod["basis"] = self.pick("free", "clamped", "craig-bampton")
        rod["modes"] = self.pick(6, 8) if rod["basis"] == "craig-bampton" else self.pick(1, 4, 8)
        if self.chance(0.2):
            rod["mass"] = "constant"
        if self.chance(0.4):
            rod["damping_ratio"] = self.between(0, 0.1)
        return {"ffrf": rod, "between": [base, tip]}

    def solid(self, base, tip, length):
        mesh = {"size": [length, digits(length/self.log(3, 10)), digits(length/self.log(3, 10))],
                "divisions": [self.pick(1, 2, 3), 1, self.pick(1, 2)],
                "element": self.pick("hex8", "hex8", "hex20", "tet4", "tet10")}
        solid = {"mesh": {"box": mesh}, "material": self.material(),
                 "corotation": self.pick("component", "component", "element"),
                 "frame": self.pick("best-fit", "best-fit", "three-nodes"),
                 "mass": self.pick("consistent", "consistent", "lumped")}
        if self.chance(0.2):
            solid["force"] = "simplified"
        if self.chance(0.5):
            solid["stiffness_damping"] = self.log(1e-5, 1e-2)
        if self.chance(0.2):
            solid["mass_damping"] = self.log(0.01, 1)
        if self.chance(0.2):
            solid["components"] = mesh["divisions"][0]
        if self.chance(0.2):
            solid["surface_loads"] = [{"nodes": "y_max", "pressure": self.log(1, 1e3), "follower": self.chance(0.5)}]
        return {"solid": solid, **self.along_x(base, tip)}

    def modal(self, base, tip, length):
        return {"modal": {"file": "bar.modes", "mass": self.pick("exact", "constant")}, **self.along_x(base, tip)}

    def along_x(self, base, tip):
        return {"at": plus(base, plus(tip, base, -1), 0.5), "axes": {"x": plus(tip, base, -1)}}

    # --- joints

    def joint(self, kind, first, second, at):
        axis = self.axis()
        joint = {kind: [first, second], "at": at}
        if kind not in ("fixed", "spherical"):
            joint["axis"] = axis
        if kind == "perpendicular-axes" or kind == "universal" and self.chance(0.5):
            joint["axis2"] = self.across(axis)
        if kind == "screw":
            joint["pitch"] = self.sign()*self.log(0.005, 0.3)
        if JOINTS[kind] and self.chance(0.2):
            joint["friction"] = {"viscous": self.log(1e-4, 0.1)}
            if self.chance(0.5):
                joint["friction"].update(coulomb=self.log(1e-3, 0.5), stick_rate=self.log(1e-3, 0.1))
            if self.chance(0.2):
                joint["friction"]["breakaway"] = digits(1.5*joint["friction"].get("coulomb", 0.01))
        name = f"j{len(self.model['joints'])}"
        self.model["joints"][name] = joint
        return name

    def holds(self, body):
        """How joints hold a body at an end: by its name alone where any point of it will do."""
        return body if self.kinds.get(body, "rigid") in ("rigid", "cosserat", "ancf", "ffrf") else None

    def tree_joint(self, grip, body, at):
        kind = self.pick("revolute", "revolute", "revolute", "spherical", "fixed", *JOINTS)
        parent = grip.split(".")[0]
        first = parent if self.holds(parent) and self.chance(0.7) else grip
        base = f"{body}.{self.ends(body)[0]}"
        second = body if self.holds(body) and self.chance(0.7) else base
        if self.kinds[body] == "solid" and self.kinds.get(parent, "rigid") == "rigid" and self.chance(0.25):
            self.model["joints"][f"j{len(self.model['joints'])}"] = {"tie": [parent, base]}
            return
        if self.chance(0.05):
            return self.distance(base, at)
        name = self.joint(kind, first, second, at)
        self.free[name] = ["angle"] if kind == "screw" else list(JOINTS[kind])
        start = {}
        for coordinate in self.free[name]:
            entry = {}
            if self.chance(0.3):
                entry["value"] = self.between(-1, 1) if turns(coordinate) else self.between(-0.1, 0.1)
            if self.chance(0.3):
                entry["rate"] = self.between(-8, 8) if turns(coordinate) else self.between(-1, 1)
            if entry:
                start[coordinate] = entry
        if start and self.chance(0.6):
            self.model["joints"][name]["start"] = start

    def loop(self):
        """A joint more, at the tip of a body: to the ground or another body."""
        body = self.pick(*self.kinds)
        tip = f"{body}.{self.ends(body)[1]}"
        other = self.pick("ground", "ground", *(b for b in self.kinds if b != body and self.kinds[b] == "rigid"))
        at = self.points[tip]
        if self.chance(0.2):
            return self.distance(tip, at)
        if self.is_flat:
            kind = self.pick("revolute", "revolute", "revolute", "spherical", "cylindrical", "point-on-line", "planar")
        else:
            kind = self.pick("spherical", "point-on-line", "point-on-plane", "parallel-axes", "perpendicular-axes",
                             "universal", "cylindrical", "planar", "revolute")
        self.joint(kind, other, self.holds(body) or tip, at)
        for joint in self.model["joints"].values():
            if self.chance(0.9):
                joint.pop("start", None)  # which a loop can seldom follow

    def distance(self, attachment, at):
        place = self.place_in_world([digits(x) for x in plus(at, self.direction(), 0.5)])
        self.model["joints"][f"j{len(self.model['joints'])}"] = {"distance": [place, attachment]}

    def coordinate(self, is_wanted=lambda name: True):
        """Of a joint in the tree, as other entries refer to it, and its name; it is not free any more."""
        choices = [(joint, name) for joint, names in self.free.items() for name in names if is_wanted(name)]
        if not choices:
            return None, None
        joint, coordinate = self.pick(*choices)
        self.free[joint].remove(coordinate)
        kind = next(iter(self.model["joints"][joint]))
        return (joint if len(JOINTS[kind]) == 1 and self.chance(0.5) else f"{joint}.{coordinate}"), coordinate

    def pair(self):
        if not self.chance(0.15):
            return
        is_rack = self.chance(0.4)
        first, _ = self.coordinate(lambda name: turns(name) != is_rack)
        second, _ = self.coordinate(turns) if first else (None, None)
        if second:
            ratio = self.log(0.02, 0.2) if is_rack else self.log(0.3, 3)
            kind = "rack-and-pinion" if is_rack else "gear"
            self.model["joints"]["pair"] = {kind: [first, second], "ratio": self.sign()*ratio}

    # --- functions of time

    def function(self, size, offset=0.0):
        """About as large as `size` over the run; at t = 0 it is `offset`."""
        rate = self.log(1, 20)
        kind = self.pick("formula", "formula", "number", "polynomial", "smooth_step", "harmonic", "table", "file",
                         "sum", "expression")
        amount = digits(self.sign()*size)
        if kind == "number":
            return offset
        if kind == "formula":
            form = self.pick("{a}*sin({w}*t)", "{a}*(1 - cos({w}*t))", "{a}*t", "{a}*step(t, 0, {T})",
                             "{a}*tanh({w}*t)", "{a}*t^2/(1 + t^2)", "{a}*sin({w}*t)*exp(-t)")
            return f"{offset!r} + " + form.format(a=repr(amount), w=rate, T=digits(3/rate))
        if kind == "polynomial":
            return {kind: [offset, *(digits(amount*self.between(-1, 1)) for _ in range(self.pick(1, 2, 3)))]}
        if kind == "smooth_step":
            return {kind: {"from": [self.pick(0, 0.01), offset], "to": [digits(0.02 + 3/rate), offset + amount]}}
        if kind == "harmonic":
            return {kind: {"amplitude": amount, **self.pick({"omega": rate}, {"frequency": digits(rate/6)}),
                           "offset": offset}}
        if kind == "table":
            points = [[0, offset], *([digits(k*0.3), offset + digits(amount*self.between(-1, 1))] for k in range(1, 8))]
            return {kind: self.pick(points, {"points": points, "slopes": [0, 0]})}
        if kind == "file":
            return {"sum": [offset, {"table": {"file": "motion.csv", "columns": ["time", "value"]}}]}
        if kind == "sum":
            return {kind: [offset, f"{amount!r}*t^2", {"harmonic": {"amplitude": digits(amount/3), "omega": rate}}]}
        return {kind: f"{offset!r} + {amount!r}*(t^2 + sin({rate}*t)/{rate})"}

    def drive(self):
        name = f"d{len(self.model['drives'])}"
        loose = [b for b in self.kinds if self.kinds[b] == "rigid" and "velocity" in self.model["bodies"][b]]
        if loose and self.chance(0.5) and not self.model["drives"]:
            self.model["drives"][name] = self.body_drive(self.pick(*loose))
            return
        reference, coordinate = self.coordinate()
        if not reference:
            return
        joint = self.model["joints"][reference.split(".")[0]]
        value = joint.get("start", {}).pop(coordinate, {}).get("value", 0.0)
        size = self.log(0.2, 5) if turns(coordinate) else self.log(0.02, 0.3)
        if coordinate in ("angle_x", "angle_y"):
            size = min(size, 1)
        self.model["drives"][name] = {"joint": reference, "function": self.function(size, value)}

    def body_drive(self, body):
        entry = self.model["bodies"][body]
        del entry["velocity"], entry["angular_velocity"]
        k = self.pick(0, 1, 2)
        base, tip = self.points[f"{body}.base"], self.points[f"{body}.tip"]
        is_turned = any(key in entry for key in ("between", "quaternion", "matrix", "axes", "rotate"))
        if self.chance(0.4) and not is_turned:
            return {"body": body, "coordinate": "angle_" + "xyz"[k], "function": self.function(2)}
        return {"body": body, "coordinate": "xyz"[k], "function": self.function(0.3, (base[k] + tip[k])/2)}

    # --- forces

    def mass(self):
        return self.log(0.1, 3)  # about that of a body

    def law(self, free, size):
        """Of a coordinate of about that size, in m or rad."""
        stiffness = digits(self.mass()*self.log(3, 100)**2*(size if size < 1 else 0.1))
        damping = digits(stiffness*self.log(1e-3, 0.1))
        way = self.pick("linear", "linear", "damper", "law", "functions", "active")
        if way == "linear":
            law = {"stiffness": stiffness, "free": digits(free*self.between(0.7, 1.2))}
            if self.chance(0.5):
                law["damping"] = damping
            if self.chance(0.2):
                law["preload"] = digits(stiffness*0.05)
            return law
        if way == "damper":
            return {"damping": damping}
        if way == "law":
            return {"law": self.pick("{k}*(x - {f}) + {d}*v", "{k}*(x - {f}) + {k}*(x - {f})^3", "{d}*v^3",
                                     "{k}*max(0, x - {f}) + {d}*v", "{k}*sin(3*t)*0.1 + {d}*v",
                                     "{k}*atan(x - {f})").format(k=stiffness, f=free, d=damping)}
        if way == "functions":
            elastic = self.pick(f"{stiffness}*x + {stiffness}*x^3", {"polynomial": [0, stiffness]},
                                {"table": [[-1, -stiffness], [0, 0], [1, stiffness]]})
            viscous = self.pick(f"{damping}*v", f"{damping}*tanh(v/0.1)", {"polynomial": [0, damping, 0, damping]})
            return {"free": free, "elastic": elastic, "viscous": viscous}
        return {"active": self.function(stiffness*0.1), "damping": damping}

    def force(self, entry):
        self.model["forces"][f"f{len(self.model['forces'])}"] = entry

    def place_in_world(self, at):
        name = f"p{len(self.model['ground']['frames'])}"
        self.model["ground"]["frames"][name] = {"at": at}
        self.points[f"ground.{name}"] = at
        return f"ground.{name}"

    def somewhere(self):
        return self.pick(*(point for point in self.points if not point.startswith("ground")))

    def spring(self):
        tips = [p for p in self.points if not p.startswith("ground")]
        second = self.pick(*tips)
        first = self.pick(*tips)
        if len(tips) < 4 or self.chance(0.5):
            first = self.place_in_world([self.between(-1, 1) for _ in range(3)])
        length = norm(plus(self.points[second], self.points[first], -1))
        if first.split(".")[0] != second.split(".")[0] and length > 0.02:
            self.force({"spring": [first, second], **self.law(digits(length), length)})

    def rigid_pair(self):
        rigid = [b for b in self.kinds if self.holds(b)]
        if not rigid:
            return None
        second = self.pick(*rigid)
        first = self.pick("ground", *(b for b in rigid if b != second))
        return [first, second]

    def torsion_spring(self):
        """About the axis of a joint: anywhere else bodies may tilt until there is no angle."""
        for kind in ("revolute", "cylindrical", "planar", "parallel-axes"):
            for joint in self.model["joints"].values():
                if kind in joint:
                    return self.force({"torsion-spring": joint[kind], "at": joint["at"], "axis": joint["axis"],
                                       **self.law(0.0, 1)})

    def joint_force(self):
        joint, coordinate = self.coordinate()
        if joint:
            self.force({"joint-force": joint, **self.law(0.0, 1 if turns(coordinate) else 0.3)})

    def bushing(self):
        pair = self.rigid_pair()
        if not pair:
            return
        k = digits(self.mass()*self.log(5, 200)**2)
        stiffness = self.pick(k, [k, k, 2*k, 0.02*k, 0.02*k, 0.01*k])
        entry = {"bushing": pair, "at": self.points[f"{pair[1]}.{self.ends(pair[1])[1]}"], "stiffness": stiffness}
        if self.chance(0.6):
            entry["damping"] = times(stiffness, self.log(1e-4, 0.05))
        if self.chance(0.2):
            entry["preload"] = [digits(k*0.01*self.between(-1, 1)) for _ in range(3)] + [0, 0, 0]
        self.force(entry)

    def three(self, size):
        return [self.function(size*self.random.random()) if self.chance(0.6) else 0 for _ in range(3)]

    def load(self):
        what = self.pick("force", "torque", "both")
        entry = {"load": self.somewhere(), "in": self.pick("world", "body")}
        if what != "torque":
            entry["force"] = self.three(self.log(0.5, 30))
        if what != "force":
            entry["torque"] = self.three(self.log(0.05, 2))
        self.force(entry)

    def distributed_load(self):
        rods = [b for b in self.kinds if self.kinds[b] in ("cosserat", "ancf", "ffrf")]
        if rods:
            self.force({"distributed-load": self.pick(*rods), "force": self.three(self.log(0.5, 30)),
                        "in": self.pick("world", "body")})

    # --- run

    def integrator(self):
        alphas = ["generalized-alpha", "dae-alpha", "dae-alpha-cs", "dae-alpha-cm", "energy-momentum"]
        shares = ["generalized-alpha"]*3 + alphas + ["energy-momentum", "hht", "newmark", "trapezoidal",
                                                     "stabilised-ode", "linearly-implicit"]
        if not self.is_flexible or self.chance(0.1):
            shares += EXPLICIT*2 + ["stabilised-ode"]
        name = self.pick(*shares)
        settings = {}
        if name in alphas and self.chance(0.5):
            settings["rho"] = self.pick(0, 0.5, 0.9, 1)
        if name in ("generalized-alpha", "hht", "newmark", "trapezoidal") and self.chance(0.4):
            settings["form"] = self.pick("index3", "stabilised")
            settings["projection"] = self.pick("none", "velocity", "acceleration")
        if name == "hht" and self.chance(0.5):
            settings["alpha"] = self.pick(0, -0.3)
        if name == "newmark" and self.chance(0.5):
            settings.update(beta=0.25, gamma=0.5)
        if name == "stabilised-ode" and not self.is_flexible:
            settings["method"] = self.pick("implicit", "explicit", "chebyshev")
        return {name: settings} if settings else name

    def run(self):
        step, end = self.log(1e-4, 1e-1), self.log(0.05, 1)
        if self.chance(0.6):
            step = min(step, 5e-3)
        most = (300 if self.is_flexible else 2000)  # steps
        if end > most*step:
            end = max(0.05, digits(most*step))
        run = {"step": step, "end": end, "integrator": self.integrator(), "threads": self.pick(1, 1, 1, 2)}
        if self.chance(0.5):
            run["solver"] = self.pick(*SOLVERS)
        if self.chance(0.2):
            run["tolerance"] = self.log(1e-8, 1e-3)
        if self.chance(0.05):
            run["geometric_stiffness"] = False
        if self.chance(0.03):
            run["realtime"] = self.pick(1, 2, 4)
        if self.chance(0.03):
            run["penalty"] = self.log(1e8, 1e10)
        if self.chance(0.05):
            run["newton_tolerance"] = self.log(1e-12, 1e-6)
        if self.chance(0.05):
            self.analysis(run)
        elif self.chance(0.08) and len(self.kinds) > 1:
            self.subsystems(run)
        self.model["run"] = run
        self.model["outputs"] = {"every": self.pick(0, step, 0.01, digits(end/7), digits(end/30))}

    def analysis(self, run):
        joints = [next(iter(joint)) for joint in self.model["joints"].values()]
        if not self.is_flexible and DRIVABLE.issuperset(joints) and len(joints) == len(self.kinds):
            run["analysis"] = self.pick("kinematics", "inverse-dynamics")
            while any(self.free.values()):
                self.drive()
        else:  # of a state of rest
            run["analysis"] = self.pick("statics", "modes")
            self.model["drives"] = {}
            for entry in [*self.model["bodies"].values(), *self.model["joints"].values()]:
                for key in ("start", "velocity", "angular_velocity"):
                    entry.pop(key, None)

    def subsystems(self, run):
        """Two, coupled by iteration or once per step."""
        names = list(self.kinds)
        for body in self.model["bodies"].values():
            body.get("solid", {}).pop("components", None)
        half = self.pick(*range(1, len(names)))
        self.model["subsystems"] = {"one": names[:half], "two": names[half:]}
        if self.chance(0.7):
            run["integrator"] = {"stabilised-ode": {"method": "implicit"}}
            self.model["coupling"] = {"scheme": self.pick("gauss-seidel", "jacobi"),
                                      "response": self.pick("inertia", "step"),
                                      "acceleration": self.pick("iqn-ils", "iqn-ils", "aitken", "none")}
            if self.chance(0.4):
                self.model["subsystems"]["two"] = {"bodies": names[half:], "steps": self.pick(2, 5)}
        else:
            run.pop("tolerance", None)
            self.model["coupling"] = {"force-displacement": {
                "displaced": self.pick("one", "two"), "force_degree": self.pick(0, 1, 2),
                "motion_degree": self.pick(1, 2), "forces": self.pick("exact", "exact", "small", "approximate"),
                "order": self.pick("jacobi", "gauss-seidel")}}

    def finished(self):
        what = ""
        if self.chance(0.17):
            what = self.pick("stiff", "spin", "step", "contradiction", "jump", "masses", "push", "no_value")
            if not getattr(self, "too_" + what)():
                what = ""
        self.model["title"] = f"Random model {self.seed}" + (f", unreasonable: {what}" if what else "")
        return {key: value for key, value in self.model.items() if value not in ({}, {"frames": {}})}

    # --- what is not reasonable; each says whether it could

    def too_stiff(self):
        factor = self.log(1e4, 1e10)
        springs = [entry for entry in self.model["forces"].values() if "stiffness" in entry or "damping" in entry]
        frictions = [joint["friction"] for joint in self.model["joints"].values() if "friction" in joint]
        for entry in springs + frictions:
            for key in {"stiffness", "damping", "viscous", "coulomb", "breakaway"} & {*entry}:
                if not isinstance(entry[key], (str, dict)):
                    entry[key] = times(entry[key], factor)
        return bool(springs + frictions)

    def too_spin(self):
        for body in self.model["bodies"].values():
            body["angular_velocity"] = [self.sign()*self.log(1e2, 1e5) for _ in range(3)]
        return True

    def too_step(self):
        self.model["run"].update(step=self.log(0.05, 1), end=1)
        self.model["outputs"] = {"every": self.pick(0, 0.1)}
        return True

    def driven(self):
        """A joint coordinate that starts at 0 and that nothing else prescribes."""
        reference, _ = self.coordinate()
        if reference:
            self.model["joints"][reference.split(".")[0]].pop("start", None)
        return reference

    def too_contradiction(self):
        joint = self.driven()
        other = self.pick("sin(2*t)", "2*t + 3*t^3", "2*t + 1e-5*t^2", "t < 0.02 ? 2*t : 0.5")
        if joint:
            self.model["drives"].update(c0={"joint": joint, "function": "2*t"}, c1={"joint": joint, "function": other})
        return bool(joint)

    def too_jump(self):
        joint = self.driven()
        function = self.pick("t < 0.02 ? 0 : 0.3", "t < 0.0203 ? 0 : 3", "t < 0.02 ? 0 : 5*(t - 0.02)",
                             "1e3*step(t, 0.02, 0.021)", "floor(100*t)/10", "0.1*abs(sin(100*t))")
        if joint:
            self.model["drives"]["jump"] = {"joint": joint, "function": function}
        return bool(joint)

    def too_masses(self):
        bodies = [body["rigid"] for body in self.model["bodies"].values() if "mass" in body.get("rigid", {})]
        for rigid in bodies:
            factor = self.pick(1, 1e-6, 1e-4, 1e4, 1e6)
            for key in {"mass", "inertia"} & {*rigid}:
                rigid[key] = times(rigid[key], factor)
        return bool(bodies)

    def too_push(self):
        self.force({"load": self.somewhere(),
                    "force": [self.log(1e4, 1e9), 0, self.pick(0, "1e6*sin(1e3*t)", "t < 0.01 ? 0 : 1e6")]})
        return True

    def too_no_value(self):
        formula = self.pick("sqrt(0.03 - t)", "1/(t - 0.02)", "log(0.04 - t)", "tan(50*t)", "exp(1e4*t)")
        self.force({"load": self.somewhere(), "force": [0, 0, formula]})
        return True


def model(seed):
    return Maker(seed).make()


# --- one run

Run = collections.namedtuple("Run", "code said table errors")  # table: columns by name; errors: of the steps


def columns(text):
    rows = list(csv.reader(line for line in io.StringIO(text) if not line.startswith("#")))
    return {name.split(" ")[0]: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])} if rows else {}


def write(model, folder):
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "model.yaml").write_text(json.dumps(model, indent=1))


def run(program, model):
    """Code: the exit status, or "slow" if it ends when told to, or "hangs" if it does not."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(model, folder)
        command = [program, "run", str(folder / "model.yaml"), "--out", name, "-q"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            try:
                said, code = process.communicate(timeout=LIMIT)[0], process.returncode
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGTERM)
                try:
                    said = process.communicate(timeout=LIMIT)[0]
                    code = "slow" if process.returncode == 130 else process.returncode
                except subprocess.TimeoutExpired:
                    process.kill()
                    return Run("hangs", "", "", [])

        def export(*names):
            command = [program, "export", f"{name}/results.h5", "--csv", "-", *names]
            done = subprocess.run(command, capture_output=True, text=True)
            return done.stdout if done.returncode == 0 else ""

        if not (folder / "results.h5").exists():
            return Run(code, said, "", [])
        return Run(code, said, export(), columns(export("step.error")).get("step.error", []))


def size(model):
    """Diameter, roughly: of all places."""
    places = [point for body in model["bodies"].values() for point in body.get("between", [body.get("at")])]
    places += [joint["at"] for joint in model.get("joints", {}).values() if "at" in joint]
    return max(0.1, *(2*norm(plus(point, places[0], -1)) for point in places), 0)


def is_passive(model):
    """Nothing acts but gravity, springs and what takes energy away."""
    text = json.dumps([model.get("forces", {}), model["bodies"]])
    return not model.get("drives") and not any(word in text for word in ("load", "active", "*t", "(t", "preload"))


def fault(model, run):
    """What is wrong with a run; empty: nothing."""
    if run.code in (3, 4, 5, 7):
        return "" if run.said.strip() else f"exit {run.code} without a message"
    if run.code != 0:
        return "" if run.code == "slow" and may_be_slow(model, run.said) else f"exit {run.code}"
    table = columns(run.table)
    if not table:
        return "no results"
    for name, values in table.items():
        if not all(map(math.isfinite, values)):
            return f"not finite: {name}"
    if "analysis" in model["run"]:
        return ""
    if abs(table["time"][-1] - model["run"]["end"]) > 1e-9:
        return f"ends at {table['time'][-1]}"
    apart = max(table["constraints.position"])
    if apart > 1e-2*max(1, size(model)):
        return f"joints apart by {apart:.2g}"
    return "" if is_warned(run) else wrong_energy(model, table)


def is_warned(run):
    """Of its accuracy."""
    return any(text in run.said for text in WARNS)


def wrong_energy(model, table):
    kinetic, potential, supplied, dissipated, error = (
        table["energy." + name] for name in ("kinetic", "potential", "supplied", "dissipated", "error"))
    in_play = max(max(kinetic), potential[0] - min(potential), max(map(abs, supplied)), max(map(abs, dissipated)))
    noise = 1e-9*(max(kinetic) + max(map(abs, potential))) + 1e-12
    if min(kinetic) < 0:
        return "negative kinetic energy"
    if not is_visible(model, table):
        return ""
    if max(map(abs, error)) > 0.2*in_play + noise:
        return f"energy off by {max(map(abs, error))/(in_play + noise):.2g}"
    gain = max(k + p for k, p in zip(kinetic, potential)) - kinetic[0] - potential[0]
    if is_passive(model) and gain > 0.2*in_play + noise:
        return f"passive, and gains {gain/in_play:.2g} of its energy"
    if min(dissipated) < -0.1*in_play - noise:
        return "dissipates less than nothing"
    return ""


def is_visible(model, table):
    """Whether anything moves by more than a thousandth of the model's size or turns by as many rad."""
    ranges = {name: max(values) - min(values) for name, values in table.items() if name.startswith("body.")}
    return any(".position." in name and move > 1e-3*size(model) or ".orientation." in name and move > 5e-4
               for name, move in ranges.items())


def may_be_slow(model, said):
    """Unreasonable, or with more than the dynamics of rigid bodies."""
    is_rigid = all("rigid" in body for body in model["bodies"].values())
    return "unreasonable" in model["title"] or "drives may contradict" in said or "subsystems" in model or not is_rigid


# --- runs that have to agree

def is_well_resolved(run):
    return run.code == 0 and not is_warned(run) and run.errors and sum(run.errors) < 1e-3


def largest_difference(model, one, other):
    """Of positions at the same times, in units of the model's size."""
    a, b = columns(one.table), columns(other.table)
    names = [name for name in a if name.startswith("body.") and ".position." in name]
    rows = [(i, b["time"].index(t)) for i, t in enumerate(a["time"]) if t in b["time"]]
    return max(abs(a[name][i] - b[name][j]) for name in names for i, j in rows)/size(model)


def with_run(model, **changes):
    changed = copy.deepcopy(model)
    changed["run"].update(changes)
    return changed


def compare(program, seed, model, first):
    """Another run of the same motion; what differs."""
    what = ("solver", "order", "threads", "integrator", None, None)[seed % 6]
    if what == "threads":
        other = run(program, with_run(model, threads=3 - model["run"]["threads"]))
        is_same = (other.code, other.table) == (first.code, first.table)
        return "" if is_same or other.code == "slow" else "differs with another number of threads"
    if what is None or not is_well_resolved(first) or {"tolerance", "realtime", "analysis"} & set(model["run"]):
        return ""
    if "subsystems" in model and what != "order":
        return ""
    tolerance = 1e-6
    if what == "solver":
        solvers = [s for s in SOLVERS[1:] if s != model["run"].get("solver")]
        changed = with_run(model, solver=solvers[seed//6 % len(solvers)])
    elif what == "order":
        changed = copy.deepcopy(model)
        for key in ("bodies", "joints", "drives", "forces"):
            if key in changed:
                changed[key] = dict(reversed(list(changed[key].items())))
    elif model["run"]["integrator"] == "newmark":
        return ""  # of order 1 with its own gamma, and estimates are of order 2
    else:
        changed = with_run(model, integrator="generalized-alpha", step=model["run"]["step"]/2)
    other = run(program, changed)
    if what == "integrator" and not is_well_resolved(other):
        return ""
    if other.code != 0:
        return f"exit {other.code} with another {what}"
    if what == "integrator":
        tolerance += 30*(sum(first.errors) + sum(other.errors))
    difference = largest_difference(model, first, other)
    return f"differs by {difference:.2g} with another {what}" if difference > tolerance else ""


# --- all of them

def outcome(program, seed):
    """A word for the table, and what is wrong."""
    model_ = model(seed)
    first = run(program, model_)
    wrong = fault(model_, first)
    if not wrong and first.code in (0, 5, 7):
        wrong = compare(program, seed, model_, first)
    if wrong:
        kind = wrong if wrong.startswith("exit") else re.sub(r" (by |at )?\d\S*", "", wrong)
        return f"fault: {kind}", wrong, first.said
    if first.code == 0:
        return "finished with a warning" if is_warned(first) else "finished", "", first.said
    return f"not done in {LIMIT} s" if first.code == "slow" else f"exit {first.code}", "", first.said


def scan(program, seeds, workers=2, show=lambda seed, word, said: None):
    """Outcome of each seed."""
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for seed, (word, wrong, said) in zip(seeds, pool.map(lambda seed: outcome(program, seed), seeds)):
            outcomes[seed] = word, wrong
            show(seed, wrong or word, said)
    return outcomes


class RandomModels(unittest.TestCase):
    def test_every_run_ends_well_or_says_why(self):
        bad = [f"{seed}: {wrong}" for seed, (_, wrong) in scan(PROGRAM, range(2000)).items() if wrong]
        self.assertFalse(bad, "\n".join(bad))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the models of faults")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--print", action="store_true", help="the model of --seed")
    parser.add_argument("--all", action="store_true", help="prints every run")
    arguments = parser.parse_args()
    if arguments.print:
        return print(json.dumps(model(arguments.seed), indent=1))
    seeds = range(arguments.first, arguments.first + arguments.count) if arguments.seed is None else [arguments.seed]

    def show(seed, word, said):
        if arguments.all:
            print(seed, word, said.strip().split("\n")[0], sep="\t", flush=True)

    outcomes = scan(arguments.program, seeds, arguments.workers, show)
    for seed, (_, wrong) in outcomes.items():
        if wrong:
            print(f"{seed}: {wrong}")
            if arguments.keep:
                (arguments.keep / str(seed)).mkdir(parents=True, exist_ok=True)
                write(model(seed), arguments.keep / str(seed))
    for word, count in sorted(collections.Counter(word for word, _ in outcomes.values()).items()):
        print(f"{count:6}  {word}")


if __name__ == "__main__":
    unittest.main() if len(sys.argv) == 1 else main()
