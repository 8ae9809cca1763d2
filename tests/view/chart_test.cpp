#include "hooke/view/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hooke/base/error.h"
#include "hooke/view/report.h"
#include "hooke/view/statistics.h"
#include "hooke/view/still.h"
#include "some_results.h"

namespace hooke {
namespace {

using namespace testing_view;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++found;
  return found;
}

TEST(Chart, PutsEachUnitInAPanelAndEscapesNames) {
  const std::string svg = draw_chart(
      {{"a < b", "m", {0, 1}, {0, 2}}, {"c", "m", {0, 1}, {1, 1}, 1}, {"d", "rad", {0, 1}, {5, 6}}},
      {.title = "x & y"});
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_THAT(svg, AllOf(HasSubstr("a &lt; b"), HasSubstr("x &amp; y"), Not(HasSubstr("a < b"))));
  EXPECT_EQ(count(svg, "stroke-width=\"1.5\""), 3u);
  EXPECT_EQ(count(svg, "rotate(-90)"), 2u);
}

TEST(Chart, DrawsTheFirstPointLeftAndTheLastRight) {
  const std::string svg = draw_chart({{"a", "m", {2, 3, 4}, {0, 1, 0}}}, {.width = 400});
  const auto at = svg.find("<path d=\"M64.00 ");
  ASSERT_NE(at, svg.npos);
  EXPECT_NE(svg.find("L382.00 ", at), svg.npos);
}

TEST(Chart, LeavesOutWhatIsNoNumberAndThinsWhatIsMuch) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string gap = draw_chart({{"a", "m", {0, 1, 2, 3}, {0, nan, 1, INFINITY}}}, {});
  EXPECT_THAT(gap, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  Curve many{"b", "m"};
  for (int k = 0; k < 200'000; ++k) {
    many.x.push_back(k);
    many.y.push_back(k == 77'777 ? 9.0 : std::sin(0.001 * k));
  }
  const std::string thin = draw_chart({many}, {});
  EXPECT_LT(thin.size(), 200'000u);
  EXPECT_THAT(draw_chart({}, {}), HasSubstr("</svg>"));
  EXPECT_THAT(draw_chart({{"constant", "m", {0, 1}, {3, 3}}}, {}), Not(HasSubstr("nan")));
}

struct ReportTest : testing::Test {
  Folder folder;
  std::string path = folder("results.h5");
  ReportTest() { simulate(crank, path); }
};

TEST_F(ReportTest, TellsEverythingAndRunsNoScript) {
  const ResultsReader results(path);
  const std::string html = make_report(results, "crank", {});
  EXPECT_THAT(
      html, AllOf(HasSubstr("A &lt;/script&gt; crank"), HasSubstr("joint.A.angle"), HasSubstr("energy.total"),
                  HasSubstr("step.iterations"), HasSubstr("degrees of freedom"), HasSubstr("title: A")));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_EQ(count(html, "<figcaption>"), 4u);
  EXPECT_THAT(make_report(results, "crank", {"body.ball.velocity"}), HasSubstr("body.ball.velocity.z"));
  EXPECT_THROW(make_report(results, "crank", {"body.bell"}), Error);
}

TEST_F(ReportTest, StatisticsAreThoseOfTheRun) {
  const ResultsReader results(path);
  const auto rows = statistics(results);
  EXPECT_THAT(rows, testing::Contains(Pair("steps", "100")));
  EXPECT_THAT(rows, testing::Contains(Pair("outputs", "51")));
  EXPECT_THAT(rows, testing::Contains(Pair("step size", "0.01 s")));
}

TEST_F(ReportTest, StillsStayInsideTheirFrame) {
  const ResultsReader results(path);
  const Scene scene = make_scene(results);
  const std::string first = draw_still(results, scene, {0, 300, 200}),
                    last = draw_still(results, scene, {50, 300, 200});
  EXPECT_NE(first, last);
  EXPECT_THAT(first, AllOf(HasSubstr("<circle"), Not(HasSubstr("nan"))));
  for (std::size_t at = 0; (at = last.find("d=\"M", at)) != last.npos; ++at) {
    const double x = std::stod(last.substr(at + 4));
    EXPECT_GE(x, 0);
    EXPECT_LE(x, 300);
  }
}

TEST_F(ReportTest, CurvesCanBeDrawnAgainstEachOther) {
  const ResultsReader results(path);
  const auto curves = read_curves({{"", &results}}, {"joint.A.angle.rate"}, "joint.A.angle");
  EXPECT_EQ(curves[0].x, results.read("joint.A.angle"));
  EXPECT_THROW(read_curves({{"", &results}}, {"step.size"}, "joint.A.angle"), Error);
}

}  // namespace
}  // namespace hooke
