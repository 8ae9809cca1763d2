"""Joints of the tree, loops, pairs of coordinates."""

from .dice import digits, plus

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


def turns(coordinate):
    return coordinate.startswith("angle")


class Joints:
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
