"""What is not reasonable (far too stiff, fast, long a step, ...); each says whether it could."""

from .dice import times


class Unreasonable:
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
