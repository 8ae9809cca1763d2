#include "hooke/base/error.h"

#include <gtest/gtest.h>

namespace hooke {

TEST(Error, DiagnosticIsPrintedWithPlacePathAndMessage) {
  const Diagnostic diagnostic{{"slider_crank.yaml", 41, 7}, "joints.B.frames[0]", "no body named 'crnak'"};
  EXPECT_EQ(to_string(diagnostic), "slider_crank.yaml:41:7: joints.B.frames[0]: no body named 'crnak'");
}

TEST(Error, WhatIsUnknownIsLeftOut) {
  EXPECT_EQ(to_string(Diagnostic{{"a.yaml"}, "", "is empty"}), "a.yaml: is empty");
  EXPECT_EQ(to_string(Diagnostic{{}, "bodies.a", "is bad"}), "bodies.a: is bad");
  EXPECT_EQ(to_string(Diagnostic{{"a.yaml", 1, 2}, "k", "odd", Diagnostic::Severity::warning}),
            "a.yaml:1:2: k: odd");
}

TEST(Error, AllErrorsAreThrownTogether) {
  Diagnostics diagnostics;
  EXPECT_NO_THROW(diagnostics.throw_if_errors());
  diagnostics.warning({"m", 1, 1}, "", "only a warning");
  EXPECT_NO_THROW(diagnostics.throw_if_errors());
  diagnostics.error({"m", 1, 1}, "a", "first {}", 1);
  diagnostics.error({"m", 2, 1}, "b", "second");
  try {
    diagnostics.throw_if_errors();
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "m:1:1: a: first 1\nm:2:1: b: second");
    EXPECT_EQ(error.code(), ExitCode::bad_model);
    EXPECT_EQ(error.diagnostics().size(), 2u);
  }
}

TEST(Error, SameComplaintAboutTheSamePlaceIsKeptOnce) {
  Diagnostics diagnostics;
  for (int i = 0; i < 3; ++i) diagnostics.error({"m", 1, 1}, fmt::format("link{}", i), "bad");
  EXPECT_EQ(diagnostics.errors().size(), 1u);
  for (int i = 0; i < 3; ++i) diagnostics.error({}, fmt::format("link{}", i), "bad");
  EXPECT_EQ(diagnostics.errors().size(), 4u);
}

TEST(Error, FloodIsCounted) {
  Diagnostics diagnostics;
  for (int i = 0; i < 150; ++i) diagnostics.error({"m", i + 1, 1}, "", "bad");
  try {
    diagnostics.throw_if_errors();
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("and 50 more errors"), std::string::npos);
  }
}

}  // namespace hooke
