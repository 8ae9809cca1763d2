#include "hooke/base/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace hooke {
namespace {

TEST(Format, PlainArguments) {
  EXPECT_EQ(formatted("nothing"), "nothing");
  EXPECT_EQ(formatted("{} and {}, {}", "a", std::string("b"), std::string_view("c")), "a and b, c");
  EXPECT_EQ(formatted("{}{}", 3, -4L), "3-4");
  EXPECT_EQ(formatted("{} {}", true, false), "true false");
  EXPECT_EQ(formatted("{}", 'c'), "c");
  EXPECT_EQ(formatted("{}", std::size_t{12}), "12");
  EXPECT_EQ(formatted("{}", std::numeric_limits<long long>::min()), "-9223372036854775808");
}

TEST(Format, ShortestNumberThatReadsBackTheSame) {
  EXPECT_EQ(formatted("{}", 0.1), "0.1");
  EXPECT_EQ(formatted("{}", 1e-4), "0.0001");
  EXPECT_EQ(formatted("{}", 1e-5), "1e-05");
  EXPECT_EQ(formatted("{}", 1.25e-7), "1.25e-07");
  EXPECT_EQ(formatted("{}", 1e5), "100000");
  EXPECT_EQ(formatted("{}", 123456789.5), "123456789.5");
  EXPECT_EQ(formatted("{}", 1e15), "1000000000000000");
  EXPECT_EQ(formatted("{}", 1e16), "1e+16");
  EXPECT_EQ(formatted("{}", 2.0), "2");
  EXPECT_EQ(formatted("{}", 0.0), "0");
  EXPECT_EQ(formatted("{}", -0.0), "-0");
  EXPECT_EQ(formatted("{}", 1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(formatted("{}", 0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(formatted("{}", std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(formatted("{}", std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(formatted("{}", -std::numeric_limits<double>::infinity()), "-inf");
  for (const double x : {M_PI, 1e-300, -5e-324, 1.7976931348623157e308, 4503599627370497.5})
    EXPECT_EQ(std::strtod(formatted("{}", x).c_str(), nullptr), x);
}

TEST(Format, Precision) {
  EXPECT_EQ(formatted("{:g}", 1234567.0), "1.23457e+06");
  EXPECT_EQ(formatted("{:g}", 0.25), "0.25");
  EXPECT_EQ(formatted("{:.3g}", M_PI), "3.14");
  EXPECT_EQ(formatted("{:.3g}", 2.0), "2");
  EXPECT_EQ(formatted("{:.2f}", M_PI), "3.14");
  EXPECT_EQ(formatted("{:.1e}", 1234.5), "1.2e+03");
  EXPECT_EQ(formatted("{:.{}g}", M_PI, 5), "3.1416");
  EXPECT_EQ(formatted("{:.3}", 1234.5), "1.23e+03");
  EXPECT_EQ(formatted("{:.2}", "abcd"), "ab");
  EXPECT_EQ(formatted("{:.3g}", 7), "7");
  EXPECT_EQ(formatted("{:.1f}", 7), "7.0");
}

TEST(Format, SignsAndZeros) {
  EXPECT_EQ(formatted("{:+.4g}", 2.5), "+2.5");
  EXPECT_EQ(formatted("{:+.4g}", -2.5), "-2.5");
  EXPECT_EQ(formatted("{:+}", 3), "+3");
  EXPECT_EQ(formatted("{: }", 3), " 3");
  EXPECT_EQ(formatted("{:02}", 7), "07");
  EXPECT_EQ(formatted("{:02}", 123), "123");
  EXPECT_EQ(formatted("{:05}", -42), "-0042");
  EXPECT_EQ(formatted("{:08.3f}", -1.5), "-001.500");
}

TEST(Format, WidthAndSide) {
  EXPECT_EQ(formatted("[{:>12}]", "right"), "[       right]");
  EXPECT_EQ(formatted("[{:<12}]", "left"), "[left        ]");
  EXPECT_EQ(formatted("[{:^7}]", "mid"), "[  mid  ]");
  EXPECT_EQ(formatted("[{:6}]", "text"), "[text  ]") << "texts stand to the left";
  EXPECT_EQ(formatted("[{:6}]", 42), "[    42]") << "numbers to the right";
  EXPECT_EQ(formatted("[{:<6}]", 42), "[42    ]");
  EXPECT_EQ(formatted("[{:<{}}]", "ab", 4), "[ab  ]");
  EXPECT_EQ(formatted("[{:>{}.{}f}]", 2.0, 8, 3), "[   2.000]");
  EXPECT_EQ(formatted("[{:2}]", "long"), "[long]");
  EXPECT_EQ(formatted("[{:8.2f}]", M_PI), "[    3.14]");
  EXPECT_EQ(formatted("[{:>12.3g}]", 1e-9), "[       1e-09]");
}

TEST(Format, Hexadecimal) {
  EXPECT_EQ(formatted("{:x}", 255), "ff");
  EXPECT_EQ(formatted("{:02x}", 10), "0a");
  EXPECT_EQ(formatted("\\u{:04x}", 10), "\\u000a");
  EXPECT_EQ(formatted("{:d}", 255), "255");
}

TEST(Format, Braces) {
  EXPECT_EQ(formatted("{{}}"), "{}");
  EXPECT_EQ(formatted("{{{}}}", 1), "{1}");
  EXPECT_EQ(formatted("${{{}}}", "n"), "${n}");
  EXPECT_EQ(formatted("a }} b {{ {}", 2), "a } b { 2");
}

TEST(Format, ArgumentsAreCounted) {
  static_assert(count_fields("") == 0);
  static_assert(count_fields("{} {:.3g}") == 2);
  static_assert(count_fields("{:<{}} {:.{}g}") == 4);
  static_assert(count_fields("{{}} {}") == 1);
  static_assert(count_fields("{") == -1);
  static_assert(count_fields("}") == -1);
}

}  // namespace
}  // namespace hooke
