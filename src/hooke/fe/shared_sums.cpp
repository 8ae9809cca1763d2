#include "hooke/fe/shared_sums.h"

namespace hooke {

SharedSums::SharedSums(int nodes, const std::vector<int>& first, const std::vector<int>& touched) {
  constexpr int worth_a_share = 4000, most_shares = 16;  // additions to nodes; some ten microseconds
  const int items = static_cast<int>(first.size()) - 1, all = static_cast<int>(touched.size());
  const int count = std::clamp(all / worth_a_share, 1, most_shares);
  std::vector<int> owner(nodes, -1), place(nodes), seen_by(nodes, -1);
  place_.reserve(touched.size());
  for (int share = 0, item = 0; share < count; ++share) {
    const auto end = static_cast<int>(static_cast<long long>(all) * (share + 1) / count);
    for (; item < items && (first[item] < end || share + 1 == count); ++item)
      for (int k = first[item]; k < first[item + 1]; ++k) {
        const int node = touched[k];
        if (owner[node] < 0) owner[node] = share;
        if (owner[node] == share) {
          place[node] = node;
        } else if (seen_by[node] != share) {
          place[node] = nodes + extra_places();
          extra_.push_back(node);
        }
        seen_by[node] = share;
        place_.push_back(place[node]);
      }
    begin_.push_back(item);
  }
}

}  // namespace hooke
