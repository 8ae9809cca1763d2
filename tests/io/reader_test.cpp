#include "hooke/io/document/reader.h"

#include "document_helper.h"

namespace hooke {
namespace {

enum class Shape { box, ball };
constexpr auto names(Shape) { return std::array{"box", "ball"}; }

struct Circle {
  static constexpr const char* name = "circle";
  static constexpr const char* shorthand = "radius";
  double radius = 0;

  template <class Visitor>
  static void describe(Visitor& field) {
    field("radius", &Circle::radius,
          Doc{.text = "outer radius", .unit = "m", .required = true, .check = positive});
  }
};

struct Square {
  static constexpr const char* name = "square";
  double side = 1;

  template <class Visitor>
  static void describe(Visitor& field) {
    field("side", &Square::side, Doc{.text = "side", .unit = "m", .check = positive});
  }
};

struct Rigid {
  double mass = 0;
  Eigen::Vector3d inertia = Eigen::Vector3d::Ones();
  Shape shape = Shape::box;
  int copies = 1;
  bool visible = true;
  std::string label;
  std::optional<double> damping;
  std::vector<double> stations;
  std::array<int, 2> range = {0, 1};
  std::variant<Circle, Square> section;
  std::vector<std::pair<std::string, Circle>> holes;

  template <class Visitor>
  static void describe(Visitor& field) {
    field("mass", &Rigid::mass, Doc{.text = "total mass", .unit = "kg", .required = true, .check = positive});
    field("inertia", &Rigid::inertia, Doc{.text = "about the centre", .unit = "kg m2", .check = positive});
    field("shape", &Rigid::shape, Doc{.text = "how it is drawn"});
    field("copies", &Rigid::copies, Doc{.text = "how many", .check = between(1, 9)});
    field("visible", &Rigid::visible, Doc{.text = "whether it is drawn"});
    field("label", &Rigid::label, Doc{.text = "for plots"});
    field("damping", &Rigid::damping, Doc{.text = "coefficient", .check = non_negative});
    field("stations", &Rigid::stations, Doc{.text = "places", .check = non_negative});
    field("range", &Rigid::range, Doc{.text = "first and last"});
    field("section", &Rigid::section, Doc{.text = "cross section"});
    field("holes", &Rigid::holes, Doc{.text = "named holes"});
  }
  void check(const Complain& complain) const {
    if (inertia[0] > inertia[1] + inertia[2])
      complain("inertia", "the largest is more than the other two together");
  }
};

struct Joint {
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();
  static void describe(auto& field) { field("axis", &Joint::axis, Doc{}); }
};

/// "" and the struct filled, or the errors.
template <class T>
std::string errors_of(const std::string& text, T& out) {
  Diagnostics diagnostics;
  try {
    const Document document = parse_document(text, "m.yaml", {}, diagnostics);
    const bool good = read(document.root(), out, diagnostics);
    diagnostics.throw_if_errors();
    return good ? "" : "failed silently";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string errors_of(const std::string& text) {
  Rigid rigid;
  return errors_of(text, rigid);
}

TEST(Reader, FillsAStruct) {
  Rigid rigid;
  ASSERT_EQ(errors_of("mass: 2.5\ninertia: [1, 1e0, 1.]\nshape: ball\ncopies: 3\nvisible: false\nlabel: 7\n"
                      "damping: ${1/2}\nstations: [0, 1]\nrange: [3, 1e1]\nsection: {square: {side: 2}}\n"
                      "holes: {b: 1, a: {radius: 2}}\n",
                      rigid),
            "");
  EXPECT_EQ(rigid.mass, 2.5);
  EXPECT_EQ(rigid.inertia, Eigen::Vector3d::Ones());
  EXPECT_EQ(rigid.shape, Shape::ball);
  EXPECT_EQ(rigid.copies, 3);
  EXPECT_FALSE(rigid.visible);
  EXPECT_EQ(rigid.label, "7");
  EXPECT_EQ(rigid.damping, 0.5);
  EXPECT_EQ(rigid.stations, (std::vector<double>{0, 1}));
  EXPECT_EQ(rigid.range, (std::array{3, 10}));
  EXPECT_EQ(std::get<Square>(rigid.section).side, 2);
  ASSERT_EQ(rigid.holes.size(), 2u);
  EXPECT_EQ(rigid.holes[0].first, "b");
  EXPECT_EQ(rigid.holes[1].second.radius, 2);
}

TEST(Reader, ShortForms) {
  Rigid rigid;
  ASSERT_EQ(errors_of("mass: 1\nstations: 4\nsection: {circle: 0.1}\n", rigid), "");
  EXPECT_EQ(rigid.stations, std::vector<double>{4});
  EXPECT_EQ(std::get<Circle>(rigid.section).radius, 0.1);
  ASSERT_EQ(errors_of("mass: 1\nsection: square\n", rigid), "");
  EXPECT_EQ(std::get<Square>(rigid.section).side, 1);
  EXPECT_EQ(errors_of("mass: 1\nsection: circle\n"),
            "m.yaml:2:1: section: 'radius' is missing: outer radius [m]");
  EXPECT_EQ(errors_of("mass: 1\nsection: {circle: -1}\n"),
            "m.yaml:2:19: section.circle: must be positive, got -1 m");
}

TEST(Reader, AxesByName) {
  Joint joint;
  ASSERT_EQ(errors_of("axis: y", joint), "");
  EXPECT_EQ(joint.axis, Eigen::Vector3d::UnitY());
  ASSERT_EQ(errors_of("axis: -z", joint), "");
  EXPECT_EQ(joint.axis, Eigen::Vector3d(0, 0, -1));
  EXPECT_EQ(errors_of("axis: w", joint),
            "m.yaml:1:7: axis: expected a list of 3 numbers or an axis (x, y, z, -x, -y or -z), got 'w'");
  EXPECT_EQ(
      errors_of("axis: [1, 0]", joint),
      "m.yaml:1:7: axis: expected a list of 3 numbers or an axis (x, y, z, -x, -y or -z), got a list of 2");
}

TEST(Reader, KeysUnknownAndMissing) {
  Square square;
  EXPECT_EQ(errors_of("sied: 2", square),
            "m.yaml:1:1: sied: unknown key 'sied' (did you mean 'side'?); known here: side");
  EXPECT_EQ(errors_of("label: a"), "m.yaml:1:1: 'mass' is missing: total mass [kg]");
}

TEST(Reader, NumbersThatAreNone) {
  const auto mass = [](const std::string& text) { return errors_of("mass: " + text).substr(18); };
  EXPECT_EQ(mass("\"1.5\""), "expected a number, got the text \"1.5\" (write it without quotes)");
  EXPECT_EQ(mass("1,5"), "expected a number, got '1,5' (write 1.5)");
  EXPECT_EQ(mass("3 kg"), "expected a number, got '3 kg' (write the number alone; units are SI)");
  EXPECT_EQ(mass("2*m1"), "expected a number, got '2*m1' (write \"${2*m1}\" if it is an expression)");
  EXPECT_EQ(mass("m1"), "expected a number, got 'm1' (write \"${m1}\" if it is an expression)");
  EXPECT_EQ(mass("[1]"), "expected a number, got a list of 1");
  EXPECT_EQ(mass(".inf"), "expected a finite number, got '.inf'");
  EXPECT_EQ(mass("nan"), "expected a finite number, got 'nan'");
  EXPECT_EQ(mass("1e999"), "expected a finite number, got '1e999'");
  EXPECT_EQ(mass("-1"), "must be positive, got -1 kg");
  EXPECT_EQ(errors_of("mass:"), "m.yaml:1:1: mass: expected a number, got nothing");
}

TEST(Reader, OtherTypes) {
  const auto wrong = [](const std::string& text) { return errors_of("mass: 1\n" + text); };
  EXPECT_EQ(wrong("copies: 2.5"), "m.yaml:2:9: copies: expected a whole number, got '2.5'");
  EXPECT_EQ(wrong("copies: 3e9"),
            "m.yaml:2:9: copies: expected a whole number of at most 9 digits, got '3e9'");
  EXPECT_EQ(wrong("copies: 10"), "m.yaml:2:9: copies: must be between 1 and 9, got 10");
  EXPECT_EQ(wrong("visible: yes"), "m.yaml:2:10: visible: expected true or false, got 'yes'");
  EXPECT_EQ(wrong("label: [a]"), "m.yaml:2:8: label: expected a text, got a list of 1");
  EXPECT_EQ(wrong("shape: bal"), "m.yaml:2:8: shape: expected box or ball, got 'bal' (did you mean 'ball'?)");
  EXPECT_EQ(wrong("range: [1, 2, 3]"), "m.yaml:2:8: range: expected a list of 2, got a list of 3");
  EXPECT_EQ(wrong("range: [1, x]"),
            "m.yaml:2:12: range[1]: expected a number, got 'x' (write \"${x}\" if it is an expression)");
  EXPECT_EQ(wrong("stations: [0, -1]"), "m.yaml:2:15: stations[1]: must be zero or positive, got -1");
  EXPECT_EQ(wrong("damping: -1"), "m.yaml:2:10: damping: must be zero or positive, got -1");
  EXPECT_EQ(wrong("holes: [1]"), "m.yaml:2:8: holes: expected a mapping, got a list of 1");
}

TEST(Reader, Kinds) {
  const auto wrong = [](const std::string& text) { return errors_of("mass: 1\n" + text); };
  EXPECT_EQ(wrong("section: {cirle: 1}"),
            "m.yaml:2:10: section: expected one of circle or square (did you mean 'circle'?)");
  EXPECT_EQ(wrong("section: {circle: 1, square: {}}"),
            "m.yaml:2:22: section.square: 'circle' and 'square' exclude each other: write one");
  EXPECT_EQ(wrong("section: {circle: 1, wall: 2}"),
            "m.yaml:2:22: section.wall: unknown key 'wall'; known here: circle and square");
  EXPECT_EQ(wrong("section: ring"), "m.yaml:2:10: section: expected circle or square, got 'ring'");
}

TEST(Reader, AWholeStructChecksItselfOnceItsFieldsAreRight) {
  EXPECT_EQ(errors_of("mass: 1\ninertia: [3, 1, 1]"),
            "m.yaml:2:10: inertia: the largest is more than the other two together");
  EXPECT_EQ(errors_of("mass: -1\ninertia: [3, 1, 1]"), "m.yaml:1:7: mass: must be positive, got -1 kg");
}

TEST(Reader, AllErrorsOfAFileAreFound) {
  EXPECT_EQ(errors_of("mass: -1\ncopies: ${q}\nvisible: maybe\nshpe: ball\ninertia: [1, 0, b]\n"),
            "m.yaml:2:9: copies: in 'q': unknown name 'q'\n"
            "m.yaml:1:7: mass: must be positive, got -1 kg\n"
            "m.yaml:5:17: inertia[2]: expected a number, got 'b' (write \"${b}\" if it is an expression)\n"
            "m.yaml:3:10: visible: expected true or false, got 'maybe'\n"
            "m.yaml:4:1: shpe: unknown key 'shpe' (did you mean 'shape'?); known here: mass, inertia, shape, "
            "copies, "
            "visible, label, damping, stations, range, section and holes");
}

TEST(Reader, WhatTheDocumentReportedIsNotReportedAgain) {
  EXPECT_EQ(errors_of("mass: ${1 / 0}"), "m.yaml:1:7: mass: '1 / 0' is not a finite number");
  EXPECT_EQ(errors_of("mass: 1\nholes: {for i in 1..q: {a: 1}}"),
            "m.yaml:2:9: holes: in 'q': unknown name 'q'");
}

TEST(Reader, FurtherKeysThatTheCallerReads) {
  Diagnostics diagnostics;
  Square square;
  const Document document = parse_document("side: 2\nat: 1", "m.yaml", {}, diagnostics);
  EXPECT_TRUE(Reader(diagnostics).read_structure(document.root(), type_of<Square>(), &square, {"at"}));
  EXPECT_FALSE(read(document.root(), square, diagnostics));
}

}  // namespace
}  // namespace hooke
