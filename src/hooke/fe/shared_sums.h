#pragma once
#include <atomic>
#include <vector>

#include "hooke/base/team.h"

namespace hooke {

/// Sums at nodes that threads share. The items that add to them are cut into shares. Where several shares add to a node, each but the
/// first has a place of its own beyond the nodes, and what is there is added afterwards, in the order of the shares. These
/// are the same for any number of threads, and so is every bit of the sums.
class SharedSums {
 public:
  SharedSums() = default;
  /// Item k adds to nodes touched[first[k]], ..., touched[first[k + 1] - 1].
  SharedSums(int nodes, const std::vector<int>& first, const std::vector<int>& touched);

  int shares() const { return static_cast<int>(begin_.size()) - 1; }
  int extra_places() const { return static_cast<int>(extra_.size()); }
  /// Where an item adds to instead of touched[k].
  const int* places() const { return place_.data(); }

  /// work(item) for all of them.
  template <class Work>
  void run(Team* team, Work&& work) const {
    std::atomic<int> next = 0;
    auto take = [&](int) {
      for (int p; (p = next++) < shares();)
        for (int item = begin_[p]; item < begin_[p + 1]; ++item) work(item);
    };
    if (team && shares() > 1)
      team->run(take);
    else
      take(0);
  }
  /// add(node, k) for every place beyond the nodes, k counting from 0.
  template <class Add>
  void gather(Add&& add) const {
    for (int k = 0; k < extra_places(); ++k) add(extra_[k], k);
  }

 private:
  std::vector<int> begin_{0}, place_, extra_;
};

}  // namespace hooke
