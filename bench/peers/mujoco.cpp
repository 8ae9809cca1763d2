// MuJoCo: relative coordinates, composite rigid body algorithm, fixed steps.
#include <mujoco/mujoco.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "chain.h"

namespace {

std::string model_text(int n, const std::string& integrator, double step) {
  std::string text = "<mujoco><size nstack='" + std::to_string(2000000 + 60000 * n) +
                     "'/><option integrator='" + integrator + "' timestep='" + std::to_string(step) +
                     "' gravity='0 -9.81 0'><flag energy='enable' contact='disable'/></option><worldbody>";
  for (int i = 0; i < n; ++i)
    text += "<body pos='" + std::string(i ? "1" : "0") +
            " 0 0'><joint type='ball'/><inertial pos='0.5 0 0' mass='1' diaginertia='1 1 1'/>";
  for (int i = 0; i < n; ++i) text += "</body>";
  return text + "</worldbody></mujoco>";
}

}  // namespace

int main(int argc, char** argv) {
  const auto file = std::filesystem::temp_directory_path() / ("chain" + std::to_string(getpid()) + ".xml");
  for (int n : chain::sizes(argc, argv)) {
    if (n > 128) continue;  // its time grows with the cube of n
    for (const char* integrator : {"Euler", "RK4"})
      for (double step : {0.05, 0.02, 0.01, 0.005}) {
        std::ofstream(file) << model_text(n, integrator, step);
        char error[1000] = "";
        mjModel* model = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
        if (!model) {
          std::fprintf(stderr, "MuJoCo, n = %d: %s\n", n, error);
          continue;
        }
        mjData* data = mj_makeData(model);
        mj_forward(model, data);
        const auto advance = [&](double t) {
          while (data->time < t - 0.5 * step) mj_step(model, data);
          return true;
        };
        const auto energies = [&] {
          mj_forward(model, data);
          return std::pair{data->energy[1], data->energy[0]};
        };
        const auto last = [&] {
          const double* at = data->xipos + 3 * (model->nbody - 1);
          return chain::Place{at[0], at[1], at[2]};
        };
        chain::measure("MuJoCo",
                       (std::string(integrator) + ", step " + std::to_string(step).substr(0, 5)).c_str(), n,
                       advance, energies, last);
        mj_deleteData(data);
        mj_deleteModel(model);
      }
  }
  std::filesystem::remove(file);
}
