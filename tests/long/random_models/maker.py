"""A small model of random topology, bodies, joints, forces, drives and methods. It follows from its seed."""

import json
import math

from .bodies import Bodies
from .dice import Dice
from .forces import Forces
from .joints import Joints
from .settings import Settings
from .unreasonable import Unreasonable

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


class Maker(Dice, Bodies, Joints, Forces, Settings, Unreasonable):
    """One model. A brief one has fewer bodies, and some tens of longer steps."""

    def __init__(self, seed, is_brief):
        super().__init__(seed)
        self.seed, self.is_brief = seed, is_brief
        self.model = {"hooke": 1, "title": "", "gravity": [0, 0, 0], "ground": {"frames": {}}, "bodies": {},
                      "joints": {}, "drives": {}, "forces": {}}
        self.points = {}  # attachment: where it is
        self.kinds = {}   # body: its kind
        self.free = {}    # joint in the tree: coordinates that nothing acts along
        self.is_flat = self.chance(0.4)  # all points in the yz plane, axes along x
        self.is_flexible = self.chance(0.15 if is_brief else 0.35)

    def make(self):
        self.gravity()
        if self.is_brief:
            count = self.pick(1, 2) if self.is_flexible else self.pick(1, 1, 2, 2, 3, 3, 4, 6)
        else:
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

    def finished(self):
        what = ""
        if self.chance(0.17):
            what = self.pick("stiff", "spin", "step", "contradiction", "jump", "masses", "push", "no_value")
            if not getattr(self, "too_" + what)():
                what = ""
        self.model["title"] = f"Random model {self.seed}" + (f", unreasonable: {what}" if what else "")
        return {key: value for key, value in self.model.items() if value not in ({}, {"frames": {}})}


def model(seed, is_brief=False):
    return Maker(seed, is_brief).make()


def write_files(folder):
    for name, text in FILES.items():
        (folder / name).write_text(text)


def write(model, folder):
    write_files(folder)
    (folder / "model.yaml").write_text(json.dumps(model, indent=1))
