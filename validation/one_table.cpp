// Every benchmark of docs/validation.md in one table: a number, its reference, Hooke's error and time for
// each formulation and integrator that applies.

#include "support/rods.h"
#include "validation/cases.h"

namespace hooke::validation {
namespace {

struct Formulation {
  std::string name;
  Overrides overrides = {};
};

struct Benchmark {
  std::string name, quantity, model;
  std::function<double(const Trajectory&)> value;
  std::vector<Method> methods;
  std::vector<Formulation> formulations = {{"rigid"}};
  std::optional<double> published = {};  ///< or else the run of `reference`
  Method reference = {};
  Overrides of_reference = {};
  Overrides common = {};
};

class Table {
 public:
  explicit Table(Report& report) : report_(report) {}

  void add(const std::string& benchmark, const std::string& quantity, double reference,
           const std::string& formulation, const std::string& method, double value, double time) {
    const bool is_new = rows_.empty() || name_ != benchmark;
    name_ = benchmark;
    rows_.push_back({is_new ? benchmark : "", is_new ? quantity : "",
                     is_new ? fmt::format("{:.6g}", reference) : "", formulation, method,
                     fmt::format("{:.6g}", value), fmt::format("{:.1e}", std::abs(value / reference - 1)),
                     seconds(time)});
    worst_ = std::max(worst_, std::abs(value / reference - 1));
  }

  void add(const Benchmark& benchmark) {
    report_.attempt([&] { try_to_add(benchmark); });
  }

  void write() const {
    report_.table({"benchmark", "quantity", "reference", "formulation", "method", "Hooke", "relative error",
                   "CPU time"},
                  rows_);
    report_.expect("largest relative error of the table", worst_, 0.02);
  }

 private:
  void try_to_add(const Benchmark& b) {
    const double reference =
        b.published ? *b.published
                    : b.value(run(b.model, b.reference, with(b.common, b.of_reference)).trajectory);
    for (const Formulation& formulation : b.formulations)
      for (const Method& method : b.methods) {
        const Run r = run(b.model, method, with(b.common, formulation.overrides));
        add(b.name, b.quantity, reference, formulation.name, method.name + ", " + method.setting,
            b.value(r.trajectory), r.cpu_time);
      }
  }

