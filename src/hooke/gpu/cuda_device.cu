// Whole steps in one kernel that stays on the device: as many blocks as there are multiprocessors, which wait for each
// other at barriers. What a block needs of the factor lies in one stream for each of its warps, read ahead through
// shared memory across all stages, iterations and steps.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "hooke/gpu/cuda_check.h"
#include "hooke/gpu/cuda_device.h"
#include "hooke/gpu/dense_rows.h"

namespace hooke::gpu {
namespace {

constexpr int NT = threads_in_block, NW = warps_in_block;
constexpr int chunk_bytes = 2048, most_slots = 5, kept_segments = 320, most_stages = 40;

void check_library(int status, const char* what) {
  if (status != 0)
    throw std::runtime_error(std::string("CUDA: ") + what + " failed, code " + std::to_string(status));
}

/// The layout, on the device.
struct Solve {
  const Segment* segments;
  const int *first_segment, *stream_chunks;
  const std::int64_t* stream_at;
  const float4* stream;
  const Gather* gathers;
  const int *more, *border_nodes;
  float *rhs, *y, *z, *x;
  int stages, blocks, widest, most_groups, slots;
  int small;  ///< numbers of joints and rigid bodies in the memory of a block; 0: they do not fit, and lie in
  double* far_small;  ///< the memory that all share, `far` of each block
  long long far;
  unsigned* arrived;
  bool is_batch;  ///< a block has all of a model to itself

  __device__ int block() const { return is_batch ? 0 : blockIdx.x; }
};

// --- reading ahead

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// The stream of a warp: chunks of four units, round and round.
struct Stream {
  unsigned slot_at, barrier_at;
  const char* base;
  int chunks, next_chunk, unit, slots, slot, phase;
  bool begun;
  std::uint64_t policy;

  __device__ void issue(int s) {
    const unsigned to = slot_at + s * chunk_bytes, barrier = barrier_at + 8 * s;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(chunk_bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
        "[%3], %4;" ::"r"(to),
        "l"(base + static_cast<std::size_t>(next_chunk) * chunk_bytes), "r"(chunk_bytes), "r"(barrier),
        "l"(policy)
        : "memory");
  }
  __device__ void next(int s, int lane) {
    if (lane == 0) issue(s);
    if (++next_chunk == chunks) next_chunk = 0;
  }
  __device__ void begin(const Solve& S, char* ring, std::uint64_t* barriers, int w, int lane) {
    slots = S.slots;
    slot_at = shared_address(ring) + w * slots * chunk_bytes;
    barrier_at = shared_address(barriers) + w * slots * 8;
    base = reinterpret_cast<const char*>(S.stream + S.stream_at[S.block() * NW + w] * 32);
    chunks = S.stream_chunks[S.block() * NW + w];
    next_chunk = unit = slot = phase = 0;
    begun = false;
    if (S.is_batch)  // others read it as well
      asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    else
      asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    if (lane == 0) {
      for (int s = 0; s < slots; ++s)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier_at + 8 * s));
      asm volatile("fence.mbarrier_init.release.cluster;");
      asm volatile("fence.proxy.async;");
    }
    __syncwarp();
    if (chunks > 0)
      for (int s = 0; s < slots; ++s) next(s, lane);
  }
  __device__ __forceinline__ void wait() {
    unsigned done;
    do {
      asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0,1,0,p;}"
                   : "=r"(done)
                   : "r"(barrier_at + 8 * slot), "r"(phase)
                   : "memory");
    } while (!done);
  }
  __device__ __forceinline__ void step() {
    if (++slot == slots) slot = 0, phase ^= 1;
  }
  __device__ __forceinline__ float4 get(int lane) {
    const int i = unit & 3;
    if (i == 0) {
      if (begun) {
        __syncwarp();
        next(slot, lane);
        step();
      }
      begun = true;
      wait();
    }
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(slot_at + slot * chunk_bytes + i * 512 + lane * 16));
    ++unit;
    return v;
  }
  /// The last chunk of a pass may be partly empty.
  __device__ void end_pass() { unit = 0; }
  /// Copies under way must land before the block ends.
  __device__ void drain() {
    if (chunks == 0) return;
    for (int s = begun ? 1 : 0; s < slots; ++s) {
      if (begun || s > 0) step();
      wait();
    }
  }
};

__device__ __forceinline__ void grid_barrier(const Solve& S, unsigned& target) {
  __syncthreads();
  if (S.is_batch) return;
  if (threadIdx.x == 0) {
    target += S.blocks;
    __threadfence();
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(S.arrived) : "memory");
    unsigned v;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(S.arrived) : "memory");
    } while (static_cast<int>(v - target) < 0);
    __threadfence();
  }
  __syncthreads();
}

// --- a stage

__device__ __forceinline__ float z_at(const Solve& S, int k) { return __ldcg(S.z + k); }

__device__ __forceinline__ float other_gathers(const Solve& S, const Gather& g, int k, float sum) {
  for (int i = 0; i < g.count - 2; ++i) sum += z_at(S, S.more[g.more + i] + k);
  return sum;
}

/// What a row has besides its product.
__device__ __forceinline__ float row_start(const Solve& S, const Segment& g, int row) {
  if (g.kind == Segment::backward) return row < g.own ? __ldcg(S.y + g.own_at + row) : 0.0f;
  if (row < g.own || row >= g.own + g.border || g.gather_at < 0) return 0.0f;
  const Gather q = S.gathers[g.gather_at + row / 3];
  const int k = row % 3;
  return other_gathers(S, q, k, z_at(S, q.first + k) + z_at(S, q.second + k));
}

