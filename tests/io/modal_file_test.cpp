// Files with the modes of a body: what is written is read again, and what is wrong is said where.
#include "hooke/io/mesh/modal_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "hooke/bodies/ffrf_solid.h"
#include "hooke/io/model/model_file.h"

namespace hooke {
namespace {

using ::testing::HasSubstr;

ModalData bar() {
  return modal_data(box_mesh(Vec3(0.1, 0.2, 1), {1, 1, 4}), {SolidMaterial::isotropic({2e11, 0.3, 7800})},
                    {.modes = 7,
                     .interfaces = {"z_min", "z_max"},
                     .reference = "z_min",
                     .damping_ratio = 0.01,
                     .stiffening = true});
}

TEST(ModalFile, IsReadAsItWasWritten) {
  const ModalData data = bar(), again = parse_modal_text(modal_text(data), "bar.yaml");
  EXPECT_EQ(again.mass, data.mass);
  EXPECT_EQ(again.first_moment, data.first_moment);
  EXPECT_EQ(again.N00, data.N00);
  EXPECT_EQ(again.psi, data.psi);
  EXPECT_EQ(again.N0, data.N0);
  EXPECT_EQ(again.N, data.N);
  EXPECT_EQ(again.stiffness, data.stiffness);
  EXPECT_EQ(again.damping, data.damping);
  EXPECT_EQ(again.triangles, data.triangles);
  EXPECT_EQ(again.second_psi, data.second_psi);
  EXPECT_EQ(again.second_N0, data.second_N0);
  EXPECT_EQ(again.nodes.back().second_shift, data.nodes.back().second_shift);
  EXPECT_EQ(again.nodes.back().second_rotation, data.nodes.back().second_rotation);
  ASSERT_EQ(again.nodes.size(), data.nodes.size());
  for (std::size_t k = 0; k < data.nodes.size(); ++k) {
    EXPECT_EQ(again.nodes[k].at.p, data.nodes[k].at.p);
    EXPECT_EQ(again.nodes[k].shift, data.nodes[k].shift);
    EXPECT_EQ(again.nodes[k].rotation, data.nodes[k].rotation);
    EXPECT_EQ(again.nodes[k].stress.size(), data.nodes[k].stress.size());
    EXPECT_EQ(again.nodes[k].name, data.nodes[k].name);
  }
}

/// One mode of a body of two mass points of 1 kg that move apart.
std::string small(const std::string& what = "", const std::string& instead = "") {
  std::string text = R"(hooke_modes: 1
mass: 2
first_moment: [0, 0, 0]
second_moment: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 2]]
modes:
  - stiffness: [8]
    momentum: [0, 0, 0]
    with_position: [[0, 0, 0], [0, 0, 0], [0, 0, 2]]
    with_modes:
      - [[0, 0, 0], [0, 0, 0], [0, 0, 2]]
nodes:
  - {name: top, at: [0, 0, 1], shift: [[0, 0, 1]], rotation: [[0, 0, 0]]}
  - {name: bottom, at: [0, 0, -1], shift: [[0, 0, -1]], rotation: [[0, 0, 0]]}
)";
  if (!what.empty()) text.replace(text.find(what), what.size(), instead);
  return text;
}

std::string problem(const std::string& text) {
  try {
    parse_modal_text(text, "m.yaml");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ModalFile, WhatIsWrongIsSaidWhere) {
  EXPECT_EQ(problem(small()), "");
  EXPECT_THAT(problem(small("mass: 2", "mas: 2")),
              HasSubstr("m.yaml:2:1: mas: unknown key 'mas' (did you mean 'mass'?)"));
  EXPECT_THAT(problem(small("mass: 2", "mass: -2")), HasSubstr("m.yaml:2:7: mass"));
  EXPECT_THAT(problem(small("[8]", "[8, 1]")),
              HasSubstr("m.yaml:6:16: modes[0].stiffness: expected 1 entries, one for each mode, got 2"));
  EXPECT_THAT(problem(small("shift: [[0, 0, -1]]", "shift: []")), HasSubstr("m.yaml:13"));
  EXPECT_THAT(problem(small("hooke_modes: 1", "hooke_modes: 2")), HasSubstr("reads version 1"));
  // a mode without mass
  EXPECT_THAT(problem(small("- [[0, 0, 0], [0, 0, 0], [0, 0, 2]]", "- [[0, 0, 0], [0, 0, 0], [0, 0, 0]]")),
              HasSubstr("the mass matrix of frame and modes is not positive"));
  EXPECT_THAT(problem(small() + "triangles: [[0, 1, 2]]\n"), HasSubstr("there is no node 2"));
}

TEST(ModalFile, MayNameAMeshInstead) {
  const std::string text = R"(hooke_modes: 1
reduce:
  mesh: {box: {size: [0.1, 0.2, 1], divisions: [1, 1, 4]}}
  material: {young: 2e11, poisson: 0.3, density: 7800}
  interfaces: [z_min, z_max]
  modes: 7
  reference: z_min
  damping_ratio: 0.01
)";
  const ModalData same = parse_modal_text(text, "m.yaml");
  EXPECT_EQ(same.stiffness, bar().stiffness);
  EXPECT_EQ(same.nodes.size(), bar().nodes.size());
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string changed = text;
    return problem(changed.replace(changed.find(what), what.size(), instead));
  };
  EXPECT_THAT(with("z_max]", "z_mx]"), HasSubstr("m.yaml:3"));
  EXPECT_THAT(with("z_max]", "z_mx]"), HasSubstr("z_mx"));
  EXPECT_THAT(with("modes: 7", "modes: 3"), HasSubstr("at least 6 modes"));
  EXPECT_THAT(with("  material:", "  materiel:"), HasSubstr("did you mean 'material'?"));
  EXPECT_THAT(with("reference: z_min", "reference: top"),
              HasSubstr("the reference 'top' is none of the interfaces"));
}

std::shared_ptr<const ModalData> modes_of(const std::string& file, Diagnostics& diagnostics) {
  const Problem problem =
      parse_model("hooke: 1\nbodies:\n  b: {modal: {file: " + file + "}}\n", "model.yaml", {}, diagnostics);
  return problem.model.bodies.at("b").formulation.get_if<ModalSettings>()->data;
}

TEST(ModalFile, ModelsShareWhatIsInAFileUntilItChanges) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "shared.modes";
  const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
  Diagnostics diagnostics;
  write(small());
  const auto first = modes_of(path, diagnostics);
  ASSERT_TRUE(first);
  EXPECT_EQ(modes_of(path, diagnostics), first);
  write(small("mass: 2", "mass: 3"));  // as long as before, perhaps within one tick of the clock of files
  EXPECT_EQ(modes_of(path, diagnostics)->mass, 3);
  EXPECT_EQ(first->mass, 2);
  EXPECT_FALSE(diagnostics.has_errors());
  std::filesystem::remove(path);
  modes_of(path, diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_THAT(to_string(diagnostics.errors()[0]), HasSubstr("cannot read the file"));
}

TEST(ModalFile, AModelThatNamesNoneSaysSo) {
  Diagnostics diagnostics;
  parse_model("hooke: 1\nbodies:\n  b: {modal: {file: nowhere.yaml}}\n", "model.yaml", {}, diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_THAT(to_string(diagnostics.errors()[0]), HasSubstr("model.yaml:3"));
  EXPECT_THAT(to_string(diagnostics.errors()[0]), HasSubstr("cannot read the file 'nowhere.yaml'"));
}

}  // namespace
}  // namespace hooke
