# A learning environment of the usual shape (reset, step, render), without depending on any library for it.
#
# A pole on a cart is swung by a simple policy; many policies are then compared at once by a rollout.
import matplotlib.pyplot as pyplot
import numpy

import hooke


class CartPole:
    """Observations: place, angle, and their rates; the action is the force on the cart."""

    outputs = ["joint.rail.displacement", "joint.pivot.angle", "joint.rail.displacement.rate", "joint.pivot.angle.rate"]

    def __init__(self, steps: int = 20) -> None:
        model = hooke.Model(gravity=[0, 0, -9.81])
        model.bodies["cart"] = hooke.Rigid(mass=1, shape=hooke.Box([0.3, 0.2, 0.1]))
        model.bodies["pole"] = hooke.Rigid(mass=0.2, shape=hooke.Box([0.03, 0.03, 1]), at=[0, 0, 0.5])
        model.joints["rail"] = hooke.Prismatic(["ground", "cart"], axis="x")
        model.joints["pivot"] = hooke.Revolute(["cart", "pole"], at=[0, 0, 0], axis="y", start={"angle": 0.05})
        model.control["push"] = hooke.ParameterBlock(0)
        model.forces["motor"] = hooke.Load("cart", force=["push", 0, 0])
        model.run.step = 1e-3
        self.model, self.steps = model, steps
        self.sim = hooke.Simulation(model)

    def observation(self) -> list[float]:
        return [self.sim[name] for name in self.outputs]

    def reset(self, seed: int | None = None) -> tuple[list[float], dict[str, object]]:
        self.sim.reset()
        state = self.sim.state
        state.v = state.v * (1 + 0.1 * numpy.random.default_rng(seed).normal())
        self.sim.state = state
        return self.observation(), {}

    def step(self, action: float) -> tuple[list[float], float, bool, bool, dict[str, object]]:
        self.sim.set_input("push", action)
        self.sim.step(self.steps)
        seen = self.observation()
        has_fallen = abs(seen[1]) > 0.5
        return seen, 1.0 - abs(seen[1]), has_fallen, self.sim.time >= 4, {}


environment = CartPole()
seen, _ = environment.reset(seed=0)
total, is_over = 0.0, False
while not is_over:
    seen, reward, has_fallen, is_late, _ = environment.step(2 * seen[0] + 40 * seen[1] + 4 * seen[2] + 10 * seen[3])
    total += reward
    is_over = has_fallen or is_late
print(f"balanced for {environment.sim.time:.2f} s, reward {total:.1f}")

# 64 sequences of random pushes from the same start, in threads.
pushes = numpy.random.default_rng(1).normal(scale=5, size=(64, 50, 1))
paths = hooke.rollout(environment.model, controls=pushes, outputs=environment.outputs, steps=environment.steps)
late = (numpy.abs(paths[:, :, 1]) > 0.5).argmax(axis=1)
print(f"random pushes: the pole falls after {late[late > 0].mean() * 0.02:.2f} s on average")

figure, axis = pyplot.subplots(layout="constrained")
axis.plot(numpy.arange(51) * 0.02, paths[:, :, 1].T, color="tab:blue", alpha=0.2)
axis.set_ylim(-1.6, 1.6)
axis.set_xlabel("time [s]")
axis.set_ylabel("angle of the pole [rad]")
hooke.show()
