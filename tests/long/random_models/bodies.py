"""Bodies: each reaches from its base to its tip; the joint to its parent is at the base."""

import math

from .dice import digits, plus, unit


class Bodies:
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
