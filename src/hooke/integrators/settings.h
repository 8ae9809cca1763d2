#pragma once
#include <optional>

#include "hooke/base/any.h"
#include "hooke/integrators/dae_alpha.h"
#include "hooke/integrators/energy_momentum.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/integrators/stabilised_ode.h"
#include "hooke/solvers/settings.h"

/// The `run:` key of a model file.
namespace hooke {

struct RunSettings;

constexpr auto names(ConstraintForm) { return std::array{"index3", "stabilised"}; }
constexpr auto names(Projection) { return std::array{"none", "velocity", "acceleration", "kinematic"}; }
constexpr auto names(InertiaTangent) { return std::array{"exact", "masses"}; }

/// Shared by the alpha family; see generalized_alpha.h.
struct AlphaForm {
  ConstraintForm form = ConstraintForm::stabilised;
  Projection projection = Projection::none;
  InertiaTangent tangent = InertiaTangent::exact;

  template <class Settings>
  static void describe_form(auto& field) {
    field("form", &Settings::form,
          Doc{.text = "constraints that are satisfied: index3 (positions), or stabilised (positions and "
                      "velocities, Gear-Gupta-Leimkuhler)"});
    field("projection", &Settings::projection,
          Doc{.text =
                  "mass-orthogonal projection after each step: of velocities, of velocities and "
                  "accelerations with their reactions, or kinematic (both once, with the matrix of the step; "
                  "reactions stay as they are: Malczyk et al. 2019)"});
    field("tangent", &Settings::tangent,
          Doc{.text =
                  "derivatives of inertia forces in Newton's matrix: exact, or masses (those alone, as if at "
                  "rest: Malczyk et al. 2019)"});
  }
};

struct GeneralizedAlphaChoice : AlphaForm {
  static constexpr const char* name = "generalized-alpha";
  static constexpr const char* shorthand = "rho";
  double rho = 0.8;
  static void describe(auto& field) {
    field("rho", &GeneralizedAlphaChoice::rho,
          Doc{.text = "spectral radius at infinite frequency: 1 keeps high frequencies, 0 removes them",
              .check = between(0, 1)});
    describe_form<GeneralizedAlphaChoice>(field);
  }
  AlphaParameters parameters() const { return AlphaParameters::generalized_alpha(rho); }
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};

struct HhtChoice : AlphaForm {
  static constexpr const char* name = "hht";
  static constexpr const char* shorthand = "alpha";
  double alpha = -0.1;
  static void describe(auto& field) {
    field("alpha", &HhtChoice::alpha,
          Doc{.text = "numerical dissipation, from -1/3 (most) to 0 (none)", .check = between(-1.0 / 3, 0)});
    describe_form<HhtChoice>(field);
  }
  AlphaParameters parameters() const { return AlphaParameters::hht(alpha); }
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};

struct NewmarkChoice : AlphaForm {
  static constexpr const char* name = "newmark";
  double beta = 0.3025, gamma = 0.6;
  static void describe(auto& field) {
    field("beta", &NewmarkChoice::beta,
          Doc{.text = "Newmark's beta: weight of the new acceleration in the position", .check = positive});
    field(
        "gamma", &NewmarkChoice::gamma,
        Doc{.text = "Newmark's gamma: weight of the new acceleration in the velocity; order 2 only with 0.5",
            .check = at_least(0.5)});
    describe_form<NewmarkChoice>(field);
  }
  AlphaParameters parameters() const { return AlphaParameters::newmark(beta, gamma); }
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};

struct TrapezoidalChoice : AlphaForm {
  static constexpr const char* name = "trapezoidal";
  static void describe(auto& field) { describe_form<TrapezoidalChoice>(field); }
  AlphaParameters parameters() const { return AlphaParameters::trapezoidal(); }
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};

/// The three iterations of dae_alpha.h share their settings.
template <class Choice>
struct DaeAlphaChoice {
  static constexpr const char* shorthand = "rho";
  double rho = 0.8;
  std::optional<double> alpha;
  std::optional<Vec2> newmark;

