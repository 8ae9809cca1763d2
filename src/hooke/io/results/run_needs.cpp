#include "hooke/io/results/run_needs.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "hooke/base/format.h"
#include "hooke/bodies/modal_data.h"
#include "hooke/integrators/mode_count.h"

namespace hooke {
namespace {

constexpr double gigabyte = 1e9, number_bytes = sizeof(double);

std::size_t surface_nodes(const SolidMesh& mesh) {
  std::set<int> nodes;
  for (const BoundaryFace& face : boundary_faces(mesh))
    nodes.insert(face.corners.begin(), face.corners.end());
  return nodes.size();
}

/// Of one output, as results.cpp writes them.
double numbers_per_output(const BuiltModel& built) {
  double numbers =
      10 + 19.0 * static_cast<double>(built.bodies.size()) + 6.0 * static_cast<double>(built.forces.size());
  std::set<int> solids;
  for (const BuiltSolid& solid : built.solids) {
    solids.insert(solid.body);
    numbers += (solid.touches ? 5.0 : 4.0) * static_cast<double>(surface_nodes(solid.model->mesh));
  }
  for (const BuiltModal& body : built.modal) numbers += 4.0 * static_cast<double>(body.data->nodes.size());
  for (int b = 0; b < built.system->bodies(); ++b)
    if (!solids.contains(b)) numbers += 7.0 * built.system->node_count(b);
  for (const BuiltJoint& joint : built.joints)
    numbers += 6 + 2.0 * static_cast<double>(joint.coordinates.size());
  return numbers;
}

double memory_in_use() {
  double pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Of the matrices that a run makes: dense ones, or factors of solids.
double matrix_numbers(const Problem& problem, const BuiltModel& built) {
  const double dofs = built.system->nv(), size = built.system->structure().size();
  const bool is_modes = std::holds_alternative<ModesSettings>(problem.run.analysis);
  if (is_modes && size <= dense_modes_up_to) return 6 * std::pow(2 * dofs, 2);
  if (problem.run.solver.name() == "dense") return 2 * size * size;
  constexpr double vectors = 150, entries = 400;  // of Lanczos' method; of M, K and their sum in a row
  double numbers = is_modes ? (vectors + entries) * dofs : 0;
  constexpr double fill =
      10;  // a factor of a solid with n dofs has about fill n^(4/3) entries: cuboids of hex8
  for (const BuiltSolid& solid : built.solids)
    numbers += fill * std::pow(3.0 * solid.model->nodes(), 4.0 / 3);
  return numbers;
}

double free_space(const std::string& file) {
  std::error_code ignored;
  std::filesystem::path place = std::filesystem::absolute(file, ignored).parent_path();
  while (place.has_relative_path() && !std::filesystem::exists(place, ignored)) place = place.parent_path();
  struct statvfs disk {};
  if (statvfs(place.c_str(), &disk) != 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
}

}  // namespace

RunNeeds needs_of(const Problem& problem, const BuiltModel& built) {
  constexpr double numbers_per_step = 6;
  const double steps = problem.run.tolerance ? 0 : problem.step_count();
  return {number_bytes * (problem.output_count() * numbers_per_output(built) + steps * numbers_per_step),
          memory_in_use() + number_bytes * matrix_numbers(problem, built)};
}

std::vector<std::string> large_needs(const Problem& problem, const RunNeeds& needs,
                                     const std::string& results) {
  std::vector<std::string> texts;
  const double room = free_space(results);
  if (needs.disk > gigabyte || needs.disk > room)
    texts.push_back(
        formatted("results may take {:.3g} GB, {:.3g} GB are free there: {:.3g} outputs in {:.3g} steps; a "
                  "larger outputs.every makes them smaller",
                  needs.disk / gigabyte, room / gigabyte, problem.output_count(), problem.step_count()));
  const double machine =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needs.memory > machine / 2)
    texts.push_back(formatted("the run may take {:.3g} GB of memory, this machine has {:.3g} GB",
                              needs.memory / gigabyte, machine / gigabyte));
  return texts;
}

}  // namespace hooke
