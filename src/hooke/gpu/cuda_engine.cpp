#include "hooke/gpu/cuda_engine.h"

#include <dlfcn.h>

#include <filesystem>

#include "hooke/base/format.h"
#include "hooke/gpu/cuda_device.h"

namespace hooke::gpu {
namespace {

/// The library hooke_cuda, which lies beside what this code is in, or a folder above.
struct Library {
  decltype(&hooke_cuda_blocks) blocks = nullptr;
  decltype(&hooke_cuda_make) make = nullptr;
  decltype(&hooke_cuda_mechanisms) mechanisms = nullptr;
  std::string why;

  Library() {
    Dl_info here{};
    if (!dladdr(reinterpret_cast<const void*>(&make_cuda_engine), &here)) return;
    std::error_code ignored;
    const auto folder = std::filesystem::weakly_canonical(here.dli_fname, ignored).parent_path();
    why = "this program was built without GPU";
    for (const char* place : {".", "..", "../lib/hooke", "../lib"}) {
      const auto path = folder / place / "libhooke_cuda.so";
      if (!std::filesystem::exists(path, ignored)) continue;
      void* const loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!loaded) {
        why = formatted("CUDA cannot be loaded: {}", dlerror());
        return;
      }
      blocks = reinterpret_cast<decltype(blocks)>(dlsym(loaded, "hooke_cuda_blocks"));
      make = reinterpret_cast<decltype(make)>(dlsym(loaded, "hooke_cuda_make"));
      mechanisms = reinterpret_cast<decltype(mechanisms)>(dlsym(loaded, "hooke_cuda_mechanisms"));
      return;
    }
  }
  static const Library& get() {
    static const Library library;
    return library;
  }
};

constexpr std::array state_parts{&StepData::q,     &StepData::v,      &StepData::a, &StepData::a_new,
                                 &StepData::a_old, &StepData::lambda, &StepData::R, &StepData::body_state};
auto vectors_of(auto& state) {
  return std::array{&state.q,     &state.v,      &state.a, &state.a_new,
                    &state.a_old, &state.lambda, &state.R, &state.bodies};
}

class Cuda final : public CudaEngine {
 public:
  explicit Cuda(const DeviceModel& model) : model_(model) {
    const StepData data = model.data();
    const CudaDevice::Weights weights{model.component_of.data(), model.mass_weight.data(),
                                      model.stiffness_weight.data()};
    device_.reset(Library::get().make(&model.layout, &data, &weights));
  }

  void solve(const std::vector<float>& b, std::vector<float>& x) override {
    x.resize(b.size());
    device_->solve(b.data(), x.data());
  }
  void set_responses(const std::vector<float>& response, const std::vector<double>& compliance) override {
    device_->set_responses(response.data(), response.size(), compliance.data(), compliance.size());
  }
  void set_state(const DeviceState& state) override {
    const auto vectors = vectors_of(state);
    for (std::size_t k = 0; k < vectors.size(); ++k)
      device_->write(state_parts[k], vectors[k]->data(), vectors[k]->size());
    device_->write(state.newton);
  }
  DeviceState state() const override {
    DeviceState state;
    const auto vectors = vectors_of(state);
    for (std::size_t k = 0; k < 5; ++k) vectors[k]->resize(4 * model_.component_of.size());
    state.lambda.resize(model_.rows.size()), state.R.resize(9 * model_.components.size());
    state.bodies.resize(point_numbers * model_.bodies.size());
    for (std::size_t k = 0; k < vectors.size(); ++k) {
      device_->read(state_parts[k], vectors[k]->data(), vectors[k]->size());
    }
    state.newton = device_->newton();
    return state;
  }
  int advance(int steps, const std::vector<double>& courses, std::vector<StepLog>& log) override {
    log.assign(steps, {});
    return device_->advance(steps, courses.data(), courses.size(), log.data());
  }
  void run(const SolidRun& run) override { device_->run(run); }
  std::string name() const override { return device_->name(); }
  double bytes() const override { return device_->bytes(); }
  double seconds() const override { return device_->seconds(); }
  double factor_seconds() const override { return device_->factor_seconds(); }

 private:
  const DeviceModel& model_;
  std::unique_ptr<CudaDevice> device_;
};

}  // namespace

int device_blocks(std::string& why) {
  const Library& library = Library::get();
  if (library.blocks && library.make && library.mechanisms) return library.blocks(&why);
  why = library.why;
  return 0;
}

double run_mechanisms(const MechanismRun& run) { return Library::get().mechanisms(&run); }

std::unique_ptr<CudaEngine> make_cuda_engine(const DeviceModel& model, std::string& why) {
  if (device_blocks(why) == 0) return nullptr;
  return std::make_unique<Cuda>(model);
}

}  // namespace hooke::gpu