__device__ __forceinline__ void run_stage(const Solve& S, const Segment* segments, int first, int last,
                                          float* in, float* part, Stream& stream) {
  const int tid = threadIdx.x, w = tid >> 5, lane = tid & 31, eighth = lane & 7;
  for (int s = first; s < last; ++s) {
    const Segment g = segments[s];
    const int C = g.columns, U = g.units, K = C * columns_in_unit;
    for (int k0 = tid; k0 < K; k0 += 4 * NT) {
      float v[4];
      Gather q[4];
      int at[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int k = k0 + i * NT;
        v[i] = 0;
        q[i].count = -1;
        at[i] = -1;
        if (g.kind == Segment::backward) {
          if (k < g.border) at[i] = 3 * S.border_nodes[g.border_nodes_at + k / 3] + k % 3;
        } else if (k < g.own && g.gather_at >= 0) {
          q[i] = S.gathers[g.gather_at + k / 3];
        }
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int k = k0 + i * NT;
        if (g.kind == Segment::backward) {
          if (at[i] >= 0) v[i] = __ldcg(S.x + at[i]);
        } else if (k < g.own) {
          v[i] = __ldcg(S.rhs + g.own_at + k);
          if (q[i].count >= 0)
            v[i] += other_gathers(S, q[i], k % 3, z_at(S, q[i].first + k % 3) + z_at(S, q[i].second + k % 3));
        }
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (k0 + i * NT < K) in[k0 + i * NT] = v[i];
    }
    const float start = tid < g.rows ? row_start(S, g, g.first_row + tid) : 0.0f;
    __syncthreads();
    const int u0 = U * w / NW, u1 = U * (w + 1) / NW;
    int group = u0 / C, c = u0 - group * C;
    float sum = 0;
    for (int u = u0; u < u1; ++u) {
      const float4 a = stream.get(lane),
                   b = *reinterpret_cast<const float4*>(in + c * columns_in_unit + eighth * 4);
      sum = fmaf(a.x, b.x, sum);
      sum = fmaf(a.y, b.y, sum);
      sum = fmaf(a.z, b.z, sum);
      sum = fmaf(a.w, b.w, sum);
      if (++c == C || u + 1 == u1) {
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        sum += __shfl_xor_sync(~0u, sum, 4);
        if (eighth == 0) part[(group + w) * rows_in_unit + (lane >> 3)] = sum;
        sum = 0;
        c = 0;
        ++group;
      }
    }
    __syncthreads();
    for (int k = tid; k < g.rows; k += NT) {
      const int row = g.first_row + k, of = k >> 2, unit = of * C;
      const int from = ((unit + 1) * NW - 1) / U, to = ((unit + C) * NW - 1) / U;
      float v = 0;
      for (int i = from; i <= to; ++i)
        if (U * i / NW < U * (i + 1) / NW) v += part[(of + i) * rows_in_unit + (k & 3)];
      v += k == tid ? start : row_start(S, g, row);
      if (row < g.own)
        (g.kind == Segment::forward ? S.y : S.x)[g.own_at + row] = v;
      else if (g.kind != Segment::backward && row < g.own + g.border)
        S.z[g.border_at + row - g.own] = v;
    }
  }
}

// --- shared memory of a block

struct Shared {
  char* ring;
  std::uint64_t* barriers;
  float *in, *part;
  Segment* segments;
  double *reduced, *small;
  int* stage;
};

__host__ __device__ inline std::size_t shared_bytes(const Solve& S) {
  return static_cast<std::size_t>(NW) * S.slots * (chunk_bytes + 8) + (S.widest + 4) * 4 +
         static_cast<std::size_t>(S.most_groups + NW) * rows_in_unit * 4 + kept_segments * sizeof(Segment) +
         (NW * partials + S.small + 8) * 8 + most_stages * 4;
}

__device__ inline Shared carve(const Solve& S, char* at) {
  Shared m;
  const auto take = [&](std::size_t bytes) {
    char* const here = at;
    at += bytes;
    return here;
  };
  m.ring = take(static_cast<std::size_t>(NW) * S.slots * chunk_bytes);
  m.barriers = reinterpret_cast<std::uint64_t*>(take(static_cast<std::size_t>(NW) * S.slots * 8));
  m.segments = reinterpret_cast<Segment*>(take(kept_segments * sizeof(Segment)));
  m.reduced = reinterpret_cast<double*>(take(NW * partials * 8));
  m.small = reinterpret_cast<double*>(take((S.small + 8) * 8));
  m.in = reinterpret_cast<float*>(take((S.widest + 4) * 4));
  m.part = reinterpret_cast<float*>(take(static_cast<std::size_t>(S.most_groups + NW) * rows_in_unit * 4));
  m.stage = reinterpret_cast<int*>(take(most_stages * 4));
  return m;
}

/// The segments of the block, in shared memory where they have room.
__device__ inline const Segment* load_segments(const Solve& S, const Shared& m) {
  const int first = S.first_segment[S.block() * S.stages],
            count = S.first_segment[(S.block() + 1) * S.stages] - first;
  for (int t = threadIdx.x; t <= S.stages; t += NT)
    m.stage[t] = S.first_segment[S.block() * S.stages + t] - first;
  if (count <= kept_segments) {
    for (int i = threadIdx.x; i < count * 16; i += NT)
      reinterpret_cast<int*>(m.segments)[i] = reinterpret_cast<const int*>(S.segments + first)[i];
  }
  __syncthreads();
  return count <= kept_segments ? m.segments : S.segments + first;
}

extern __shared__ __align__(1024) char shared_memory[];

__global__ void __launch_bounds__(NT, 1) solve_kernel(Solve S) {
  const Shared m = carve(S, shared_memory);
  Stream stream;
  stream.begin(S, m.ring, m.barriers, threadIdx.x >> 5, threadIdx.x & 31);
  const Segment* segments = load_segments(S, m);
  unsigned target = 0;
  for (int t = 0; t < S.stages; ++t) {
    run_stage(S, segments, m.stage[t], m.stage[t + 1], m.in, m.part, stream);
    grid_barrier(S, target);
  }
  stream.end_pass();
  stream.drain();
}

// --- steps

__device__ __forceinline__ double warp_sum(double v) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
  return v;
}
__device__ __forceinline__ double warp_max(double v) {
  for (int o = 16; o > 0; o /= 2) v = fmax(v, __shfl_xor_sync(~0u, v, o));
  return v;
}

/// Sums of the threads of a block, number `first` to `first + count` of its partials; number 12 is the largest.
template <int first, int count>
__device__ __forceinline__ void reduce_block(int block, const double* sums, double* reduced,
                                             double* partial) {
  const int w = threadIdx.x >> 5, lane = threadIdx.x & 31;
#pragma unroll
  for (int k = 0; k < count; ++k) {
    const double v = first + k == 12 ? warp_max(sums[k]) : warp_sum(sums[k]);
    if (lane == 0) reduced[w * partials + k] = v;
  }
  __syncthreads();
  if (threadIdx.x < count) {
    const int k = threadIdx.x;
    double v = 0;
    for (int i = 0; i < NW; ++i)
      v = first + k == 12 ? fmax(v, reduced[i * partials + k]) : v + reduced[i * partials + k];
    partial[block * partials + first + k] = v;
  }
}

