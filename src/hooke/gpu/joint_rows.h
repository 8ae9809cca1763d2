#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "hooke/forces/point_load.h"
#include "hooke/gpu/step_data.h"
#include "hooke/integrators/generalized_alpha.h"
#include "hooke/system/system.h"

/// What a device knows of a system besides its bodies, and of its integrator.
namespace hooke::gpu {

/// Body `body`, if it is one of type B.
template <class B>
const B* body_of(const System& system, int body) {
  const auto [batch, index] = system.body_item(body);
  const auto* same = dynamic_cast<const BodyBatch<B>*>(batch);
  return same ? &same->bodies[index] : nullptr;
}
template <class B>
const typename B::Frame& local_frame(const System& system, int frame) {
  const auto* batch =
      static_cast<const BodyBatch<B>*>(system.body_item(system.frame_map().frames[frame].body).first);
  return std::find_if(batch->frames.begin(), batch->frames.end(),
                      [&](const auto& attachment) { return attachment.frame == frame; })
      ->local;
}

/// Of what no device does, whatever the bodies are: the first thing there is; empty: nothing.
std::string refusal_of_any(const System& system, const GeneralizedAlphaSettings& settings);

StepSettings step_settings(const System& system, const GeneralizedAlphaSettings& integrator, double h);

/// The rows of a constraint, with holds left open; a drive's function is added to `drives`. False: it is not known here.
bool rows_of(const System& system, int c, std::vector<Row>& rows, std::vector<Function>& drives);

/// Null: it is no load.
const PointLoad* load_of(const System& system, int f);

}  // namespace hooke::gpu