  static Overrides with(Overrides some, const Overrides& more) {
    some.insert(some.end(), more.begin(), more.end());
    return some;
  }
  Report& report_;
  std::string name_;
  double worst_ = 0;
  std::vector<std::vector<std::string>> rows_;
};

// --- rigid

std::vector<Method> implicit(double rho, double step) {
  return {generalized_alpha(rho, step), fixed("hht", step), fixed("dae-alpha", step)};
}

void add_iftomm(Table& table) {
  const auto methods = [](double rho, double step, double tolerance) {
    std::vector<Method> all = implicit(rho, step);
    all.push_back(dormand_prince(tolerance, step));
    return all;
  };
  table.add({.name = "A01 pendulum",
             .quantity = "x at 10 s, m",
             .model = "benchmarks/a01_pendulum.yaml",
             .value = [](const Trajectory& t) { return t.position(t.last(), "mass").x(); },
             .methods = methods(0.9, 5e-4, 1e-9),
             .published = 0.275087462576});
  const double k = 9.81 * (1.5 + 2) / (1 + 2);
  table.add({.name = "A02 N-four-bar, N = 2",
             .quantity = "angle at 10 s, rad",
             .model = "benchmarks/a02_n_four_bar.yaml",
             .value = [](const Trajectory& t) { return -t.coordinate(t.last(), "A0"); },
             .methods = methods(0.8, 1e-3, 1e-9),
             .published =
                 test::solve_pendulum([k](double phi) { return k * std::sin(phi); }, {0, 1}, {0, 10})[1][0]});
  table.add({.name = "A03 Andrews",
             .quantity = "beta at 0.03 s, rad",
             .model = "benchmarks/a03_andrews.yaml",
             .value = [](const Trajectory& t) { return t.coordinate(t.last(), "O"); },
             .methods = methods(0.8, 5e-6, 1e-9),
             .published = 15.81077119629904,
             .common = {"outputs.every=0.03"}});
  table.add({.name = "A04 Bricard",
             .quantity = "y of rod 3 at 10 s, m",
             .model = "benchmarks/a04_bricard.yaml",
             .value = [](const Trajectory& t) { return t.position(t.last(), "rod3").y(); },
             .methods = methods(0.8, 1e-3, 1e-8),
             .reference = fixed("dormand-prince", 1e-3)});
  table.add({.name = "A05 governor",
             .quantity = "slider at 10 s, m",
             .model = "benchmarks/a05_flyball_governor.yaml",
             .value = [](const Trajectory& t) { return 0.5 + t.coordinate(t.last(), "slide"); },
             .methods = methods(0.5, 1e-3, 1e-6),
             .reference = dormand_prince(1e-10, 1e-4)});
}

// --- statics of rods

struct Rod {
  test::RodType type;
  std::string name;
  int elements;
};

std::vector<Rod> rods() {
  return {{test::cosserat(1), "cosserat, order 1", 32},
          {test::cosserat(2), "cosserat, order 2", 8},
          {test::ancf(), "ancf", 8}};
}

void add_statics(Table& table) {
  const auto timed = [&](const char* benchmark, const char* quantity, double reference, auto&& value) {
    for (const Rod& rod : rods()) {
      const std::clock_t start = std::clock();
      const double result = value(rod);
      table.add(benchmark, quantity, reference, fmt::format("{}, {} elements", rod.name, rod.elements),
                "statics", result, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
  };
  timed("Princeton beam, 13.345 N at 45 degrees", "tip across, m (ANSYS)", std::hypot(0.015186, 0.156467),
        [](const Rod& rod) {
          const double a = 12.3777e-3, b = 3.2024e-3, half = std::sqrt(0.5) * 13.345;
          const RodSettings settings = test::rod(RectangleSection{{a, b}}, 71.7e9, 0.31, 2700, 0.508);
          Model model = test::cantilever(rod.type, settings, rod.elements);
          model.forces = {test::tip_load(Vec3(0, half, half))};
          return test::equilibrium(model).tip().tail<2>().norm();
        });
  timed("Right-angle frame", "buckling load, N", 1.088,
        [](const Rod& rod) { return test::buckling_load(rod.type, rod.elements, 1); });
}

// --- dynamics of rods

/// The rods of a model file in other formulations; `settings` closes without its brace.
Formulation instead(const std::string& name, const std::string& kind,
                    const std::vector<std::pair<std::string, std::string>>& settings_of,
                    const std::string& more) {
  Formulation result{name};
  for (const auto& [body, settings] : settings_of) {
    result.overrides.push_back(fmt::format("bodies.{}.cosserat=null", body));
    result.overrides.push_back(fmt::format("bodies.{}.{}={}, {}}}", body, kind, settings, more));
  }
  return result;
}

void add_dynamics(Table& table) {
  table.add(
      {.name = "Flying spaghetti",
       .quantity = "x of the pushed end at 10 s, m",
       .model = "flexible/flying_spaghetti.yaml",
       .value = [](const Trajectory& t) { return t.system().nodes(0, t.state(t.last())).front().p.x(); },
       .methods = implicit(0.9, 5e-3),
       .formulations = {{"cosserat, order 1, 32 elements",
                         {"bodies.rod.cosserat.order=1", "bodies.rod.cosserat.elements=32"}},
                        {"cosserat, order 2, 8 elements"}},
       .reference = generalized_alpha(0.9, 1.25e-3),
       .of_reference = {"bodies.rod.cosserat.elements=24"},
       .common = {"run.end=10"}});
  const std::string steel = "material: {young: 2.1e11, poisson: 0.3, density: 7800}";
  const std::vector<std::pair<std::string, std::string>> shaft{
      {"shaft", "{section: {tube: {outer: 0.05, inner: 0.045}}, " + steel}};
  table.add({.name = "Rotating shaft",
             .quantity = "largest distance of the disk from the axis, m",
             .model = "benchmarks/rotating_shaft.yaml",
             .value =
                 [](const Trajectory& t) {
                   double largest = 0;
                   for (std::size_t i = 0; i < t.size(); ++i)
                     largest = std::max(largest, t.position(i, "disk").tail<2>().norm());
                   return largest;
                 },
             .methods = implicit(0.8, 5e-4),
             .formulations = {{"cosserat, order 2, 8 elements"},
                              instead("ancf, 8 elements", "ancf", shaft, "elements: 8"),
                              instead("ffrf, 12 modes", "ffrf", shaft, "elements: 16, modes: 12")},
             .reference = generalized_alpha(0.8, 1.25e-4),
             .of_reference = {"bodies.shaft.cosserat.elements=24"},
             .common = {"outputs.every=0.005"}});
  const std::string bar = "material: {young: 2.07e11, poisson: 0.3, density: 7800}",
                    thick = "{section: {rectangle: [0.016, 0.016]}, " + bar,
                    thin = "{section: {rectangle: [0.008, 0.008]}, " + bar;
  const std::vector<std::pair<std::string, std::string>> bars{{"AB", thick}, {"BC", thick}, {"CD", thin}};
  table.add({.name = "Misaligned four-bar",
             .quantity = "largest z of the coupler's middle, m",
             .model = "benchmarks/misaligned_four_bar.yaml",
             .value =
                 [](const Trajectory& t) {
                   double largest = 0;
                   for (std::size_t i = 0; i < t.size(); ++i)
                     largest = std::max(largest, t.position(i, "BC").z());
                   return largest;
                 },
             .methods = implicit(0.8, 4e-3),
             .formulations = {{"cosserat, order 2, 4 elements"},
                              instead("ancf, 4 elements", "ancf", bars, "elements: 4"),
                              instead("ffrf, 12 modes", "ffrf", bars, "elements: 8, modes: 12")},
             .reference = generalized_alpha(0.8, 1e-3),
             .of_reference = {"bodies.AB.cosserat.elements=12", "bodies.BC.cosserat.elements=12",
                              "bodies.CD.cosserat.elements=12"}});
}

}  // namespace

void one_table(Report& report) {
  report.heading("All benchmarks in one table");
  report.text(
      "One number of each, the reference being published (A01, A03, Princeton beam, frame), solved as a "
      "single degree of "
      "freedom (A02), or Hooke's own with much finer steps and elements (the others): there the error tells "
      "what mesh, step "
      "and formulation do, not whether the model is right. The shaft and the four-bar are those of Bauchau "
      "et al. (2016).");
  Table table(report);
  add_iftomm(table);
  add_statics(table);
  add_dynamics(table);
  table.write();
}

}  // namespace hooke::validation