/// Four loads are under way at once.
template <class Join>
__device__ __forceinline__ double over_blocks(const double* partial, int k, int first, int last, int lane,
                                              Join&& join) {
  double v = 0;
  for (int b = first + lane; b < last; b += 128) {
    double x[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      x[i] = b + 32 * i < last ? __ldcg(partial + (b + 32 * i) * partials + k) : 0.0;
#pragma unroll
    for (int i = 0; i < 4; ++i) v = join(v, x[i]);
  }
  return v;
}
__device__ __forceinline__ double sum_of_blocks(const Component& c, const double* partial, int k, int lane) {
  return warp_sum(
      over_blocks(partial, k, c.first_block, c.last_block, lane, [](double a, double b) { return a + b; }));
}
__device__ __forceinline__ double largest(const StepData& d, const double* partial, int lane) {
  return warp_max(over_blocks(partial, 12, 0, d.blocks, lane, [](double a, double b) { return fmax(a, b); }));
}

struct BlockLanes {
  static constexpr int lanes = NT;
  int lane = static_cast<int>(threadIdx.x);
  __device__ void sync() const { __syncthreads(); }
};
struct WarpLanes {
  static constexpr int lanes = 32;
  int lane = static_cast<int>(threadIdx.x & 31);
  __device__ void sync() const { __syncwarp(); }
};
/// Of all blocks.
struct GridLanes {
  const Solve& S;
  unsigned& target;
  int lane, lanes;
  __device__ GridLanes(const Solve& of, unsigned& barrier)
      : S(of),
        target(barrier),
        lane(of.block() * NT + static_cast<int>(threadIdx.x)),
        lanes(of.blocks * NT) {}
  __device__ void sync() const { grid_barrier(S, target); }
};

/// One block's part of all steps.
struct Stepping {
  const Solve& S;
  const StepData& d;      ///< of nodes
  const StepData& small;  ///< of joints, see SmallConstants
  const Shared& m;
  Stream& stream;
  const Segment* segments;
  SmallWorld world;
  unsigned target = 0;
  /// Partials alternate between two places, since a block may be read while the next are written.
  int side = 0;
  int tid, w, lane, own, first, last;
  NewtonMemory* newton;  ///< in shared memory
  int* verdict;

  __device__ double* partial() const { return d.partial + side * d.blocks * partials; }
  __device__ void barrier() { grid_barrier(S, target); }

  /// visit(node, its state) returns a size of which the largest is wanted; the state is written back, and what all
  /// blocks say of it is collected: R and centres of components, and that size, which `then` sees in one thread.
  template <class Visit, class Then>
  __device__ void over_nodes(Visit&& visit, Then&& then) {
    double sums[13] = {};
    for (int i = first + tid; i < last; i += NT) {
      NodeState node = read_node(d, i);
      sums[12] = fmax(sums[12], visit(i, node));
      write_node(d, i, node);
      add_to_fit(node, sums);
    }
    side ^= 1;
    reduce_block<0, 13>(S.block(), sums, m.reduced, partial());
    if (d.damped) find_rates();
    barrier();
    if (w == NW - 1) {
      const double most = largest(d, partial(), lane);
      if (lane == 0) then(with_bodies(small, world, most));
    }
    for (int k = w; k < 12 * d.components; k += NW) {
      const int c = k / 12, n = k % 12;
      const double v = sum_of_blocks(small.component[c], partial(), n, lane);
      if (lane == 0) (n < 9 ? world.sums[partials * c + n] : world.centre[3 * c + n - 9]) = v;
    }
    for (int k = w; d.damped && k < 9 * d.components; k += NW) {
      const int c = k / 9, n = 16 + k % 9;
      const double v = sum_of_blocks(small.component[c], partial(), n, lane);
      if (lane == 0) world.sums[partials * c + n] = v;
    }
    __syncthreads();
    for (int c = tid; c < d.components; c += NT) {
      double skew[3];
      fit_rotation(world.sums + partials * c, world.R + 9 * c);
      spread_of(world.sums + partials * c, world.R + 9 * c, world.inverse_A + 9 * c, skew);
      if (d.damped)
        spin_of(world.sums + partials * c + 16, world.R + 9 * c, world.inverse_A + 9 * c,
                world.omega + 3 * c);
    }
    __syncthreads();
  }

  /// How fast the fits turn: nodes of a thread have been written by itself.
  __device__ void find_rates() {
    double sums[9] = {};
    for (int i = first + tid; i < last; i += NT) add_to_rate(d, i, sums);
    __syncthreads();
    reduce_block<16, 9>(S.block(), sums, m.reduced, partial());
  }

  /// Few joints are the work of one warp, which then has less to do elsewhere; many are that of all.
  __device__ bool has_few_joints() const { return d.rows <= 12 && d.held <= 32 && d.bodies <= 4; }

  __device__ void look_at_joints(int step) {
    if (!has_few_joints()) {
      evaluate_joints(small, world, step, BlockLanes{});
      factorize_rows(small, world, GridLanes(S, target), BlockLanes{});
    } else if (w == NW - 1) {
      evaluate_joints(small, world, step, WarpLanes{});
      factorize_rows(small, world, WarpLanes{}, WarpLanes{});
    }
  }

  __device__ void hold_joints() {
    if (!has_few_joints())
      solve_joints(BlockLanes{});
    else if (w == 0)
      solve_joints(WarpLanes{});
    __syncthreads();
  }

  template <class Lanes>
  __device__ void solve_joints(const Lanes& lanes) {
    collect_rows(
        small, world,
        [&](int e, int k) { return static_cast<double>(__ldcg(S.x + 3 * small.held_node[e] + k)); }, lanes);
    substitute_rows(small, world, lanes);
    apply_rows(small, world, lanes);
  }

  __device__ void find_forces() {
    const Component& c = small.component[own];
    const double* R = world.R + 9 * own;
    double moment[3] = {0, 0, 0};
    for (int base = first; base < last; base += NT / 8) {
      const int i = base + (tid >> 3), node = min(i, last - 1);
      double sum[6];
      lane_forces(d, c, R, world.omega + 3 * own, node, tid & 7, sum);
      for (int k = 0; k < 6; ++k)
        for (int o = 1; o < 8; o *= 2) sum[k] += __shfl_xor_sync(~0u, sum[k], o);
      if ((tid & 7) == 0 && i < last) finish_forces(d, R, world.centre + 3 * own, i, sum, moment);
    }
    reduce_block<13, 3>(S.block(), moment, m.reduced, partial());
    barrier();
  }

  __device__ void find_right_hand_side() {
    const Component& c = small.component[own];
    const double* R = world.R + 9 * own;
    if (w < 3) {
      const double v = sum_of_blocks(c, partial(), 13 + w, lane);
      if (lane == 0) m.reduced[w] = v;
    }
    __syncthreads();
    if (tid == 0) {
      double turned[3], moment[3];
      times(R, m.reduced, turned);
      times(world.inverse_A + 9 * own, turned, moment);
      transposed_times(R, moment, world.spread + 3 * own);
    }
    __syncthreads();
    for (int i = first + tid; i < last; i += NT)
      right_hand_side(d, c, R, world.spread + 3 * own, i, world.held_force, S.rhs + 3 * i);
    barrier();
  }

  __device__ Verdict iterate(int step) {
    if (tid == 0) newton->iteration = 0;
    for (;;) {
      look_at_joints(step);
      find_forces();
      find_right_hand_side();
      for (int t = 0; t < S.stages; ++t) {
        run_stage(S, segments, m.stage[t], m.stage[t + 1], m.in, m.part, stream);
        barrier();
      }
      stream.end_pass();
      hold_joints();
      over_nodes(
          [&](int i, NodeState& node) {
            const Component& c = small.component[own];
            const float solved[3] = {__ldcg(S.x + 3 * i), __ldcg(S.x + 3 * i + 1), __ldcg(S.x + 3 * i + 2)};
            return correct_node(d, c, world.R + 9 * own, i, solved, world.wrenches + c.wrench_at, node);
          },
          [&](double change) {
            *verdict = static_cast<int>(judge(*newton, d.settings, change));
            if (S.block() == 0) d.log[step].iterations = newton->iteration, d.log[step].change = change;
          });
      if (*verdict != static_cast<int>(Verdict::go_on)) return static_cast<Verdict>(*verdict);
    }
  }

  /// False: one of them failed.
  __device__ bool run(int from, int to) {
    const double scale = small.component[own].scale;
    int done = from;
    for (; done < to; ++done) {
      predict_bodies(small, world, BlockLanes{});
      over_nodes(
          [&](int, NodeState& node) {
            const double error = error_of(d.settings, node, scale);
            predict(d.settings, node);
            return error;
          },
          [&](double error) {
            if (done > from && S.block() == 0) d.log[done - 1].error = error;
          });
      const Verdict verdict = iterate(done);
      if (verdict == Verdict::converged) continue;
      if (S.block() == 0 && tid == 0) d.status[0] = done, d.status[1] = static_cast<int>(outcome_of(verdict));
      return false;
    }
    double error[1] = {0};
    for (int i = first + tid; i < last; i += NT)
      error[0] = fmax(error[0], error_of(d.settings, read_node(d, i), scale));
    for (int i = tid; i < d.bodies; i += NT) world.size[i] = error_of_body(small, world, i);
    side ^= 1;
    __syncthreads();
    reduce_block<12, 1>(S.block(), error, m.reduced, partial());
    barrier();
    if (S.block() != 0) return true;
    if (w == 0) {
      const double most = largest(d, partial(), lane);
      if (lane == 0 && done > from) d.log[done - 1].error = with_bodies(small, world, most);
    }
    if (tid == 0) d.status[0] = done, d.status[1] = 0, *d.newton = *newton;
    for (int k = tid; k < d.rows; k += NT) d.lambda[k] = world.lambda[k];
    for (int k = tid; k < 9 * d.components; k += NT) d.R[k] = world.R[k];
    for (int k = tid; k < point_numbers * d.bodies; k += NT) d.body_state[k] = world.points.q[k];
    return true;
  }
};

/// `steps` of them, and `then` after each run of `every`; it ends with a step that fails.
template <class Then>
__device__ void take_steps(const Solve& S, const StepData& d, int steps, int every, Then&& then) {
  const Shared m = carve(S, shared_memory);
  const int tid = threadIdx.x;
  Stream stream;
  stream.begin(S, m.ring, m.barriers, tid >> 5, tid & 31);
  __shared__ StepData small;
  __shared__ double newton_room[(sizeof(NewtonMemory) + 7) / 8];
  NewtonMemory& newton = *reinterpret_cast<NewtonMemory*>(newton_room);
  __shared__ int verdict;
  if (tid == 0) newton = *d.newton;
  for (int k = tid; k < static_cast<int>(sizeof(StepData) / 4); k += NT)
    reinterpret_cast<int*>(&small)[k] = reinterpret_cast<const int*>(&d)[k];
  __syncthreads();
  Stepping stepping{S, d, small, m, stream, load_segments(S, m)};
  if (S.small > 0)
    SmallConstants::place(d, m.small + stepping.world.place(d, m.small), &small, tid, NT);
  else
    stepping.world.place(d, S.far_small + S.far * blockIdx.x);
  stepping.tid = tid, stepping.w = tid >> 5, stepping.lane = tid & 31;
  stepping.newton = &newton, stepping.verdict = &verdict;
  stepping.own = d.block_component[S.block()];
  stepping.first = d.block_first[S.block()], stepping.last = d.block_last[S.block()];
  for (int k = tid; k < d.rows; k += NT) stepping.world.lambda[k] = d.lambda[k];
  for (int k = tid; k < 9 * d.components; k += NT) stepping.world.R[k] = d.R[k];
  for (int k = tid; k < point_numbers * d.bodies; k += NT) stepping.world.points.q[k] = d.body_state[k];
  for (int i = tid; i < d.bodies; i += NT)
    rotation_of(d.body_state + 7 * i + 3, stepping.world.points.R + 9 * i);
  __syncthreads();
  for (int done = 0; done < steps; done += every) {
    const int to = min(done + every, steps);
    if (!stepping.run(done, to)) break;
    then(to);
  }
  stream.drain();
}

__global__ void __launch_bounds__(NT, 1) step_kernel(Solve S, StepData d, int steps) {
  take_steps(S, d, steps, max(steps, 1), [](int) {});
}

/// What an instance of a batch has for itself: its part of each of these.
struct BatchRoom {
  float *rhs, *y, *z, *x;
  double *force, *partial, *dense;
  StepLog* log;
  int* status;
  long long dofs, z_size;
};

__global__ void __launch_bounds__(NT, 1)
    batch_kernel(const __grid_constant__ Solve all, const __grid_constant__ StepData shape,
                 const __grid_constant__ SolidRun run, const __grid_constant__ BatchRoom room) {
  __shared__ Solve S;
  __shared__ StepData d;
  const long long i = blockIdx.x, size = 4LL * shape.nodes;
  if (threadIdx.x == 0) {
    S = all, d = shape;
    S.is_batch = true;
    S.rhs = room.rhs + i * room.dofs, S.y = room.y + i * room.dofs, S.x = room.x + i * room.dofs;
    S.z = room.z + i * room.z_size;
    double* state = run.state + i * state_numbers(shape);
    for (double** part : {&d.q, &d.v, &d.a, &d.a_new, &d.a_old}) *part = state, state += size;
    d.lambda = state, d.R = state + d.rows;
    d.body_state = d.R + 9 * d.components;
    d.newton = reinterpret_cast<NewtonMemory*>(d.body_state + point_numbers * d.bodies);
    d.dense = room.dense + i * dense_numbers(shape);
    d.force = room.force + i * size, d.partial = room.partial + i * 2 * partials;
    d.log = room.log + i * run.steps, d.status = room.status + 2 * i;
    d.courses = run.courses + i * run.courses_apart;
  }
  __syncthreads();
  const auto show = [&](int steps) {
    if (steps % run.every != 0) return;
    double* to =
        run.outputs + (steps / run.every * static_cast<long long>(run.instances) + i) * output_numbers(shape);
    __syncthreads();
    for (long long k = threadIdx.x; k < 2 * size; k += NT) to[k] = k < size ? d.q[k] : d.v[k - size];
    for (int k = threadIdx.x; k < point_outputs * d.bodies; k += NT) to[2 * size + k] = d.body_state[k];
  };
  show(0);
  take_steps(S, d, run.steps, run.every, show);
}

// --- the factor

__global__ void mark_nodes(int* place, int* mark, const int* border, int first, int own, int count,
                           int front) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= own + count) return;
  const int node = k < own ? first + k : border[k - own];
  place[node] = k;
  mark[node] = front;
}

