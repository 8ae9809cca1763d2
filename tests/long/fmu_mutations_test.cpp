#include "support/fmu_mutations.h"

TEST(FmuMutations, TenThousandDamagedArchivesEndInWords) { hooke::expect_all_are_met(10'000, 2); }
