// Parameters, expressions, loops and conditions.
#include "document_helper.h"

namespace hooke {
namespace {

TEST(Parameters, InAnyOrder) {
  EXPECT_EQ(resolved("parameters:\n  c: ${a + b}\n  a: 1\n  b: ${2*a}\n  on: true\n"),
            "{parameters: {c: 3, a: 1, b: 2, on: 1}}");
}

TEST(Parameters, CirclesAreReported) {
  EXPECT_EQ(resolved("parameters:\n  a: ${b}\n  b: ${c + 1}\n  c: ${2*a}\nk: ${a}"),
            "m.yaml:2:6: parameters.a: parameters depend on each other in a circle: a -> b -> c -> a");
  EXPECT_EQ(resolved("parameters:\n  a: ${a}\n"),
            "m.yaml:2:6: parameters.a: parameters depend on each other in a circle: a -> a");
}

TEST(Parameters, SayWhatIsWrong) {
  EXPECT_EQ(resolved("parameters: {a: 2*b}"),
            "m.yaml:1:17: parameters.a: a parameter is a number or an expression ${...}, not '2*b'");
  EXPECT_EQ(resolved("parameters: {a: [1]}"),
            "m.yaml:1:17: parameters.a: a parameter is a number or an expression ${...}, not a list of 1");
  EXPECT_EQ(resolved("parameters: {a: .nan}"),
            "m.yaml:1:17: parameters.a: a parameter is a number or an expression ${...}, not '.nan'");
  EXPECT_EQ(
      resolved("parameters: {a b: 1}"),
      "m.yaml:1:14: parameters.a b: the name of a parameter is made of letters, digits and _, not 'a b'");
  EXPECT_EQ(resolved("parameters: 3"),
            "m.yaml:1:13: parameters: expected a mapping of names to numbers, got '3'");
  EXPECT_EQ(resolved("parameters: {l1: 1}\nk: ${l1 + l3}"),
            "m.yaml:2:4: k: in 'l1 + l3': unknown name 'l3' (did you mean 'l1'?)");
}

TEST(Parameters, OneErrorDoesNotBringOthers) {
  EXPECT_EQ(resolved("parameters: {a: \"${1/0}\", b: \"${a}\"}\nk: ${b}\nx: {for i in 1..a: {k: 1}}"),
            "m.yaml:1:17: parameters.a: '1/0' is not a finite number");
}

TEST(Parameters, LongChainsDoNotExhaustTheStack) {
  std::string text = "parameters:\n";
  for (int i = 0; i < 5000; ++i) text += fmt::format("  p{}: ${{p{}}}\n", i, i + 1);
  EXPECT_NE(resolved(text).find("circle"), std::string::npos);
}

TEST(Expressions, NumbersAndText) {
  EXPECT_EQ(
      resolved("parameters: {n: 3, l: 0.5}\nk: ${n*l}\nname: link${n}\nboth: ${n}-${l}\nquoted: \"${n}\"\n"),
      "{parameters: {n: 3, l: 0.5}, k: 1.5, name: \"link3\", both: \"3-0.5\", quoted: \"3\"}");
  EXPECT_EQ(resolved("k: 2*3"), "{k: 2*3}");
  EXPECT_EQ(resolved("k: a$b{c}"), "{k: a$b{c}}");
}

TEST(Expressions, WholeTextIsANumber) {
  Diagnostics diagnostics;
  const Document document = parse_document("a: \"${1 + 1}\"\nb: \"${1}0\"", "m", {}, diagnostics);
  EXPECT_EQ(document.root().find("a")->number, 2.0);
  EXPECT_FALSE(document.root().find("b")->number);
}

TEST(Expressions, AllErrorsAreFound) {
  EXPECT_EQ(resolved("a: ${1 +}\nb: link${\nc: ok\nd: ${sqrt(-1)}\n"),
            "m.yaml:1:4: a: in '1 +': the formula ends where a number, a name or '(' should follow\n"
            "m.yaml:2:4: b: '${' without '}' in 'link${'\n"
            "m.yaml:4:4: d: 'sqrt(-1)' is not a finite number");
}

TEST(Loops, MakeEntriesInPlace) {
  EXPECT_EQ(resolved("parameters: {n: 2}\nb:\n  first: 0\n  for i in 1..n:\n    l${i}: {at: [\"${i - 0.5}\", "
                     "0]}\n  last: 9\n"),
            "{parameters: {n: 2}, b: {first: 0, l1: {at: [\"0.5\", 0]}, l2: {at: [\"1.5\", 0]}, last: 9}}");
}

TEST(Loops, MakeItems) {
  EXPECT_EQ(resolved("t: [a, {for i in 1..3: [\"${i}\", x]}, b]"),
            "{t: [a, \"1\", x, \"2\", x, \"3\", x, b]}");
  EXPECT_EQ(resolved("t:\n  - for i in 0..4 step 2:\n      - [\"${i}\", \"${i^2}\"]\n"),
            "{t: [[\"0\", \"0\"], [\"2\", \"4\"], [\"4\", \"16\"]]}");
  EXPECT_EQ(resolved("t: [{for i in 1..2: {\"k${i}\": 1}}]"), "{t: [{k1: 1, k2: 1}]}");
}

TEST(Loops, Nest) {
  EXPECT_EQ(resolved("t: {for i in 1..2: {for j in i..2: {\"k${i}${j}\": \"${10*i + j}\"}}}"),
            "{t: {k11: \"11\", k12: \"12\", k22: \"22\"}}");
}

TEST(Loops, Bounds) {
  EXPECT_EQ(resolved("t: [{for i in 1..0: [x]}]"), "{t: []}");
  EXPECT_EQ(resolved("t: [{for i in 3..1 step -1: [\"${i}\"]}]"), "{t: [\"3\", \"2\", \"1\"]}");
  EXPECT_EQ(resolved("t: [{for i in 1..0.3/0.1: [\"${i}\"]}]"), "{t: [\"1\", \"2\", \"3\"]}");
}

TEST(Loops, TheSameHeadMayComeTwice) {
  EXPECT_EQ(resolved("b:\n  for i in 1..2:\n    a${i}: 1\n  for i in 1..2 :\n    b${i}: 1\n"),
            "{b: {a1: 1, a2: 1, b1: 1, b2: 1}}");
}

TEST(Loops, SayWhatIsWrong) {
  const auto how = [](const char* head) {
    return fmt::format("m.yaml:1:5: t: a loop is written 'for i in 1..n' or 'for i in 0..n step 2', not '{}'",
                       head);
  };
  EXPECT_EQ(resolved("t: {for i: {a: 1}}"), how("for i"));
  EXPECT_EQ(resolved("t: {for i in 5: {a: 1}}"), how("for i in 5"));
  EXPECT_EQ(resolved("t: {for 1 in 1..5: {a: 1}}"), how("for 1 in 1..5"));
  EXPECT_EQ(resolved("t: {for i in 1..2: {a: 1}}"),
            "m.yaml:1:21: t.a: the loop makes the key 'a' more than once");
  EXPECT_EQ(resolved("t: {for i in 1..2: [1]}"),
            "m.yaml:1:5: t: 'for i in 1..2' must hold a mapping here, not a list of 1");
  EXPECT_EQ(resolved("t: [{for i in 1..2: [1], a: 2}]"),
            "m.yaml:1:26: t: 'a' cannot stand next to a loop in a list");
  EXPECT_EQ(resolved("t: {for i in 1..2.5: {a: 1}}"),
            "m.yaml:1:5: t: a loop counts in whole numbers, but '2.5' is 2.5");
  EXPECT_EQ(resolved("t: {for i in 1..2 step 0: {a: 1}}"), "m.yaml:1:5: t: the step of a loop cannot be 0");
  EXPECT_EQ(resolved("t: {for i in 1..n: {a: 1}}"), "m.yaml:1:5: t: in 'n': unknown name 'n'");
  EXPECT_EQ(resolved("parameters: {n: 2}\nt: {for n in 1..2: {a: 1}}"),
            "m.yaml:2:5: t: the loop variable 'n' already means something else here");
  EXPECT_EQ(resolved("t: {for i in 1..3: {\"k${i}\": \"${q}\"}}"),
            "m.yaml:1:30: t.k1: in 'q': unknown name 'q'");
}

TEST(Conditions, TakeOneBranch) {
  const char* text =
      "parameters: {n: 2}\n"
      "b:\n  if n == 1:\n    one: 1\n  else if n == 2:\n    two: 1\n  else:\n    more: 1\n  end: 1\n"
      "  if n > 1:\n    again: 1\n  else:\n    not: 1\n";
  EXPECT_EQ(resolved(text), "{parameters: {n: 2}, b: {two: 1, end: 1, again: 1}}");
  EXPECT_EQ(resolved(text, {"parameters.n=1"}), "{parameters: {n: 1}, b: {one: 1, end: 1, not: 1}}");
  EXPECT_EQ(resolved(text, {"parameters.n=3"}), "{parameters: {n: 3}, b: {more: 1, end: 1, again: 1}}");
  EXPECT_EQ(resolved("t: [1, {if 1 > 0: [2, 3], else: [4]}, 5]"), "{t: [1, 2, 3, 5]}");
}

TEST(Conditions, SayWhatIsWrong) {
  EXPECT_EQ(resolved("b: {if 1: {a: 1}, x: 1, else: {c: 1}}"),
            "m.yaml:1:25: b: 'else' must directly follow an 'if'");
  EXPECT_EQ(resolved("b: {if q: {a: 1}, else: {c: 1}}"), "m.yaml:1:5: b: in 'q': unknown name 'q'");
}

TEST(Loops, AChainInAFewLines) {
  EXPECT_EQ(resolved("parameters: {n: 3}\n"
                     "joints:\n"
                     "  for i in 1..n:\n"
                     "    if i == 1:\n"
                     "      j1: {spherical: [ground, link1]}\n"
                     "    else:\n"
                     "      j${i}: {spherical: [\"link${i-1}\", \"link${i}\"]}\n"),
            "{parameters: {n: 3}, joints: {j1: {spherical: [ground, link1]}, "
            "j2: {spherical: [\"link1\", \"link2\"]}, j3: {spherical: [\"link2\", \"link3\"]}}}");
}

}  // namespace
}  // namespace hooke