__global__ void assemble(double* F, int size, const int* place, const int* mark, int first, int own,
                         int front, StepData d, const int* component_of, const double* mass_weight,
                         const double* stiffness_weight) {
  const int k = blockIdx.x, i = first + k;
  const double m = mass_weight[component_of[i]], s = stiffness_weight[component_of[i]];
  const int begin = 8 * d.neighbours_at[i];
  for (int e = begin + threadIdx.x; e < 8 * d.neighbours_at[i + 1]; e += blockDim.x) {
    const int j = d.neighbours[e];
    if (mark[j] != front || (j == i && e > begin)) continue;  // those after the first are there to fill eight
    const int at = place[j];
    for (int q = 0; q < 9; ++q) {
      const double value =
          s * d.stiffness[72LL * (e / 8) + 8 * q + e % 8] + (q % 4 == 0 ? m * d.mass[e] : 0.0);
      F[(3 * k + q / 3) + static_cast<std::size_t>(3 * at + q % 3) * size] = value;
      if (at >= own) F[(3 * at + q % 3) + static_cast<std::size_t>(3 * k + q / 3) * size] = value;
    }
  }
}

__global__ void add_child(double* F, int size, const double* left, int dofs, const int* border,
                          const int* place) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= dofs) return;
  const int to_i = 3 * place[border[i / 3]] + i % 3, to_j = 3 * place[border[j / 3]] + j % 3;
  F[to_i + static_cast<std::size_t>(to_j) * size] += left[i + static_cast<std::size_t>(j) * dofs];
}

