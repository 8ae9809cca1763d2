#include "hooke/base/text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hooke/base/timer.h"

namespace hooke {

TEST(Text, EditDistanceCountsSwapsOnce) {
  EXPECT_EQ(edit_distance("crnak", "crank"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Text, SuggestFindsTypingSlips) {
  EXPECT_EQ(suggest("crnak", {"rod", "crank", "slider"}), " (did you mean 'crank'?)");
  EXPECT_EQ(suggest("MASS", {"mass"}), " (did you mean 'mass'?)");
  EXPECT_EQ(suggest("inertai", {"mass", "inertia"}), " (did you mean 'inertia'?)");
  EXPECT_EQ(suggest("l3", {"l1"}), " (did you mean 'l1'?)");
}

TEST(Text, SuggestStaysSilentWhenNothingIsNear) {
  EXPECT_EQ(suggest("gearbox", {"rod", "crank", "slider"}), "");
  EXPECT_EQ(suggest("a", {"b"}), "");
  EXPECT_EQ(suggest("x", {}), "");
  EXPECT_EQ(suggest(std::string(100000, 'x'), {"xx"}), "");
}

TEST(Text, ListWords) {
  EXPECT_EQ(list_words({}), "");
  EXPECT_EQ(list_words({"a"}), "a");
  EXPECT_EQ(list_words({"a", "b", "c"}), "a, b or c");
}

TEST(Text, NumbersInAllNotationsOfC) {
  for (const auto& [text, value] : std::initializer_list<std::pair<const char*, double>>{{"1", 1},
                                                                                         {"-2.5", -2.5},
                                                                                         {"+3", 3},
                                                                                         {".5", 0.5},
                                                                                         {"4.", 4},
                                                                                         {"1e3", 1e3},
                                                                                         {"1E-3", 1e-3},
                                                                                         {"1e+3", 1e3},
                                                                                         {"0x1f", 31},
                                                                                         {"007", 7},
                                                                                         {"1e-999", 0}})
    EXPECT_EQ(parse_number(text), value) << text;
  for (const char* text : {"", "+", "-", "--1", "+-1", "1,5", "1 kg", "x", "0x", "0x-1", " 1", "1e", "1_000"})
    EXPECT_FALSE(parse_number(text)) << text;
  EXPECT_TRUE(std::isinf(*parse_number("1e999")));
  EXPECT_TRUE(std::isnan(*parse_number(".nan")));
  EXPECT_EQ(*parse_number("-.inf"), -INFINITY);
}

TEST(Text, NumbersAreFormattedShortestAndReadBack) {
  EXPECT_EQ(format_number(3), "3");
  EXPECT_EQ(format_number(-0.0), "0");
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(1e20), "1e+20");
  EXPECT_EQ(parse_number(format_number(1.0 / 3)), 1.0 / 3);
}

TEST(Timer, RunsForward) {
  Timer timer;
  const double first = timer.seconds();
  EXPECT_GE(first, 0);
  EXPECT_GE(timer.seconds(), first);
}

}  // namespace hooke
