#include "hooke/gpu/elimination.h"

#include <algorithm>

namespace hooke::gpu {

Elimination::Elimination(const std::vector<int>& sizes, int before,
                         const std::vector<std::array<int, 2>>& pairs, int columns)
    : sizes_(sizes), columns_(columns) {
  const std::size_t n = sizes.size();
  std::vector<std::vector<char>> touch(n, std::vector<char>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    unknown_.push_back(unknowns_);
    unknowns_ += sizes[i];
    touch[i][i] = 1;
  }
  for (const auto& [i, j] : pairs) touch[i][j] = touch[j][i] = 1;
  const auto levels_of = order(before, touch);  // with what fills up

  at_.assign(n * n, -1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (touch[i][j]) {
        at_[i * n + j] = right_side_;
        right_side_ += sizes[i] * sizes[j];
      }
  std::vector<int> level_of(n, 0);
  for (std::size_t l = 0; l < levels_of.size(); ++l)
    for (int b : levels_of[l]) level_of[b] = static_cast<int>(l);
  std::vector<std::vector<int>> later(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (touch[i][j] && level_of[j] > level_of[i]) later[i].push_back(static_cast<int>(j));
  list(levels_of, later);
}

/// Levels of blocks that do not touch each other: those with two neighbours at most, or as few as there are. `touch` gets
/// what fills up.
std::vector<std::vector<int>> Elimination::order(int before, std::vector<std::vector<char>>& touch) const {
  const int n = static_cast<int>(sizes_.size());
  std::vector<char> is_left(n, 1);
  std::vector<std::vector<int>> levels;
  for (const auto& [from, to] : {std::pair(0, before), std::pair(before, n)})
    for (int left = to - from; left > 0;) {
      std::vector<int> degree(n, 0);
      int least = n;
      for (int i = from; i < to; ++i) {
        for (int j = from; j < to; ++j) degree[i] += j != i && is_left[j] && touch[i][j];
        if (is_left[i]) least = std::min(least, degree[i]);
      }
      std::vector<int>& level = levels.emplace_back();
      for (int i = from; i < to; ++i)
        if (is_left[i] && degree[i] <= std::max(least, 2) &&
            std::none_of(level.begin(), level.end(), [&](int j) { return touch[i][j]; }))
          level.push_back(i);
      for (int b : level) is_left[b] = 0;
      left -= static_cast<int>(level.size());
      for (int b : level)
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j)
            if (is_left[i] && is_left[j] && touch[i][b] && touch[b][j]) touch[i][j] = 1;
    }
  return levels;
}

void Elimination::list(const std::vector<std::vector<int>>& levels_of,
                       const std::vector<std::vector<int>>& later) {
  const int n = static_cast<int>(sizes_.size());
  levels.push_back({});
  for (const std::vector<int>& level : levels_of) {
    int largest = 0;
    for (int b : level) {
      largest = std::max(largest, sizes_[b]);
      pivots.push_back({at(b, b), sizes_[b], unknown_[b]});
      for (int i : later[b])
        for (int r = 0; r < sizes_[i]; ++r) rows.push_back({at(i, b) + r * sizes_[b], at(b, b), sizes_[b]});
    }
    // Targets: blocks (i, j) and right-hand sides (j = n) of what is left.
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= n; ++j) {
        std::vector<int> from;
        for (int b : level) {
          const auto has = [&](int k) {
            return std::find(later[b].begin(), later[b].end(), k) != later[b].end();
          };
          if (has(i) && (j == n || has(j))) from.push_back(b);
        }
        if (from.empty()) continue;
        const int width = j == n ? columns_ : sizes_[j];
        for (int r = 0; r < sizes_[i]; ++r) {
          const int first = static_cast<int>(products.size());
          for (int b : from)
            products.push_back({at(i, b) + r * sizes_[b], j == n ? right_side(b) : at(b, j), sizes_[b]});
          updates.push_back({(j == n ? right_side(i) : at(i, j)) + r * width, width, first,
                             static_cast<int>(products.size())});
        }
      }
    for (int b : level)
      for (int r = 0; r < sizes_[b]; ++r) {
        const int first = static_cast<int>(products.size());
        for (int j : later[b]) products.push_back({at(b, j) + r * sizes_[j], right_side(j), sizes_[j]});
        backs.push_back({right_side(b) + r * columns_, columns_, first, static_cast<int>(products.size())});
      }
    levels.push_back({static_cast<int>(pivots.size()), static_cast<int>(rows.size()),
                      static_cast<int>(updates.size()), static_cast<int>(backs.size()), largest});
  }
}

}  // namespace hooke::gpu