__global__ void copy_corner(double* D, int n, const double* F, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i < n) D[i + static_cast<std::size_t>(j) * n] = F[i + static_cast<std::size_t>(j) * size];
}
__global__ void fill_upper(double* D, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i < j) D[i + static_cast<std::size_t>(j) * n] = D[j + static_cast<std::size_t>(i) * n];
}

__global__ void write_plain(float* forward, float* backward, const double* D, const double* W, int n, int m) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  const float v = static_cast<float>(i < n ? D[j + static_cast<std::size_t>(i) * n]
                                           : -W[(i - n) + static_cast<std::size_t>(j) * m]);
  forward[static_cast<std::size_t>(i) * n + j] = v;
  if (i >= n) backward[static_cast<std::size_t>(j) * m + (i - n)] = v;
}

__global__ void pack(Solve S, float4* stream, const int* unit_at, const std::int64_t* forward_at,
                     const std::int64_t* backward_at, const float* plain) {
  const int b = blockIdx.x / S.stages, w = threadIdx.x >> 5, lane = threadIdx.x & 31;
  for (int s = S.first_segment[blockIdx.x]; s < S.first_segment[blockIdx.x + 1]; ++s) {
    const Segment g = S.segments[s];
    const bool back = g.kind == Segment::backward;
    const int rows = back ? g.own : g.own + g.border, columns = back ? g.border : g.own;
    const float* A = plain + (back ? backward_at : forward_at)[g.front];
    const int u0 = g.units * w / NW, u1 = g.units * (w + 1) / NW;
    for (int u = u0; u < u1; ++u) {
      const int row = g.first_row + u / g.columns * rows_in_unit + (lane >> 3),
                col = u % g.columns * columns_in_unit + (lane & 7) * 4;
      float v[4];
      for (int k = 0; k < 4; ++k)
        v[k] = row < rows && col + k < columns ? A[static_cast<std::size_t>(row) * columns + col + k] : 0.0f;
      stream[(S.stream_at[b * NW + w] + unit_at[s * NW + w] + (u - u0)) * 32 + lane] =
          make_float4(v[0], v[1], v[2], v[3]);
    }
  }
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Device final : public CudaDevice {
 public:
  Device(const Layout& layout, const StepData& host, const Weights& weights);
  void solve(const float* b, float* x) override;
  void set_responses(const float* response, std::size_t responses, const double* compliance,
                     std::size_t compliances) override;
  void write(double* StepData::*where, const double* values, std::size_t count) override;
  void read(double* StepData::*where, double* values, std::size_t count) const override;
  void write(const NewtonMemory& newton) override;
  NewtonMemory newton() const override;
  int advance(int steps, const double* courses, std::size_t course_values, StepLog* log) override;
  void run(const SolidRun& run) override;
  double bytes() const override { return static_cast<double>(bytes_); }
  double seconds() const override { return seconds_; }
  double factor_seconds() const override { return factor_seconds_; }
  std::string name() const override { return name_; }
  ~Device() override {
    for (void* p : memory) cudaFree(p);
    if (begin) cudaEventDestroy(begin);
    if (end) cudaEventDestroy(end);
  }

 private:
  Solve S{};
  StepData d{};
  std::vector<void*> memory;
  std::string name_;
  double* saved = nullptr;  ///< of q, v, a, a_new, a_old
  double* courses = nullptr;
  std::size_t course_room = 0, log_room = 0, z_size = 0;
  std::size_t bytes_ = 0;
  double factor_seconds_ = 0, seconds_ = 0;
  cudaEvent_t begin = nullptr, end = nullptr;

  template <class T>
  T* room(std::size_t count) {
    void* p = nullptr;
    const std::size_t size = std::max<std::size_t>(count, 1) * sizeof(T);
    check(cudaMalloc(&p, size), "no memory");
    memory.push_back(p);
    bytes_ += size;
    check(cudaMemset(p, 0, size), "memset");
    return static_cast<T*>(p);
  }
  template <class T>
  T* put(const T* values, std::size_t count) {
    T* p = room<T>(count);
    if (count > 0) check(cudaMemcpy(p, values, count * sizeof(T), cudaMemcpyHostToDevice), "copy");
    return p;
  }
  template <class T>
  T* put(const std::vector<T>& values) {
    return put(values.data(), values.size());
  }
  void release(void* p, std::size_t size) {
    check(cudaFree(p), "free");
    memory.erase(std::find(memory.begin(), memory.end(), p));
    bytes_ -= size;
  }
  void factorize(const Layout& layout, const Weights& weights, const float* plain);
  void launch(const void* kernel, int blocks, void** arguments);
};

void Device::factorize(const Layout& layout, const Weights& weights, const float* plain_given) {
  auto* plain = const_cast<float*>(plain_given);
  std::vector<int*> border(layout.fronts.size());
  const int nodes = d.nodes, components = d.components;
  int* all_borders = put(layout.border_nodes);
  std::size_t at = 0, corner = 1, below = 1, whole = 1;
  for (std::size_t f = 0; f < layout.fronts.size(); ++f) {
    const Front& front = layout.fronts[f];
    border[f] = all_borders + at;
    at += front.border.size();
    const std::size_t n = front.own_dofs(), m = front.border_dofs();
    corner = std::max(corner, n * n), below = std::max(below, n * m),
    whole = std::max(whole, (n + m) * (n + m));
  }
  const std::size_t held = memory.size();
  const std::size_t before = bytes_;
  int *place = room<int>(nodes), *mark = room<int>(nodes), *component_of = put(weights.component_of, nodes),
      *info = room<int>(1);
  check(cudaMemset(mark, 0xff, static_cast<std::size_t>(nodes) * 4), "memset");
  double *mass = put(weights.mass, components), *stiffness = put(weights.stiffness, components);
  double *D = room<double>(corner), *W = room<double>(below), *F = room<double>(whole);
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  check_library(cublasCreate(&blas), "cublasCreate");
  check_library(cusolverDnCreate(&solver), "cusolverDnCreate");
  int most = 1024;
  for (const Front& front : layout.fronts) {
    int a = 0, b = 0;
    const int n = front.own_dofs();
    if (n == 0) continue;
    check_library(cusolverDnDpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, n, D, n, &a), "potrf");
    check_library(cusolverDnDpotri_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, n, D, n, &b), "potri");
    most = std::max({most, a, b});
  }
  double* work = room<double>(most);
  cudaMemPool_t pool;
  check(cudaDeviceGetDefaultMemPool(&pool, 0), "pool");
  std::uint64_t keep = ~0ull;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "pool");
  std::vector<double*> left(layout.fronts.size(), nullptr);
  std::vector<int> faults(layout.fronts.size(), 0);
  const double one = 1, zero = 0, minus = -1;
  bool is_positive = true;
  for (std::size_t f = 0; f < layout.fronts.size(); ++f) {
    const Front& front = layout.fronts[f];
    const int n = front.own_dofs(), m = front.border_dofs(), size = n + m,
              count = static_cast<int>(front.border.size());
    if (n == 0 && front.children.empty()) continue;
    check(cudaMemsetAsync(F, 0, static_cast<std::size_t>(size) * size * 8), "memset");
    mark_nodes<<<(size / 3 + 255) / 256, 256>>>(place, mark, border[f], front.first, front.count, count,
                                                static_cast<int>(f));
    if (front.count > 0)
      assemble<<<front.count, 32>>>(F, size, place, mark, front.first, front.count, static_cast<int>(f), d,
                                    component_of, mass, stiffness);
    for (int child : front.children) {
      const int dofs = layout.fronts[child].border_dofs();
      if (dofs == 0) continue;
      add_child<<<dim3((dofs + 127) / 128, dofs), 128>>>(F, size, left[child], dofs, border[child], place);
      check(cudaFreeAsync(left[child], 0), "free");
    }
    if (n > 0) {
      copy_corner<<<dim3((n + 127) / 128, n), 128>>>(D, n, F, size);
      check_library(cusolverDnDpotrf(solver, CUBLAS_FILL_MODE_LOWER, n, D, n, work, most, info), "potrf");
      if (f % 16 == 0 || front.parent < 0) {
        int fault = 0;
        check(cudaMemcpy(&fault, info, 4, cudaMemcpyDeviceToHost), "copy");
        is_positive = is_positive && fault == 0;
      }
      check_library(cusolverDnDpotri(solver, CUBLAS_FILL_MODE_LOWER, n, D, n, work, most, info), "potri");
      fill_upper<<<dim3((n + 127) / 128, n), 128>>>(D, n);
    }
    if (m > 0) {
      if (n > 0) {
        check_library(
            cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, n, &one, F + n, size, D, n, &zero, W, m),
            "gemm");
        check_library(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, m, m, n, &minus, W, m, F + n, size, &one,
                                  F + n + static_cast<std::size_t>(n) * size, size),
                      "gemm");
      }
      check(cudaMallocAsync(reinterpret_cast<void**>(&left[f]), static_cast<std::size_t>(m) * m * 8, 0),
            "no memory");
      check(cudaMemcpy2DAsync(left[f], static_cast<std::size_t>(m) * 8,
                              F + n + static_cast<std::size_t>(n) * size, static_cast<std::size_t>(size) * 8,
                              static_cast<std::size_t>(m) * 8, m, cudaMemcpyDeviceToDevice, 0),
            "copy");
    }
    if (n > 0)
      write_plain<<<dim3((n + 127) / 128, n + m), 128>>>(plain + layout.forward_at[f],
                                                         plain + layout.backward_at[f], D, W, n, m);
    check(cudaGetLastError(), "factor");
  }
  check(cudaDeviceSynchronize(), "factor");
  cusolverDnDestroy(solver);
  cublasDestroy(blas);
  check(cudaMemPoolTrimTo(pool, 0), "pool");
  while (memory.size() > held) {
    check(cudaFree(memory.back()), "free");
    memory.pop_back();
  }
  bytes_ = before;
  if (!is_positive) throw std::runtime_error("Newton's matrix is not positive definite");
}

