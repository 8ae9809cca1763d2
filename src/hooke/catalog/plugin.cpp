#include "hooke/catalog/plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "hooke/catalog/block_settings.h"
#include "hooke/catalog/control_builder.h"

namespace hooke {
namespace {

/// Stays loaded: what was taken from it may be used to the end.
std::span<const hooke_block> open_plugin(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Error(ExitCode::file, formatted("cannot load '{}': {}", path, dlerror()));
  const auto version = reinterpret_cast<int (*)()>(dlsym(library, "hooke_plugin_version"));
  const auto blocks = reinterpret_cast<const hooke_block* (*)(int*)>(dlsym(library, "hooke_blocks"));
  if (!version || !blocks)
    throw Error(
        ExitCode::bad_model,
        formatted("'{}' is no plugin: it does not export hooke_plugin_version and hooke_blocks", path));
  if (version() != HOOKE_PLUGIN_VERSION)
    throw Error(ExitCode::bad_model, formatted("'{}' is for version {} of plugins, not {}: compile it again",
                                               path, version(), HOOKE_PLUGIN_VERSION));
  int count = 0;
  const hooke_block* first = blocks(&count);
  return {first, static_cast<std::size_t>(std::max(0, count))};
}

}  // namespace

void Builder::open_plugins() {
  if (model_->plugin.empty()) return;
  if (!model_->allows_code)
    return error(
        "plugin",
        "the model loads code, from '{}'. If you trust it, allow it: --allow-code, or allows_code in a "
        "program",
        model_->plugin.front());
  for (std::size_t k = 0; k < model_->plugin.size(); ++k) try {
      const std::filesystem::path beside = std::filesystem::path(model_->locate("plugin").file).parent_path();
      const std::filesystem::path path = std::filesystem::absolute(beside / model_->plugin[k]);
      for (const hooke_block& block : open_plugin(path.string())) code_.emplace(block.name, &block);
    } catch (const Error& problem) {
      error("plugin", "{}", problem.what());
    }
}

void CodeBlock::add_block(const std::string& block, ControlBuilder& to) const {
  if (code.code) return add_code(block, to);
  const std::string path = "control." + block + ".code";
  const hooke_block* const found = to.find_code(code.name, path);
  if (!found) return;
  if (static_cast<std::size_t>(found->inputs) != inputs.size())
    return to.model().error(path, "'{}' has {} inputs, not {}", code.name, found->inputs, inputs.size());
  if (!found->output || (found->states > 0 && !found->rates) || found->inputs < 0 || found->states < 0 ||
      found->inputs + found->states > 31)
    return to.model().error(
        path, "'{}' lacks an output or the rates of its states, or has more than 31 of both", code.name);
  const int n = found->inputs, m = found->states;
  std::vector<Network::Slot> all;
  for (int i = 0; i < n; ++i)
    all.push_back(
        to.formula(inputs[static_cast<std::size_t>(i)].text, formatted("control.{}.inputs[{}]", block, i)));
  std::vector<Network::Slot> z;
  for (int k = 0; k < m; ++k)
    z.push_back(to.state(formatted("{}.z{}", block, k + 1), found->start ? found->start[k] : 0, of.size));
  all.insert(all.end(), z.begin(), z.end());
  all.push_back(to.time());
  to.define(block, to.signal(block, all, by_differences([=](std::span<const double> x) {
                               return found->output(x[n + m], x.data(), x.data() + n);
                             })));
  for (int k = 0; k < m; ++k)
    to.set_rate(z[k], to.signal(formatted("{}.z{}'", block, k + 1), all,
                                by_differences([=](std::span<const double> x) {
                                  std::array<double, 32> rates{};
                                  found->rates(x[n + m], x.data(), x.data() + n, rates.data());
                                  return rates[static_cast<std::size_t>(k)];
                                })));
  to.model().note(formatted("control block '{}': derivatives of its code are taken by differences", block));
}

CodeBlock CodeBlock::of_inputs(const std::vector<std::string>& inputs,
                               std::function<double(const Measured&)> code) {
  CodeBlock block;
  block.code.code = std::make_shared<const UserCode>(code_of_names(inputs, std::move(code)));
  for (const std::string& input : inputs) block.inputs.push_back({input});
  return block;
}

void CodeBlock::add_code(const std::string& block, ControlBuilder& to) const {
  if (inputs.size() > Expression::max_arguments)
    return to.model().error("control." + block + ".inputs", "code takes at most {} inputs, not {}",
                            Expression::max_arguments, inputs.size());
  std::vector<Network::Slot> all;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    all.push_back(to.formula(inputs[i].text, formatted("control.{}.inputs[{}]", block, i)));
  const auto& function = code.code->function;
  if (code.code->has_derivatives) return to.define(block, to.signal(block, all, function));
  to.define(block, to.signal(block, all, by_differences([function](std::span<const double> x) {
                               return function(x, {});
                             })));
  to.model().note(formatted("control block '{}': derivatives of its code are taken by differences", block));
}

const hooke_block* ControlBuilder::find_code(const std::string& name, const std::string& path) {
  const auto found = builder_.code_.find(name);
  if (found != builder_.code_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, block] : builder_.code_) names.push_back(known);
  builder_.error(path, "no plugin of the model has a block '{}'{}{}", name, suggest(name, names),
                 builder_.model_->plugin.empty() ? "; name the library under 'plugin'" : "");
  return nullptr;
}

}  // namespace hooke
