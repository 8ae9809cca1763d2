// A rope on itself, by either law.
#include "contact/rope.h"

namespace hooke::test {
namespace {

TEST(RodOnItself, ALongRopePilesUp) {
  for (const char* law :
       {"law: rigid, friction: 0.4", "stiffness: 1e4, exponent: 1, damping: 50, friction: 0.4"}) {
    const Heap heap = fallen_rope(law, 16, 1.2);
    EXPECT_EQ(heap.summary.status, RunStatus::finished) << law << ": " << heap.summary.failure;
    EXPECT_GT(heap.nearest, 0.038) << law;
    EXPECT_GT(heap.touched, 5) << law;
  }
}

}  // namespace
}  // namespace hooke::test
