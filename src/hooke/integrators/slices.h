#pragma once
#include <array>
#include <cmath>
#include <memory>

#include "hooke/base/team.h"
#include "hooke/system/dae.h"

namespace hooke {

/// A thread's slice of the vectors of a step.
struct Slice {
  int member, dof, dofs, row, rows;
  auto of_dofs(auto&& v) const { return v.segment(dof, dofs); }
  auto of_rows(auto&& v) const { return v.segment(row, rows); }
};

/// The algebra of an integrator, shared among threads: vectors are cut where the bodies are, so that the
/// numbers of a body stay in the cache of the processor that evaluates it. Fetching them from the other one
/// takes longer than computing with them.
class Slices {
 public:
  Slices(const Dae& dae, std::shared_ptr<Team> team)
      : dofs_(dae.nv()), rows_(dae.nc()), team_(dofs_ >= 6 * worth_sharing ? std::move(team) : nullptr) {
    if (team_ && team_->most() > most) team_ = nullptr;
  }

  /// work(Slice) on every thread
  void each(auto&& work) const {
    share_out(team_.get(), [&](Share s) {
      const auto [dof, last_dof] = s.of_loop(dofs_, grain);
      const auto [row, last_row] = s.of_loop(rows_, grain);
      work(Slice{s.member, dof, last_dof - dof, row, last_row - row});
    });
  }
  /// The largest of what work(Slice) returns; not a number where one of them is not.
  double largest(auto&& work) const {
    std::array<Padded, most> found;
    each([&](const Slice& s) { found[s.member].value = work(s); });
    double max = 0;
    for (int m = 0; m < (team_ ? team_->size() : 1) && !std::isnan(max); ++m)
      if (!(found[m].value <= max)) max = found[m].value;
    return max;
  }
  Team* team() const { return team_.get(); }

 private:
  static constexpr int most = 64;
  /// Whole vectors of the processor: what is left over at the end of a slice is rounded otherwise. And whole bodies.
  static constexpr int grain = 24;
  struct alignas(64) Padded {
    double value = 0;
  };
  int dofs_, rows_;
  std::shared_ptr<Team> team_;
};

}  // namespace hooke