  static void describe(auto& field) {
    field("rho", &Choice::rho,
          Doc{.text = "spectral radius at infinite frequency: 1 keeps high frequencies, 0 removes them",
              .check = between(0, 1)});
    field("alpha", &Choice::alpha,
          Doc{.text = "HHT instead of rho: numerical dissipation, from -1/3 (most) to 0 (none)",
              .check = between(-1.0 / 3, 0),
              .default_text = "from rho"});
    field("newmark", &Choice::newmark,
          Doc{.text = "Newmark instead of rho: [beta, gamma]; order 2 only with gamma 0.5",
              .check = positive,
              .default_text = "from rho"});
  }
  void check(const Complain& complain) const {
    if (alpha && newmark) complain("newmark", "give alpha (HHT) or newmark, not both");
    if (newmark && (*newmark)[1] < 0.5) complain("newmark", "the second number, gamma, must be at least 0.5");
  }
  AlphaParameters parameters() const {
    if (newmark) return AlphaParameters::newmark((*newmark)[0], (*newmark)[1]);
    return alpha ? AlphaParameters::hht(*alpha) : AlphaParameters::generalized_alpha(rho);
  }
};

struct DaeAlphaNewtonChoice : DaeAlphaChoice<DaeAlphaNewtonChoice> {
  static constexpr const char* name = "dae-alpha";
  static constexpr DaeAlphaIteration iteration = DaeAlphaIteration::newton;
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};
struct DaeAlphaSplitChoice : DaeAlphaChoice<DaeAlphaSplitChoice> {
  static constexpr const char* name = "dae-alpha-cs";
  static constexpr DaeAlphaIteration iteration = DaeAlphaIteration::split;
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};
struct DaeAlphaModifiedChoice : DaeAlphaChoice<DaeAlphaModifiedChoice> {
  static constexpr const char* name = "dae-alpha-cm";
  static constexpr DaeAlphaIteration iteration = DaeAlphaIteration::modified;
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};

/// See energy_momentum.h.
struct EnergyMomentumChoice {
  static constexpr const char* name = "energy-momentum";
  static constexpr const char* shorthand = "rho";
  double rho = 1;
  static void describe(auto& field) {
    field("rho", &EnergyMomentumChoice::rho,
          Doc{.text = "1 keeps energy and momentum; below 1, the spectral radius at infinite frequency: high "
                      "frequencies decay, and no step gains energy",
              .check = between(0, 1)});
  }
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};

enum class OdeMethod { implicit_alpha, explicit_runge_kutta, chebyshev };
constexpr auto names(OdeMethod) { return std::array{"implicit", "explicit", "chebyshev"}; }

/// See stabilised_ode.h.
struct StabilisedOdeChoice {
  static constexpr const char* name = "stabilised-ode";
  OdeMethod method = OdeMethod::implicit_alpha;
  double rho = 0.8;
  std::optional<double> beta;
  static void describe(auto& field) {
    field("method", &StabilisedOdeChoice::method,
          Doc{.text = "implicit (generalized-alpha), explicit (Dormand-Prince), or chebyshev (explicit "
                      "Runge-Kutta-Chebyshev of order 2, for large beta)"});
    field("rho", &StabilisedOdeChoice::rho,
          Doc{.text =
                  "implicit: spectral radius at infinite frequency; 1 keeps high frequencies, 0 removes them",
              .check = between(0, 1)});
    field("beta", &StabilisedOdeChoice::beta,
          Doc{.text = "decay rate of constraint errors; explicit: at most 3/step",
              .unit = "1/s",
              .check = positive,
              .default_text = "1/step"});
  }
  StabilisedAlphaSettings settings(const NewtonSettings& newton) const {
    return {AlphaParameters::generalized_alpha(rho), beta, newton};
  }
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};

struct DormandPrinceChoice {
  static constexpr const char* name = "dormand-prince";
  static void describe(auto&) {}
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};

struct MersonChoice {
  static constexpr const char* name = "merson";
  static void describe(auto&) {}
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};

struct LinearlyImplicitChoice {
  static constexpr const char* name = "linearly-implicit";
  static void describe(auto&) {}
  std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                              const NewtonSettings& newton) const;
};

/// std::unique_ptr<Integrator> make_integrator(const Dae&, const RunSettings&, const NewtonSettings&) const
struct IntegratorContract {
  static constexpr const char* group = "integrator";
  static constexpr const char* example = "";
  struct Operations {
    std::unique_ptr<Integrator> (*make)(const void*, const Dae&, const RunSettings&, const NewtonSettings&);
  };
  template <class T>
  static constexpr bool accepts = requires(const T& s, const Dae& dae, const RunSettings& run,
                                           const NewtonSettings& n) {
    s.make_integrator(dae, run, n);
  };
  template <class T>
  static Operations operations_of() {
    return {[](const void* s, const Dae& dae, const RunSettings& run, const NewtonSettings& newton) {
      return static_cast<const T*>(s)->make_integrator(dae, run, newton);
    }};
  }
};
using AnyIntegrator = Any<IntegratorContract>;

struct DynamicsSettings {
  static constexpr const char* name = "dynamics";
  static void describe(auto&) {}
};
struct KinematicsSettings {
  static constexpr const char* name = "kinematics";
  static void describe(auto&) {}
};
struct InverseDynamicsSettings {
  static constexpr const char* name = "inverse-dynamics";
  static void describe(auto&) {}
};
struct StaticsSettings {
  static constexpr const char* name = "statics";
  static void describe(auto&) {}
};
struct ModesSettings {
  static constexpr const char* name = "modes";
  static constexpr const char* shorthand = "count";
  std::optional<int> count;
  static void describe(auto& field) {
    field("count", &ModesSettings::count,
          Doc{.text = "number of modes, from the lowest frequency on",
              .check = at_least(1),
              .default_text = "all"});
  }
};
using AnalysisSettings = std::variant<DynamicsSettings, KinematicsSettings, InverseDynamicsSettings,
                                      StaticsSettings, ModesSettings>;

