// SUNDIALS IDA (variable-order BDF) on Hooke's equations of the chain: index 2, that is with velocity
// constraints, multipliers left out of the error test; Newton's matrix banded and by difference quotients,
// unknowns body by body.
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunmatrix/sunmatrix_band.h>

#include <fmt/format.h>

#include "chain.h"
#include "hooke/integrators/projector.h"
#include "hooke/simulation/simulation.h"

namespace {

using namespace hooke;

/// Of each link: position, quaternion, velocity, angular velocity, and the force in the joint before it.
constexpr int of_link = 16, q_size = 7, v_at = 7, v_size = 6, lambda_at = 13, bandwidth = 31;

struct Problem {
  const System& system;
  int n;
  std::unique_ptr<Workspace> workspace = system.workspace();
  State state = system.initial_state();
  VectorX r = {}, g = {};

  /// y and y' into the state.
  void load(double t, const double* y, const double* rate) {
    state.t = t;
    for (int i = 0; i < n; ++i, y += of_link, rate += of_link) {
      state.q.segment<q_size>(q_size * i) = Eigen::Map<const Eigen::Matrix<double, q_size, 1>>(y);
      state.q.segment<4>(q_size * i + 3).normalize();
      state.v.segment<v_size>(v_size * i) = Eigen::Map<const Vec6>(y + v_at);
      state.a.segment<v_size>(v_size * i) = Eigen::Map<const Vec6>(rate + v_at);
      state.lambda.segment<3>(3 * i) = Eigen::Map<const Vec3>(y + lambda_at);
    }
  }

  int residual(double t, const double* y, const double* rate, double* result) {
    load(t, y, rate);
    system.update(state, *workspace);
    system.residual(state, *workspace, r);
    system.velocity_constraints(state, *workspace, g);
    for (int i = 0; i < n; ++i, y += of_link, rate += of_link, result += of_link) {
      const Eigen::Quaterniond Q(y[3], y[4], y[5], y[6]), spin(0, y[v_at + 3], y[v_at + 4], y[v_at + 5]);
      const Eigen::Vector4d turn = 0.5 * (Q * spin).coeffs();  // x y z w
      Eigen::Map<Vec3>{result} = Eigen::Map<const Vec3>(rate) - Eigen::Map<const Vec3>(y + v_at);
      result[3] = rate[3] - turn[3];
      for (int k = 0; k < 3; ++k) result[4 + k] = rate[4 + k] - turn[k];
      Eigen::Map<Vec6>{result + v_at} = r.segment<v_size>(v_size * i);
      Eigen::Map<Vec3>{result + lambda_at} = g.segment<3>(3 * i);
    }
    return 0;
  }
};

void run(int n, double tolerance) {
  const Simulation simulation(
      load(std::string(HOOKE_ROOT) + "/models/chain.yaml", {fmt::format("parameters.n={}", n)}));
  Problem problem{simulation.system(), n};
  State start = simulation.start().state;
  Projector(simulation.system(), NewtonSettings{}).accelerations(start);

  SUNContext context;
  SUNContext_Create(nullptr, &context);
  const sunindextype size = of_link * n;
  N_Vector y = N_VNew_Serial(size, context), rate = N_VClone(y), id = N_VClone(y);
  N_VConst(1, id);
  N_VConst(0, rate);
  for (int i = 0; i < n; ++i) {
    double* at = N_VGetArrayPointer(y) + of_link * i;
    Eigen::Map<Eigen::Matrix<double, q_size, 1>>{at} = start.q.segment<q_size>(q_size * i);
    Eigen::Map<Vec6>{at + v_at} = start.v.segment<v_size>(v_size * i);
    Eigen::Map<Vec3>{at + lambda_at} = start.lambda.segment<3>(3 * i);
    Eigen::Map<Vec6>{N_VGetArrayPointer(rate) + of_link* i + v_at} = start.a.segment<v_size>(v_size * i);
    for (int k = lambda_at; k < of_link; ++k) N_VGetArrayPointer(id)[of_link * i + k] = 0;
  }
  void* ida = IDACreate(context);
  IDAInit(
      ida,
      [](double t, N_Vector of, N_Vector change, N_Vector result, void* user) {
        return static_cast<Problem*>(user)->residual(t, N_VGetArrayPointer(of), N_VGetArrayPointer(change),
                                                     N_VGetArrayPointer(result));
      },
      0, y, rate);
  SUNMatrix matrix = SUNBandMatrix(size, bandwidth, bandwidth, context);
  SUNLinearSolver solver = SUNLinSol_Band(y, matrix, context);
  IDASStolerances(ida, tolerance, tolerance);
  IDASetUserData(ida, &problem);
  IDASetLinearSolver(ida, solver, matrix);
  IDASetId(ida, id);
  IDASetSuppressAlg(ida, true);
  IDASetMaxNumSteps(ida, 100000);
  IDASetErrFile(ida, nullptr);

  const auto advance = [&](double t) {
    double reached;
    return IDASolve(ida, t, &reached, y, rate, IDA_NORMAL) >= 0;
  };
  const auto energies = [&] {
    problem.load(0, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
    problem.system.update(problem.state, *problem.workspace);
    const Energy energy = problem.system.energy(problem.state, *problem.workspace);
    return std::pair{energy.kinetic, energy.potential};
  };
  const auto last = [&] {
    const double* at = N_VGetArrayPointer(y) + of_link * (n - 1);
    return std::array{at[0], at[1], at[2]};
  };
  chain::measure("SUNDIALS", fmt::format("IDA, tolerance {:.0e}", tolerance).c_str(), n, advance, energies,
                 last);
  IDAFree(&ida);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  for (N_Vector v : {y, rate, id}) N_VDestroy(v);
  SUNContext_Free(&context);
}

}  // namespace

int main(int argc, char** argv) {
  for (int n : chain::sizes(argc, argv))
    for (double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9})
      if (n <= 128) run(n, tolerance);  // its band of difference quotients takes 64 evaluations
}