Device::Device(const Layout& layout, const StepData& host, const Weights& weights) {
  Device& p = *this;
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "no device");
  p.name_ = properties.name;
  check(cudaEventCreate(&p.begin), "event");
  check(cudaEventCreate(&p.end), "event");
  if (layout.stages >= most_stages) throw std::runtime_error("the plan has too many stages for the device");

  StepData& d = p.d = host;
  const std::size_t nodes = host.nodes, groups = host.neighbours_at[host.nodes];
  d.component = p.put(host.component, host.components), d.hold = p.put(host.hold, host.holds);
  d.row = p.put(host.row, host.rows), d.load = p.put(host.load, host.loads);
  d.body = p.put(host.body, host.bodies), d.rows_at = p.put(host.rows_at, host.holds + 1);
  d.rows_of = p.put(host.rows_of, 2 * static_cast<std::size_t>(host.rows));
  d.body_state = p.room<double>(point_numbers * static_cast<std::size_t>(host.bodies));
  d.dense = p.room<double>(static_cast<std::size_t>(dense_numbers(host)));
  d.held_node = p.put(host.held_node, host.held), d.held_by = p.put(host.held_by, host.held);
  d.held_arm = p.put(host.held_arm, 3 * static_cast<std::size_t>(host.held));
  d.touch = p.put(host.touch, nodes), d.next_touch = p.put(host.next_touch, host.held);
  d.neighbours_at = p.put(host.neighbours_at, nodes + 1), d.neighbours = p.put(host.neighbours, 8 * groups);
  d.stiffness = p.put(host.stiffness, 72 * groups), d.mass = p.put(host.mass, 8 * groups);
  d.X = p.put(host.X, 4 * nodes), d.ext = p.put(host.ext, 4 * nodes);
  d.block_component = p.put(host.block_component, host.blocks);
  d.block_first = p.put(host.block_first, host.blocks), d.block_last = p.put(host.block_last, host.blocks);
  for (auto part :
       {&StepData::q, &StepData::v, &StepData::a, &StepData::a_new, &StepData::a_old, &StepData::force})
    d.*part = p.room<double>(4 * nodes);
  p.saved = p.room<double>(20 * nodes);
  d.partial = p.room<double>(2 * partials * static_cast<std::size_t>(host.blocks));
  d.lambda = p.room<double>(host.rows), d.R = p.room<double>(9 * static_cast<std::size_t>(host.components));
  d.newton = p.room<NewtonMemory>(1);
  d.status = p.room<int>(2);

  Solve& S = p.S;
  S.segments = p.put(layout.segments), S.first_segment = p.put(layout.first_segment);
  S.stream_at = p.put(layout.stream_at), S.stream_chunks = p.put(layout.stream_chunks);
  S.gathers = p.put(layout.gathers), S.more = p.put(layout.more), S.border_nodes = p.put(layout.border_nodes);
  S.rhs = p.room<float>(layout.dofs), S.y = p.room<float>(layout.dofs), S.x = p.room<float>(layout.dofs);
  z_size = static_cast<std::size_t>(layout.z_size) + 3;
  S.z = p.room<float>(z_size);
  S.stages = layout.stages, S.blocks = layout.blocks, S.widest = layout.widest,
  S.most_groups = layout.most_groups;
  S.arrived = p.room<unsigned>(64);
  SmallWorld sizes{};
  S.small = static_cast<int>(sizes.place(d, nullptr) + SmallConstants::place(d, nullptr, nullptr, 0, 1) + 1) /
            2 * 2;  // what follows is read sixteen bytes at a time
  const auto fits = [&] { return shared_bytes(S) <= properties.sharedMemPerBlockOptin; };
  for (S.slots = most_slots; S.slots > 2 && !fits();) --S.slots;
  if (!fits()) {
    S.small = 0, S.far = sizes.place(d, nullptr);
    S.far_small = p.room<double>(static_cast<std::size_t>(S.far) * layout.blocks);
    for (S.slots = most_slots; S.slots > 2 && !fits();) --S.slots;
  }
  if (!fits()) throw std::runtime_error("fronts are too large for the memory of a multiprocessor");

  const double start = now();
  float* plain = p.room<float>(static_cast<std::size_t>(layout.plain_size));
  p.factorize(layout, weights, plain);
  float4* stream = p.room<float4>(static_cast<std::size_t>(layout.stream_units) * 32);
  S.stream = stream;
  int* unit_at = p.put(layout.unit_at);
  std::int64_t *forward = p.put(layout.forward_at), *backward = p.put(layout.backward_at);
  pack<<<layout.blocks * layout.stages, NT>>>(S, stream, unit_at, forward, backward, plain);
  check(cudaDeviceSynchronize(), "pack");
  p.release(plain, static_cast<std::size_t>(layout.plain_size) * sizeof(float));
  p.factor_seconds_ = now() - start;
}