enum class Device { cpu, gpu, automatic };
constexpr auto names(Device) { return std::array{"cpu", "gpu", "auto"}; }

struct RunSettings {
  AnalysisSettings analysis;
  AnyIntegrator integrator = GeneralizedAlphaChoice{};
  AnySolver solver = SolverSettings<"auto">{};
  std::string from = "start";
  double start = 0, end = 1;
  double step = 1e-3;
  std::optional<double> tolerance;
  double newton_tolerance = 1e-10;
  int newton_iterations = 15;
  std::optional<double> regularisation, penalty;
  bool geometric_stiffness = true;
  std::optional<int> realtime;
  int threads = 1;
  double checkpoint = 60;
  Device device = Device::cpu;

  static void describe(auto& field) {
    field("analysis", &RunSettings::analysis, Doc{.text = "what to compute"});
    field("integrator", &RunSettings::integrator, Doc{.text = "time integrator, with its settings"});
    field("solver", &RunSettings::solver,
          Doc{.text = "Newton solver: dense, sparse (klu where it is built in), schur (Schur complement by "
                      "body), dca (divide and "
                      "conquer), or auto: dca for rigid bodies on joints, schur for solids, else dense for "
                      "small models "
                      "and sparse for large ones"});
    field("from", &RunSettings::from,
          Doc{.text = "state it begins with: start (as the model gives it), statics (the equilibrium found "
                      "from there), "
                      "or the results of another run of the model, whose last state it takes"});
    field("start", &RunSettings::start, Doc{.text = "start time", .unit = "s"});
    field("end", &RunSettings::end, Doc{.text = "end time", .unit = "s"});
    field("step", &RunSettings::step,
          Doc{.text = "step size; with a tolerance the initial one, and 1/100 of the largest",
              .unit = "s",
              .check = positive});
    field("tolerance", &RunSettings::tolerance,
          Doc{.text = "local error per step, relative to the size of the mechanism (rotations: rad). Setting "
                      "it makes the step size adaptive",
              .check = positive,
              .default_text = "fixed step"});
    field("newton_tolerance", &RunSettings::newton_tolerance,
          Doc{.text =
                  "error left by Newton's iteration, relative to the size of the mechanism (rotations: rad)",
              .check = positive});
    field("newton_iterations", &RunSettings::newton_iterations,
          Doc{.text = "largest number of Newton iterations; then the step is repeated with half its size",
              .check = at_least(1)});
    field("regularisation", &RunSettings::regularisation,
          Doc{.text = "relative regularisation of constraint rows in Newton's matrix; the solution does not "
                      "depend on it",
              .check = non_negative,
              .default_text = "1e-8, with redundant joints 1e-6"});
    field(
        "penalty", &RunSettings::penalty,
        Doc{.text =
                "augmented Lagrangian, instead of `regularisation`: an iteration changes a multiplier "
                "by this factor times the violation of its row (alpha of Malczyk et al. 2019), or more where "
                "steps are so small that this would not close it; implicit integrators only",
            .check = positive,
            .default_text = "none"});
    field("geometric_stiffness", &RunSettings::geometric_stiffness,
          Doc{.text = "whether Newton's matrix contains the geometric stiffness of reactions"});
    field("realtime", &RunSettings::realtime,
          Doc{.text = "exactly this number of Newton iterations in every step, converged or not. The summary "
                      "gives the slowest step and the number of steps that missed their deadline",
              .check = at_least(1),
              .default_text = "off"});
    field("threads", &RunSettings::threads,
          Doc{.text = "number of threads; 0: one per core. Results do not depend on it",
              .check = non_negative});
    field("checkpoint", &RunSettings::checkpoint,
          Doc{.text = "wall-clock time between checkpoints, from which `hooke run --continue` goes on in "
                      "every bit as if the run had not stopped; 0: none is written",
              .unit = "s",
              .check = non_negative});
    field("device", &RunSettings::device,
          Doc{.text = "what computes the steps: cpu; gpu, for solids in components on a graphics card; or "
                      "auto: the "
                      "graphics card where there is one and a solid has 10,000 dofs or more. What the device "
                      "does not "
                      "do runs on the processor, and the summary says why"});
  }
  void check(const Complain& complain) const {
    if (end < start) complain("end", "must not lie before the start");
  }
};

NewtonSettings newton_settings(const RunSettings& run);
std::unique_ptr<Integrator> make_integrator(const Dae& dae, const RunSettings& run,
                                            std::shared_ptr<Team> team = nullptr);

}  // namespace hooke
