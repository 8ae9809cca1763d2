#include "hooke/view/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hooke/base/error.h"
#include "hooke/view/chart.h"
#include "hooke/view/report.h"
#include "some_results.h"

namespace hooke {
namespace {

using namespace testing_view;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(UnitsTest, StandInProductsAndPowers) {
  const Units units("mm,deg,kN,MPa");
  const auto expect = [&](const char* unit, double factor, const char* text) {
    const Units::Shown shown = units.show(unit);
    EXPECT_NEAR(shown.factor, factor, 1e-12 * factor) << unit;
    EXPECT_EQ(shown.unit, text);
  };
  expect("m", 1e3, "mm");
  expect("m/s^2", 1e3, "mm/s^2");
  expect("rad/s", 180 / M_PI, "deg/s");
  expect("N m", 1, "kN mm");
  expect("kg m^2", 1e6, "kg mm^2");
  expect("1/m", 1e-3, "1/mm");
  expect("Pa", 1e-6, "MPa");
  for (const char* as_it_is : {"1", "s", "", "m or rad", "m, 1", "<b>", "\"><script>"})
    expect(as_it_is, 1, as_it_is);
  EXPECT_EQ(Units("deg,rpm").show("rad/s").unit, "rpm");
  EXPECT_EQ(Units("").show("m").unit, "m");
}

TEST(UnitsTest, SayWhatThereIs) {
  const auto message = [](const char* words) {
    try {
      const Units units(words);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message("mm,inch"), AllOf(HasSubstr("'inch'"), HasSubstr("mm, cm, deg")));
  EXPECT_THAT(message("mm,cm"), HasSubstr("'mm' and 'cm' both stand for m"));
}

struct ShownTest : testing::Test {
  Folder folder;
  std::string path = folder("results.h5");
  ShownTest() { simulate(crank, path); }
};

TEST_F(ShownTest, CurvesAndReportsAreInTheUnitsOfTheReader) {
  const ResultsReader results(path);
  const auto curves =
      read_curves({{"", &results}}, {"body.ball.position.z", "joint.A.angle"}, "", Units("mm,deg"));
  EXPECT_EQ(curves[0].unit, "mm");
  EXPECT_DOUBLE_EQ(curves[0].y[3], 1e3 * results.read("body.ball.position.z")[3]);
  EXPECT_EQ(curves[1].unit, "deg");
  EXPECT_EQ(curves[1].x, results.read("time"));
  EXPECT_THAT(make_report(results, "crank", {}, Units("mm")),
              AllOf(HasSubstr("mass centre (mm)"), HasSubstr("kg mm^2"), HasSubstr(">mm</text>")));
}

/// The ball moves in the plane x = 0, up to round-off.
TEST_F(ShownTest, RoundOffIsZero) {
  std::vector<double> rows = ResultsReader(path).read_rows("bodies/position", 0, 51);
  {
    const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const hdf5::Handle dataset = hdf5::open_dataset(file, "bodies/position");
    for (std::size_t k = 3; k < rows.size(); k += 9) rows[k] = k % 2 ? 1e-19 : -3e-16;
    const hsize_t first[] = {0, 0, 0}, count[] = {51, 3, 3};  // the data set has room for more
    const hdf5::Handle memory(H5Screate_simple(3, count, nullptr), H5Sclose),
        space(H5Dget_space(dataset), H5Sclose);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, count, nullptr);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows.data());
  }
  const ResultsReader results(path);
  EXPECT_NE(results.read("body.ball.position.x")[1], 0);
  const std::vector<Curve> curves = read_curves({{"", &results}}, {"body.ball.position.x"});
  for (const double x : curves[0].y) EXPECT_EQ(x, 0);
}

/// A solid has no shape of a rigid body: the picture shows its own triangles.
TEST_F(ShownTest, ReportsShowSolidsInTheColoursOfThePage) {
  simulate(
      "hooke: 1\n"
      "bodies: {plate: {rigid: {mass: 1, inertia: 1}}}\n"
      "run: {step: 0.01, end: 0.1}\n",
      path);
  add_solid(path, "plate");
  const std::string html = make_report(ResultsReader(path), "plate", {}, Units("mm"));
  EXPECT_THAT(html, AllOf(HasSubstr("displacement of solids: 0"), HasSubstr("100 mm"), HasSubstr("#440154")));
  const std::size_t first = html.find("<figure>"), last = html.find("</figure>");
  EXPECT_THAT(html.substr(first, last - first),
              AllOf(HasSubstr("fill=\"#"), HasSubstr("stroke=\"#20262d\"")));
  EXPECT_EQ(colour_at(0), "#440154");
  EXPECT_EQ(colour_at(1), "#fde725");
  EXPECT_THAT(html, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace hooke