void Device::launch(const void* kernel, int blocks, void** arguments) {
  const std::size_t shared = shared_bytes(S);
  check(cudaMemsetAsync(S.arrived, 0, 4), "memset");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "shared memory");
  check(cudaEventRecord(begin), "event");
  if (blocks > 0)  // which do not wait for each other
    check(cudaLaunchKernel(kernel, dim3(blocks), dim3(NT), arguments, shared, 0), "launch");
  else
    check(cudaLaunchCooperativeKernel(kernel, dim3(S.blocks), dim3(NT), arguments, shared, 0), "launch");
  check(cudaEventRecord(end), "event");
  check(cudaDeviceSynchronize(), "run");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin, end), "event");
  seconds_ += 1e-3 * ms;
}

void Device::solve(const float* b, float* x) {
  Device& p = *this;
  p.seconds_ = 0;
  const std::size_t size = 12 * static_cast<std::size_t>(p.d.nodes);
  check(cudaMemcpy(p.S.rhs, b, size, cudaMemcpyHostToDevice), "copy");
  void* arguments[] = {&p.S};
  p.launch(reinterpret_cast<const void*>(solve_kernel), 0, arguments);
  check(cudaMemcpy(x, p.S.x, size, cudaMemcpyDeviceToHost), "copy");
}

