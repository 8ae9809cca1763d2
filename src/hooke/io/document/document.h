#pragma once
// A model file is data, not a program; but a chain of a hundred links should not be a hundred copies. The
// document layer turns what a person writes into the plain tree of values that a model reader wants, and
// knows nothing of what the keys mean. Every value keeps its file, line, column and key path, so that later
// errors can point at it.
//
//   include: common.yaml          # or a list; relative to this file, which wins over what it includes.
//                                 # Mappings merge, null removes, everything else is replaced.
//   parameters:                   # numbers, in any order; overridden by --set parameters.n=100
//     n: 8
//     length: ${10 / n}           # wholly ${...}: a number (functions: math/expression.h)
//   bodies:
//     for i in 1..n:              # also: for i in 0..n step 2; ends included; n..1 with 'step -1'
//       link${i}:                 # text with ${...} in it: a text, whole numbers without decimals
//         rigid: {mass: 1, inertia: [1, 1, 1]}
//         at: ["${(i - 0.5)*length}", 0, 0]       # YAML wants quotes around { } inside [ ] and { }
//   joints:
//     for i in 1..n:
//       if i == 1:
//         j1: {spherical: [ground, link1]}
//       else:                     # or 'else if ...'
//         j${i}: {spherical: ["link${i-1}", "link${i}"]}
//   table:
//     - [0, 0]
//     - for i in 1..9: [["${i}", "${i^2}"]]       # in a list, a loop gives items
//
// The entries below `for` and `if` go into the mapping (or list) around them, in place. There are no
// variables to assign, no text operations and no functions to define: what needs more should be written with
// the C++ or Python interface.
//
// --set overrides name a key path and a YAML value, such as bodies.link3.rigid.mass=2 or gravity[2]=-1.62.
// Those of parameters are applied before anything is computed, all others to the finished tree, so that they
// reach what loops made; null removes. A path that is not there is made, and the reader will say whether it
// means anything.
#include <memory>
#include <string>
#include <vector>

#include "hooke/base/error.h"
#include "hooke/io/document/value.h"

namespace hooke {

class Document {
 public:
  Document(Value root, std::vector<std::string> files);

  /// Always a mapping. `include` is gone and `parameters` are numbers; all else is as in the files.
  const Value& root() const { return *root_; }
  /// The files read, the main one last.
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::unique_ptr<Value> root_;  // on the heap, since values point at their parents
  std::vector<std::string> files_;
};

/// Reads a model file and all that it includes. What is wrong with single values goes to `diagnostics` and is
/// marked broken, so that the reader can go on and find more. Throws ModelError when there is no tree to go
/// on with (not YAML, a circle of includes, beyond the limits of io/document/yaml.h) and Error when the file cannot be
/// read.
Document load_document(const std::string& path, const std::vector<std::string>& overrides,
                       Diagnostics& diagnostics);

/// The same for a text; `name` is what messages call it, and includes are looked for next to it.
Document parse_document(const std::string& text, const std::string& name,
                        const std::vector<std::string>& overrides, Diagnostics& diagnostics);

}  // namespace hooke
