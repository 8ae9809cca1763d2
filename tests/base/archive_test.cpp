#include "hooke/base/archive.h"

#include <gtest/gtest.h>

#include <vector>

namespace hooke {
namespace {

TEST(Archive, GivesBackWhatItTook) {
  Archive written;
  std::vector<double> numbers{1, 2, 3};
  std::string text = "a text";
  written(numbers, text);
  Archive read(written.bytes());
  std::vector<double> numbers_read;
  std::string text_read;
  read(numbers_read, text_read);
  EXPECT_EQ(numbers_read, numbers);
  EXPECT_EQ(text_read, text);
  EXPECT_TRUE(read.is_at_end());
}

/// 2^61 numbers have 2^64 bytes, which is 0.
TEST(Archive, RefusesALengthThatNothingStandsBehind) {
  for (std::int64_t length : {std::int64_t{1}, std::int64_t{1} << 61, std::int64_t{-1}}) {
    Archive written;
    written(length);
    Archive read(written.bytes());
    std::vector<double> numbers;
    EXPECT_THROW(read(numbers), std::out_of_range) << length;
  }
}

}  // namespace
}  // namespace hooke