void Device::set_responses(const float* response, std::size_t responses, const double* compliance,
                           std::size_t compliances) {
  d.response = put(response, responses);
  d.compliance = put(compliance, compliances);
}

void Device::write(double* StepData::*where, const double* values, std::size_t count) {
  check(cudaMemcpy(d.*where, values, count * 8, cudaMemcpyHostToDevice), "copy");
}
void Device::read(double* StepData::*where, double* values, std::size_t count) const {
  check(cudaMemcpy(values, d.*where, count * 8, cudaMemcpyDeviceToHost), "copy");
}
void Device::write(const NewtonMemory& newton) {
  check(cudaMemcpy(d.newton, &newton, sizeof newton, cudaMemcpyHostToDevice), "copy");
}
NewtonMemory Device::newton() const {
  NewtonMemory newton;
  check(cudaMemcpy(&newton, d.newton, sizeof newton, cudaMemcpyDeviceToHost), "copy");
  return newton;
}

int Device::advance(int steps, const double* courses, std::size_t course_values, StepLog* log) {
  Device& p = *this;
  StepData& d = p.d;
  const std::size_t size = 4 * static_cast<std::size_t>(d.nodes);
  if (course_values > p.course_room) p.courses = p.room<double>(p.course_room = course_values);
  if (static_cast<std::size_t>(steps) > p.log_room) d.log = p.room<StepLog>(p.log_room = steps);
  if (course_values > 0)
    check(cudaMemcpy(p.courses, courses, course_values * 8, cudaMemcpyHostToDevice), "copy");
  d.courses = p.courses;
  const auto each_part = [&](auto&& f) {
    std::size_t at = 0;
    for (auto part : {&StepData::q, &StepData::v, &StepData::a, &StepData::a_new, &StepData::a_old}) {
      f(d.*part, p.saved + at);
      at += size;
    }
  };
  each_part([&](double* now, double* saved) {
    check(cudaMemcpyAsync(saved, now, size * 8, cudaMemcpyDeviceToDevice), "copy");
  });
  p.seconds_ = 0;
  void* arguments[] = {&p.S, &d, &steps};
  p.launch(reinterpret_cast<const void*>(step_kernel), 0, arguments);
  int status[2];
  check(cudaMemcpy(status, d.status, sizeof status, cudaMemcpyDeviceToHost), "copy");
  check(cudaMemcpy(log, d.log, sizeof(StepLog) * static_cast<std::size_t>(steps), cudaMemcpyDeviceToHost),
        "copy");
  if (status[0] == steps) return steps;
  // The same steps again, but for the one that fails.
  each_part([&](double* now, double* saved) {
    check(cudaMemcpyAsync(now, saved, size * 8, cudaMemcpyDeviceToDevice), "copy");
  });
  if (steps = status[0]; steps > 0) p.launch(reinterpret_cast<const void*>(step_kernel), 0, arguments);
  return steps;
}

void Device::run(const SolidRun& given) {
  if (S.blocks != 1) throw std::runtime_error("a batch takes a plan for one block");
  SolidRun run = given;
  const std::size_t instances = run.instances, nodes = d.nodes, state = instances * state_numbers(d),
                    outputs = instances * output_numbers(d) * (run.steps / run.every + 1);
  const std::size_t held = memory.size(), before = bytes_;
  run.state = put(given.state, state);
  run.courses = put(given.courses, given.courses_apart > 0
                                       ? given.courses_apart * instances
                                       : static_cast<std::size_t>(run.steps) * (2 * d.drives + 6 * d.loads));
  run.outputs = put(given.outputs, outputs);
  BatchRoom room_{};
  room_.dofs = 3 * static_cast<long long>(nodes), room_.z_size = z_size;
  room_.rhs = room<float>(instances * room_.dofs), room_.y = room<float>(instances * room_.dofs);
  room_.x = room<float>(instances * room_.dofs), room_.z = room<float>(instances * room_.z_size);
  room_.force = room<double>(instances * 4 * nodes), room_.partial = room<double>(instances * 2 * partials);
  room_.dense = room<double>(instances * dense_numbers(d));
  double* const far_small = S.far_small;
  if (S.small == 0) S.far_small = room<double>(instances * S.far);
  room_.log = room<StepLog>(instances * run.steps), room_.status = room<int>(2 * instances);
  seconds_ = 0;
  void* arguments[] = {&S, &d, &run, &room_};
  launch(reinterpret_cast<const void*>(batch_kernel), run.instances, arguments);
  check(cudaMemcpy(given.state, run.state, state * 8, cudaMemcpyDeviceToHost), "copy");
  check(cudaMemcpy(given.outputs, run.outputs, outputs * 8, cudaMemcpyDeviceToHost), "copy");
  std::vector<int> status(2 * instances);
  std::vector<StepLog> steps(instances * run.steps);
  check(cudaMemcpy(status.data(), room_.status, status.size() * sizeof(int), cudaMemcpyDeviceToHost), "copy");
  check(cudaMemcpy(steps.data(), room_.log, steps.size() * sizeof(StepLog), cudaMemcpyDeviceToHost), "copy");
  for (std::size_t i = 0; i < instances; ++i) {
    given.log[i] = sum_of(&steps[i * run.steps], status[2 * i], status[2 * i + 1], d.settings.hopeless);
  }
  while (memory.size() > held) {
    check(cudaFree(memory.back()), "free");
    memory.pop_back();
  }
  bytes_ = before;
  S.far_small = far_small;
}

}  // namespace

extern "C" {

int hooke_cuda_blocks(std::string* given) {
  std::string& why = *given;
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess || count == 0) {
    why = std::string("there is no graphics card that CUDA finds (") +
          (status == cudaSuccess ? "none" : cudaGetErrorString(status)) + ")";
    cudaGetLastError();
    return 0;
  }
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || properties.major < 9) {
    why = std::string("the graphics card ") + properties.name + " is older than compute capability 9.0";
    return 0;
  }
  return properties.multiProcessorCount;
}

CudaDevice* hooke_cuda_make(const Layout* layout, const StepData* host, const CudaDevice::Weights* weights) {
  return new Device(*layout, *host, *weights);
}
}

}  // namespace hooke::gpu
