"""Functions of time, drives and forces."""

from .dice import digits, norm, plus, times
from .joints import turns


class Forces:
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
