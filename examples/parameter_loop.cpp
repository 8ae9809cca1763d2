// One model, many parameters: how the length of the crank changes the stroke of the slider.
#include <hooke/hooke.h>

#include <cstdio>

int main(int argc, char** argv) {
  const std::string model = argc > 1 ? argv[1] : HOOKE_ROOT "/models/slider_crank.yaml";
  for (const char* crank : {"0.06", "0.07", "0.08"}) {
    hooke::Simulation simulation(hooke::load(model, {std::string("parameters.crank=") + crank, "run.end=1"}));
    double low = 1e9, high = -1e9;
    while (simulation.time() < simulation.problem().run.end) {
      simulation.step();
      const double x = simulation.body("slider").position().x();
      low = std::min(low, x), high = std::max(high, x);
    }
    std::printf("crank %s m: stroke %.4f m in %.0f s\n", crank, high - low, simulation.time());
  }
}
