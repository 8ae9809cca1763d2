#include "hooke/io/document/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "hooke/io/document/text_file.h"

namespace hooke {
namespace {

[[noreturn]] void fail(const Location& at, const std::string& message) {
  throw ModelError({{at, "", message}});
}

/// Builds the tree from the parser's events. (yaml-cpp's own Node would lose nothing, but it shares the
/// targets of aliases, so that a small file can stand for an endless tree, and takes some hundred bytes for
/// each number.)
class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& name, Budget& budget)
      : file_(std::make_shared<const std::string>(name)), budget_(budget) {}

  Value take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) fail(at(mark), "only one YAML document per file (a second one begins here)");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    close(start(mark, Value::Kind::null, anchor));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    budget_.spend(Budget::cost_of_text(text.size()), at(mark));
    Open open = start(mark, Value::Kind::scalar, anchor);
    open.value.text = text;
    open.value.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    close(std::move(open));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end()) fail(at(mark), "this alias stands inside the value it refers to");
    budget_.spend(target->second.cost, at(mark));
    check_depth(target->second.height, mark);
    close({.value = target->second.value, .cost = target->second.cost, .height = target->second.height});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back(start(mark, Value::Kind::sequence, anchor));
    check_depth(0, mark);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back(start(mark, Value::Kind::mapping, anchor));
    check_depth(0, mark);
  }
  void OnSequenceEnd() override { close_top(); }
  void OnMapEnd() override { close_top(); }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor = 0;
    std::size_t cost = 1;  // of the whole below
    int height = 1;
    bool has_key = false;  // of a mapping: a key was read that waits for its value
    Value key = {};
  };

  Location at(const YAML::Mark& mark) const { return {*file_, mark.line + 1, mark.column + 1}; }

  void check_depth(int below, const YAML::Mark& mark) const {
    if (!limits::nesting.holds(static_cast<double>(open_.size()) + below))
      fail(at(mark), formatted("nested more than {} levels deep", limits::nesting.most));
  }

  Open start(const YAML::Mark& mark, Value::Kind kind, YAML::anchor_t anchor) {
    budget_.spend(1, at(mark));
    Open open{.value = {}, .anchor = anchor};
    open.value.kind = kind;
    open.value.line = mark.line + 1;
    open.value.column = mark.column + 1;
    open.value.file = file_;
    return open;
  }

  void close_top() {
    Open open = std::move(open_.back());
    open_.pop_back();
    close(std::move(open));
  }

  void close(Open open) {
    if (open.value.is_scalar()) open.cost = Budget::cost_of_text(open.value.text.size());
    if (open.anchor != 0) {
      budget_.spend(open.cost, open.value.location());
      anchors_[open.anchor] = open;
    }
    if (open_.empty()) {
      root_ = std::move(open.value);
      return;
    }
    Open& parent = open_.back();
    parent.cost += open.cost;
    parent.height = std::max(parent.height, open.height + 1);
    if (parent.value.is_mapping() && !parent.has_key) return take_key(parent, std::move(open.value));
    if (parent.has_key) {
      open.value.key = std::move(parent.key.text);
      open.value.key_line = parent.key.line;
      open.value.key_column = parent.key.column;
      parent.has_key = false;
    }
    parent.value.children.push_back(std::move(open.value));
  }

  static void take_key(Open& parent, Value key) {
    if (!key.is_scalar() || key.text.empty())
      fail(key.location(),
           formatted("a key must be a word, not {}", key.is_scalar() ? "empty" : key.describe()));
    parent.key = std::move(key);
    parent.has_key = true;
  }

  std::shared_ptr<const std::string> file_;
  Budget& budget_;
  Value root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Open> anchors_;
  int documents_ = 0;
};

}  // namespace

Value parse_yaml(const std::string& text, const std::string& name, Budget& budget) {
  if (const std::string excess = limits::file_size.excess(mebibytes(text.size())); !excess.empty())
    fail({name}, excess + "; put large tables and meshes into files of their own");
  Builder builder(name, budget);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    const bool is_flow = error.msg.find("flow") != std::string::npos && text.find("${") != std::string::npos;
    fail({name, error.mark.line + 1, error.mark.column + 1},
         "not valid YAML: " + error.msg +
             (is_flow ? " (inside [ ] and { } a ${...} must be quoted: \"${...}\")" : ""));
  }
  return builder.take_root();
}

}  // namespace hooke
