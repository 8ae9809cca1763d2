#include "hooke/base/fields.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hooke/base/type_info.h"

namespace hooke {
namespace {

enum class Shape { box, ball };
constexpr auto names(Shape) { return std::array{"box", "ball"}; }

struct Settings {
  double mass = 0;
  Shape shape = Shape::box;

  template <class Visitor>
  static void describe(Visitor& field) {
    field("mass", &Settings::mass,
          Doc{.text = "total mass", .unit = "kg", .required = true, .check = positive});
    field("shape", &Settings::shape, Doc{.text = "how it is drawn"});
  }
  void check(const Complain& complain) const {
    if (mass > 1e6) complain("mass", "too heavy");
  }
};

static_assert(Described<Settings> && ChecksItself<Settings> && NamedEnum<Shape>);
static_assert(!Described<double> && !ChecksItself<double> && !NamedEnum<Range>);

TEST(Fields, KeysAndWords) {
  EXPECT_EQ(type_of<Settings>().keys(), (std::vector<std::string>{"mass", "shape"}));
  EXPECT_EQ(words_of<Shape>(), (std::vector<std::string>{"box", "ball"}));
  EXPECT_EQ(to_word(Shape::ball), "ball");
}

TEST(Fields, RangesSayWhatTheyMean) {
  EXPECT_EQ(to_string(positive), "positive");
  EXPECT_EQ(to_string(non_negative), "zero or positive");
  EXPECT_EQ(to_string(at_least(1)), "at least 1");
  EXPECT_EQ(to_string(between(0, 0.5)), "between 0 and 0.5");
  EXPECT_EQ(to_string(Range{.low = 0, .high = 1, .without_low = true}), "above 0 and at most 1");
  EXPECT_EQ(to_string(Range{.high = 1, .without_high = true}), "below 1");
  EXPECT_EQ(to_string(any_number), "");
  EXPECT_FALSE(positive.holds(0));
  EXPECT_TRUE(non_negative.holds(0));
  EXPECT_FALSE(any_number.holds(NAN));
}

}  // namespace
}  // namespace hooke
