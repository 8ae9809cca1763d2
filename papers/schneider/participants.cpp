// The two masses through the participant contract: as linear systems from a file and as a Hooke model.
#include "hooke/coupling/force_displacement.h"
#include "hooke/coupling/linear_participant.h"
#include "hooke/io/model/linear_model_file.h"
#include "papers/schneider/cases.h"

namespace hooke::schneider {
namespace {

const std::string path = "coupling.force-displacement.";

/// Largest error of the two positions at the macro points up to 2 s; structure by its masses and springs, or
/// as a state-space system.
double error(const char* file, const std::string& forces, int force, int motion, double h) {
  const auto model =
      read_linear_model(std::string(HOOKE_ROOT) + "/models/coupled/" + file,
                        {path + "forces=" + forces, fmt::format("{}force_degree={}", path, force),
                         fmt::format("{}motion_degree={}", path, motion)});
  const LinearPair pair = model->pair({"structure"});
  LinearParticipant R("multibody", pair.forced, Eigen::Vector2d(1, 0)),
      F("structure", pair.displaced, Eigen::Vector2d(1, 0), {-1, 0, -1});
  ForceDisplacementCoupling coupling({{1, 1}}, {{&R, {0}}}, {{&F, {0}, [&] { return pair.joint_mass; }}},
                                     model->settings);
  coupling.begin(0);
  const MatrixX E = MatrixX(h * TwoMasses{}.whole()).exp();
  VectorX exact = Vec4(1, 1, 0, 0);
  double worst = 0;
  for (int k = 0; k < static_cast<int>(std::lround(2 / h)); ++k) {
    coupling.step(h);
    exact = (E * exact).eval();
    worst = std::max({worst, std::abs(R.state()[0] - exact[0]), std::abs(F.state()[0] - exact[1])});
  }
  return worst;
}

}  // namespace

void participants(Report& report) {
  report.heading("The same as a file that is run");
  report.text(
      "Above, a macro step is a matrix. Here the two masses are participants (`src/coupling/participant.h`) "
      "of the "
      "scheme that also couples Hooke models: linear systems by their mass, damping and stiffness, or the "
      "structure "
      "as a state-space system A, B, C, D.");
  report.command("hooke run models/coupled/two_masses.yaml --step H");
  std::vector<std::vector<std::string>> rows;
  double off = 0, apart = 0;
  struct Setting {
    const char* forces;
    Forces same;
    int force, motion;
  };
  for (const Setting& s :
       {Setting{"exact", Forces::exact, 0, 1}, Setting{"exact", Forces::exact, 1, 2},
        Setting{"small", Forces::exact, 1, 2}, Setting{"approximate", Forces::approximate, 0, 1}}) {
    std::vector<std::string>& row =
        rows.emplace_back(std::vector<std::string>{s.forces, fmt::format("{}, {}", s.force, s.motion)});
    std::vector<double> errors;
    for (const double h : {1e-2, 2.5e-3, 1.25e-3}) {
      errors.push_back(error("two_masses.yaml", s.forces, s.force, s.motion, h));
      row.push_back(validation::scientific(errors.back()));
      apart = std::max(
          apart, std::abs(error("state_space.yaml", s.forces, s.force, s.motion, h) / errors.back() - 1));
      const double matrix = TwoMasses{}.error(TwoMasses{}.coupling(s.same, s.force, s.motion), h, 2);
      if (s.same == Forces::exact) off = std::max(off, std::abs(errors.back() / matrix - 1));
    }
    row.push_back(fmt::format("{:.2f}", std::log2(errors[1] / errors[2])));
  }
  report.table({"forces", "degrees", "error at h = 10 ms, m", "2.5 ms", "1.25 ms", "order"}, rows);
  report.expect("state-space and matrices of masses and springs differ by, as a fraction of the error", apart,
                1e-6);
  report.expect("exact forces: errors are off those of the matrices above by, relatively", off, 0.1);
}

}  // namespace hooke::schneider
