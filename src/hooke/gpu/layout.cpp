#include "hooke/gpu/layout.h"

#include <algorithm>

#include "hooke/gpu/dissection.h"

namespace hooke::gpu {
namespace {

void place_fronts(const std::vector<Dissection>& bodies, Layout& made) {
  int nodes = 0;
  for (const Dissection& body : bodies) {
    const int first = static_cast<int>(made.fronts.size());
    for (Front front : body.fronts) {
      if (front.parent >= 0) front.parent += first;
      for (int& child : front.children) child += first;
      front.first += nodes;
      for (int& node : front.border) node += nodes;
      made.fronts.push_back(std::move(front));
    }
    nodes += static_cast<int>(body.order.size());
  }
  made.dofs = 3 * nodes;
}

struct Places {
  std::vector<int> border_at, nodes_at, gather_at;
};

/// What each node of a front gets from the front's children.
Places place_borders(Layout& made) {
  Places at;
  for (const Front& front : made.fronts) {
    at.border_at.push_back(made.z_size);
    at.nodes_at.push_back(static_cast<int>(made.border_nodes.size()));
    made.z_size += front.border_dofs();
    made.border_nodes.insert(made.border_nodes.end(), front.border.begin(), front.border.end());
    made.forward_at.push_back(made.plain_size);
    made.plain_size += static_cast<std::int64_t>(front.own_dofs()) * (front.own_dofs() + front.border_dofs());
    made.backward_at.push_back(made.plain_size);
    made.plain_size += static_cast<std::int64_t>(front.own_dofs()) * front.border_dofs();
  }
  std::vector<int> place(made.dofs / 3, -1);
  std::vector<std::vector<int>> lists;
  for (const Front& front : made.fronts) {
    if (front.children.empty()) {
      at.gather_at.push_back(-1);
      continue;
    }
    const int border = static_cast<int>(front.border.size());
    for (int k = 0; k < front.count; ++k) place[front.first + k] = k;
    for (int k = 0; k < border; ++k) place[front.border[k]] = front.count + k;
    lists.assign(front.count + border, {});
    for (int child : front.children)
      for (std::size_t k = 0; k < made.fronts[child].border.size(); ++k)
        lists[place[made.fronts[child].border[k]]].push_back(at.border_at[child] + 3 * static_cast<int>(k));
    at.gather_at.push_back(static_cast<int>(made.gathers.size()));
    for (const std::vector<int>& list : lists) {
      const int count = static_cast<int>(list.size());
      made.gathers.push_back({count > 0 ? list[0] : made.z_size, count > 1 ? list[1] : made.z_size,
                              static_cast<int>(made.more.size()), count});
      if (count > 2) made.more.insert(made.more.end(), list.begin() + 2, list.end());
    }
  }
  return at;
}

}  // namespace

Layout make_layout(const std::vector<Dissection>& bodies, int blocks) {
  Layout made;
  made.blocks = blocks;
  place_fronts(bodies, made);
  const Places at = place_borders(made);
  int up = 0, down = 0;
  for (const Front& front : made.fronts) up = std::max(up, front.height), down = std::max(down, front.depth);
  made.stages = up + 1 + down;

  std::vector<std::vector<Segment>> shares(static_cast<std::size_t>(blocks) * made.stages);
  for (int t = 0; t < made.stages; ++t) {
    const bool is_forward = t <= up;
    std::vector<int> in_stage;
    double units = 0;
    const auto groups_of = [&](const Front& f) {
      return ((is_forward ? f.own_dofs() + f.border_dofs() : f.own_dofs()) + rows_in_unit - 1) / rows_in_unit;
    };
    const auto columns_of = [&](const Front& f) {
      return ((is_forward ? f.own_dofs() : f.border_dofs()) + columns_in_unit - 1) / columns_in_unit;
    };
    for (std::size_t f = 0; f < made.fronts.size(); ++f) {
      const Front& front = made.fronts[f];
      if (is_forward ? front.height != t : front.depth != t - up) continue;
      in_stage.push_back(static_cast<int>(f));
      units += static_cast<double>(groups_of(front)) * columns_of(front);
    }
    double done = 0;
    for (int f : in_stage) {
      const Front& front = made.fronts[f];
      const int groups = groups_of(front), columns = columns_of(front);
      if (groups == 0 || columns == 0) continue;
      made.widest = std::max(made.widest, columns * columns_in_unit);
      const auto block_at = [&] {
        return std::min(blocks - 1, static_cast<int>((done + 0.5 * columns) * blocks / units));
      };
      for (int first = 0; first < groups;) {
        const int block = block_at();
        int last = first;
        for (; last < groups && block_at() == block; ++last) done += columns;
        const int kind = !is_forward        ? Segment::backward
                         : front.parent < 0 ? Segment::root
                                            : Segment::forward;
        shares[static_cast<std::size_t>(block) * made.stages + t].push_back({kind,
                                                                             rows_in_unit * first,
                                                                             rows_in_unit * (last - first),
                                                                             front.own_dofs(),
                                                                             front.border_dofs(),
                                                                             3 * front.first,
                                                                             at.border_at[f],
                                                                             at.gather_at[f],
                                                                             at.nodes_at[f],
                                                                             columns,
                                                                             (last - first) * columns,
                                                                             f,
                                                                             {}});
        made.most_groups = std::max(made.most_groups, last - first);
        first = last;
      }
    }
  }

  made.first_segment.push_back(0);
  for (int b = 0; b < blocks; ++b) {
    std::vector<int> units(warps_in_block, 0);
    const std::size_t before = made.segments.size();
    for (int t = 0; t < made.stages; ++t) {
      for (const Segment& s : shares[static_cast<std::size_t>(b) * made.stages + t]) {
        made.segments.push_back(s);
        for (int w = 0; w < warps_in_block; ++w) {
          made.unit_at.push_back(units[w]);
          units[w] += s.units * (w + 1) / warps_in_block - s.units * w / warps_in_block;
        }
      }
      made.first_segment.push_back(static_cast<int>(made.segments.size()));
    }
    made.most_segments = std::max(made.most_segments, static_cast<int>(made.segments.size() - before));
    for (int w = 0; w < warps_in_block; ++w) {
      made.stream_at.push_back(made.stream_units);
      made.stream_chunks.push_back((units[w] + 3) / 4);
      made.stream_units += 4 * static_cast<std::int64_t>(made.stream_chunks.back());
    }
  }
  return made;
}

}  // namespace hooke::gpu
