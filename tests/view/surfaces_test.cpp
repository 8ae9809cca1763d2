#include "hooke/view/surfaces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "hooke/base/error.h"
#include "hooke/fe/section.h"
#include "hooke/math/so3.h"
#include "hooke/view/painter.h"
#include "hooke/view/scene.h"
#include "some_results.h"

namespace hooke {
namespace {

using namespace testing_view;
using testing::SizeIs;

/// By the divergence theorem: also tells that all triangles face outwards.
double volume_of(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const auto at = [&](int k) { return mesh.points[static_cast<std::size_t>(k)]; };
    sum += at(a).cross(at(b)).dot(at(c)) / 6;
  }
  return sum;
}

/// Area, and the integrals of y^2 and x^2, of a polygon.
Vec3 moments_of(const std::vector<Vec2>& outline) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const Vec2 &a = outline[k], &b = outline[(k + 1) % outline.size()];
    const double cross = a.x() * b.y() - b.x() * a.y();
    sum += cross * Vec3(1.0 / 2, (a.y() * a.y() + a.y() * b.y() + b.y() * b.y()) / 12,
                        (a.x() * a.x() + a.x() * b.x() + b.x() * b.x()) / 12);
  }
  return sum;
}

const char* const rods =
    "hooke: 1\n"
    "bodies:\n"
    "  panel: {cosserat: {section: {rectangle: [0.4, 0.004]}, material: &m {young: 7e10, poisson: 0.3, "
    "density: "
    "1600}, length: 1.2, elements: 3}}\n"
    "  bar: {ancf: {section: {circle: 0.03}, material: *m, length: 1, elements: 2}, at: [1, 0, 0]}\n"
    "  mast: {ffrf: {section: {tube: {outer: 0.06, inner: 0.05}}, material: *m, length: 1}, at: [2, 0, 0]}\n"
    "  spar: {cosserat: {section: {general: {stiffness: [1e6, 1e6, 1e6, 25, 100, 50], mass: 2,\n"
    "    inertia: [2e-4, 8e-4, 1e-3]}}, length: 1, elements: 2}, at: [3, 0, 0]}\n"
    "run: {step: 0.01, end: 0.02}\n";

struct SectionTest : testing::Test {
  Folder folder;
  std::string path = folder("results.h5");
  SectionTest() { simulate(rods, path); }
  ResultsReader::Rod rod(const std::string& name) {
    for (const ResultsReader::Rod& one : make_scene(ResultsReader(path)).rods)
      if (one.name == name) return one;
    throw std::out_of_range(name);
  }
};

/// The outline that is drawn has the moments that the rod computes with, about the same axes.
TEST_F(SectionTest, OutlinesHaveTheMomentsOfTheSection) {
  const SectionShape panel = SectionShape::rectangle(0.4, 0.004, 0.3), bar = SectionShape::circle(0.03, 0.3),
                     mast = SectionShape::tube(0.06, 0.05, 0.3);
  const auto expect = [](const Vec3& drawn, const SectionShape& shape, double tolerance) {
    EXPECT_NEAR(drawn[0], shape.area, tolerance * shape.area);
    EXPECT_NEAR(drawn[1], shape.moment_x, tolerance * shape.moment_x);
    EXPECT_NEAR(drawn[2], shape.moment_y, tolerance * shape.moment_y);
  };
  expect(moments_of(rod("panel").outline), panel, 1e-12);
  const double of_polygon = 0.035;  // a circle of 20 sides lacks 1.6 % of its area and 3.3 % of its moments
  expect(moments_of(rod("bar").outline), bar, of_polygon);
  expect(moments_of(rod("mast").outline) - moments_of(rod("mast").hole), mast, of_polygon);
  const Vec3 spar = moments_of(rod("spar").outline);  // gyration: 2e-4 / 2 by mass, 25 / 1e6 by stiffness
  EXPECT_NEAR(spar[1] / spar[0], 25e-6, 1e-6);
  EXPECT_NEAR(spar[2] / spar[0], 100e-6, 4e-6);
}

/// x of the section is x of the nodes, twisted or not.
TEST_F(SectionTest, TheSurfaceFollowsTheAxesOfTheNodes) {
  const ResultsReader::Rod panel = rod("panel");
  const std::vector<FramePose> nodes = rod_poses(ResultsReader(path), panel, 0);
  const TriangleMesh flat = rod_surface(panel.outline, panel.hole, nodes);
  EXPECT_NEAR(volume_of(flat), 0.4 * 0.004 * 1.2, 1e-12);
  for (std::size_t k = 0; k < flat.points.size(); ++k) {
    const FramePose& node = nodes[k / 4];
    const Vec3 local = node.R.transpose() * (flat.points[k] - node.p);
    EXPECT_NEAR(std::abs(local.x()), 0.2, 1e-12);
    EXPECT_NEAR(std::abs(local.y()), 0.002, 1e-12);
  }
  std::vector<FramePose> twisted = nodes;
  for (std::size_t k = 0; k < nodes.size(); ++k)
    twisted[k].R = nodes[k].R * exp_so3(0.2 * static_cast<double>(k) * unit_z);
  const TriangleMesh turned = rod_surface(panel.outline, panel.hole, twisted);
  const Vec3 last = twisted.back().R.transpose() * (turned.points.back() - twisted.back().p);
  EXPECT_LT((last - Vec3(-0.2, 0.002, 0)).norm(), 1e-12);
  const ResultsReader::Rod mast = rod("mast");
  const TriangleMesh hollow = rod_surface(mast.outline, mast.hole, {{identity3, zero3}, {identity3, unit_z}});
  EXPECT_NEAR(volume_of(hollow), M_PI * (0.06 * 0.06 - 0.05 * 0.05), 0.02 * M_PI * 0.0011);
}

