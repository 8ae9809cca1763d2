"""How a model is run."""

from .dice import digits
from .joints import DRIVABLE

EXPLICIT = ["dormand-prince", "merson"]
SOLVERS = ["auto", "dense", "sparse", "schur", "dca", "klu"]


class Settings:
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
        if self.is_brief:
            step = self.log(1e-3, 5e-3 if step < 5e-3 else 5e-2)
            end = digits(self.log(8, 40)*step)
        most = (300 if self.is_flexible else 2000)  # steps
        if end > most*step:
            end = max(0.05, digits(most*step))
        run = {"step": step, "end": end, "integrator": self.integrator(), "threads": self.pick(1, 1, 1, 2)}
        if self.is_brief:
            run["threads"] = 1  # where two are to agree with one, two are run
        if self.chance(0.5):
            run["solver"] = self.pick(*SOLVERS)
        if self.chance(0.2):
            run["tolerance"] = self.log(1e-6 if self.is_brief else 1e-8, 1e-3)
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