TEST_F(SectionTest, ResultsOfEarlierVersionsShowACylinder) {
  {
    const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    H5Ldelete(file, "rods/bar/outline", H5P_DEFAULT);
  }
  const Vec3 moments = moments_of(rod("bar").outline);
  EXPECT_NEAR(moments[0], M_PI * 0.03 * 0.03, 0.02 * M_PI * 0.03 * 0.03);
}

TEST_F(SectionTest, AnOutlineThatIsNoneIsRefused) {
  for (const std::vector<double>& numbers :
       {std::vector<double>{0, 0, 1, 1}, std::vector<double>{0, 0, 1, 0, 1, NAN}}) {
    {
      const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
      H5Ldelete(file, "rods/bar/outline", H5P_DEFAULT);
      hdf5::write_numbers(file, "rods/bar/outline", numbers, 2);
    }
    EXPECT_THROW(make_scene(ResultsReader(path)), Error);
  }
}

TEST(FeatureEdges, AreWhereFacesMeetAtAnAngle) {
  const auto edges = [](const char* type) {
    return feature_edges(triangles_of({0, type, Vec3(1, 1, 1), {}, ""}, {}, 24));
  };
  EXPECT_THAT(edges("box"), SizeIs(12));
  EXPECT_THAT(edges("cylinder"), SizeIs(48));  // two circles
  EXPECT_THAT(edges("sphere"), SizeIs(0));
  const TriangleMesh square{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}},
                            {{0, 1, 2}, {3, 4, 5}}};
  EXPECT_THAT(feature_edges(square), SizeIs(4));  // the rim; the diagonal has corners of its own on each side
}

/// Looks at many points of the picture: the piece painted last there is the nearest.
TEST(Painter, WhatIsNearIsPaintedLast) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Piece> pieces;
  for (int k = 0; k < 60; ++k) {
    const Vec3 at(unit(random), unit(random), unit(random));
    std::vector<Vec3> corners;
    for (int c = 0; c < 3; ++c) corners.push_back(at + 0.8 * Vec3(unit(random), unit(random), unit(random)));
    pieces.push_back({corners, {1, 1, 1}, "#000000"});
  }
  const std::vector<Piece> painted = back_to_front(pieces, unit_z);
  EXPECT_GE(painted.size(), pieces.size());
  const auto height_at = [](const Piece& piece, double x, double y) -> double {
    const Vec3 normal = (piece.corners[1] - piece.corners[0]).cross(piece.corners[2] - piece.corners[0]);
    const double side = normal.z() > 0 ? 1 : -1;
    for (std::size_t k = 0; k < piece.corners.size(); ++k) {
      const Vec3 &a = piece.corners[k], &b = piece.corners[(k + 1) % piece.corners.size()];
      if (side * ((b.x() - a.x()) * (y - a.y()) - (b.y() - a.y()) * (x - a.x())) < 0) return -INFINITY;
    }
    return piece.corners[0].z() -
           (normal.x() * (x - piece.corners[0].x()) + normal.y() * (y - piece.corners[0].y())) / normal.z();
  };
  int covered = 0;
  for (int k = 0; k < 2000; ++k) {
    const double x = unit(random), y = unit(random);
    double nearest = -INFINITY, last = -INFINITY;
    for (const Piece& piece : pieces) nearest = std::max(nearest, height_at(piece, x, y));
    for (const Piece& piece : painted)
      if (const double z = height_at(piece, x, y); std::isfinite(z)) last = z;
    if (!std::isfinite(nearest) || !std::isfinite(last)) continue;
    ++covered;
    EXPECT_NEAR(last, nearest, 1e-6);
  }
  EXPECT_GT(covered, 1000);
}

TEST(Painter, CutsAreNoEdgesAndEdgesAreKept) {
  const std::vector<Piece> crossed =
      back_to_front({{{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {1, 1, 1, 1}, "#000000"},
                     {{{0, -1, -1}, {0, 1, -1}, {0.5, 1, 1}, {0.5, -1, 1}}, {1, 1, 1, 1}, "#ffffff"}},
                    unit_z);
  double drawn = 0;
  for (const Piece& piece : crossed)
    for (std::size_t k = 0; k < piece.corners.size(); ++k)
      if (piece.is_edge[k])
        drawn += (piece.corners[k] - piece.corners[(k + 1) % piece.corners.size()]).norm();
  EXPECT_NEAR(drawn, 8 + 4 + 2 * std::hypot(2, 0.5), 1e-9);
}

}  // namespace
}  // namespace hooke
