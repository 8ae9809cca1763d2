// Distance fields and one point of contact: every derivative against differences, balance, potential.
#include "hooke/contact/contact_point.h"
#include "hooke/contact/height_field.h"
#include "hooke/contact/mesh_field.h"
#include "hooke/math/so3.h"
#include "support/finite_difference.h"

namespace hooke::test {
namespace {

struct NamedField {
  std::string name;
  std::shared_ptr<const DistanceField> field;
};

TriangleMesh some_hull() {
  Random random{8};
  std::vector<Vec3> points;
  for (int i = 0; i < 40; ++i) points.push_back(random_vector(3, random));
  return convex_hull(points);
}

MatrixX some_heights() {
  MatrixX z(8, 9);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 9; ++c) z(r, c) = 0.1 * std::sin(0.6 * c) + 0.08 * std::cos(0.5 * r + 0.3 * c);
  return z;
}

std::vector<NamedField> fields() {
  return {{"half_space", std::make_shared<HalfSpaceField>()},
          {"sphere", std::make_shared<SphereField>(0.8)},
          {"hollow_sphere", std::make_shared<HollowSphereField>(2.5)},
          {"box", std::make_shared<BoxField>(Vec3(1, 1.4, 0.9))},
          {"rounded_box", std::make_shared<BoxField>(Vec3(1, 1.4, 0.9), 0.2)},
          {"capsule", std::make_shared<CapsuleField>(0.5, 1.2)},
          {"rounded_cylinder", std::make_shared<RevolvedField>(RevolvedField::cylinder(0.5, 0.7), 0.2)},
          {"cylinder", std::make_shared<RevolvedField>(RevolvedField::cylinder(0.7, 1.1))},
          {"cone", std::make_shared<RevolvedField>(RevolvedField::cone(0.9, 0.3, 1.2))},
          {"tip", std::make_shared<RevolvedField>(RevolvedField::cone(0.8, 0, 1.2))},
          {"bore", std::make_shared<BoreField>(2.5)},
          {"hull", std::make_shared<MeshField>(some_hull(), 0.1)},
          {"height_field", std::make_shared<HeightField>(some_heights(), Vec2(0.5, 0.7))}};
}

class Fields : public ::testing::TestWithParam<NamedField> {};
INSTANTIATE_TEST_SUITE_P(All, Fields, ::testing::ValuesIn(fields()),
                         [](const auto& field) { return field.param.name; });

TEST_P(Fields, NormalAndCurvatureAreDerivatives) {
  Random random{3};
  const DistanceField& field = *GetParam().field;
  for (int i = 0; i < 300; ++i) {
    const Vec3 x = 1.5 * random_vector(3, random);
    const DistanceSample s = field.at(x);
    EXPECT_NEAR(s.normal.norm(), 1, 1e-12);
    const double h = 1e-6;
    const bool is_smooth = [&] {  // edges inside, where the nearest face is another
      for (int k = 0; k < 3; ++k)
        for (const double side : {-1.0, 1.0})
          if ((field.at(x + side * 1e-4 * Vec3::Unit(k)).normal - s.normal).norm() > 0.01) return false;
      return true;
    }();
    if (!is_smooth) continue;
    for (int k = 0; k < 3; ++k) {
      const DistanceSample up = field.at(x + h * Vec3::Unit(k)), down = field.at(x - h * Vec3::Unit(k));
      EXPECT_NEAR((up.distance - down.distance) / (2 * h), s.normal[k], 1e-7);
      const Vec3 slope = (up.normal - down.normal) / (2 * h);
      EXPECT_LT((slope - s.curvature.col(k)).norm(), 1e-6) << x.transpose();
    }
  }
}

/// The distance is that to the nearest of many points of the surface.
TEST(Fields, TellTheDistance) {
  const auto distance = [](const DistanceField& field, const Vec3& x) { return field.at(x).distance; };
  const BoxField box(Vec3(2, 2, 2));
  const RevolvedField cylinder(RevolvedField::cylinder(1, 2));
  EXPECT_NEAR(distance(box, {2, 2, 2}), std::sqrt(3.0), 1e-15);
  EXPECT_NEAR(distance(box, {0.9, 0, 0}), -0.1, 1e-15);
  EXPECT_NEAR(distance(CapsuleField(0.5, 2), {0, 0, 2}), 0.5, 1e-15);
  EXPECT_NEAR(distance(cylinder, {2, 0, 2}), std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(distance(cylinder, {0, 0, 0.7}), -0.3, 1e-15);
  EXPECT_NEAR(distance(RevolvedField(RevolvedField::cone(1, 0, 1)), {0, 0, 1.5}), 1, 1e-15);
  EXPECT_NEAR(distance(BoxField(Vec3(2, 2, 2), 0.2), {2, 2, 2}), std::sqrt(3.0) * 1.2 - 0.2, 1e-15);
}

/// A mesh of a box, one of a notched block, and hulls of points.
TriangleMesh box_mesh(const Vec3& size) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back(0.5 * size.cwiseProduct(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
  return convex_hull(corners);
}

TEST(MeshField, OfABoxIsThatOfTheBox) {
  const Vec3 size(1, 1.4, 0.9);
  const TriangleMesh mesh = box_mesh(size);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_EQ(problem_of(mesh), "");
  const MeshField field(mesh, 0.05);
  const BoxField box(size + Vec3::Constant(0.1), 0.05);
  Random random{5};
  for (int i = 0; i < 1000; ++i) {
    const Vec3 x = 1.2 * random_vector(3, random);
    EXPECT_NEAR(field.at(x).distance, box.at(x).distance, 1e-13);
    if (box.at(x).distance < -0.04) continue;
    EXPECT_LT((field.at(x).normal - box.at(x).normal).norm(), 1e-9);
  }
  const auto features = features_of(mesh, 0);
  EXPECT_EQ(std::count_if(features.begin(), features.end(),
                          [](const auto& f) { return f.kind == TouchingFeature::Kind::point; }),
            8);
  EXPECT_EQ(features.size(), 8u + 2 * 12);  // both ends of edges; diagonals of its faces are none
}

TEST(MeshField, HullHoldsAllPointsAndIsConvex) {
  Random random{4};
  std::vector<Vec3> points;
  for (int i = 0; i < 500; ++i) points.push_back(random_vector(3, random));
  for (int i = 0; i < 5; ++i) points.push_back(points.front());
  const TriangleMesh hull = convex_hull(points);
  EXPECT_EQ(problem_of(hull), "");
  EXPECT_EQ(hull.points.size() + hull.triangles.size() - 3 * hull.triangles.size() / 2, 2u);  // Euler
  const MeshField field(hull);
  for (const Vec3& p : points) EXPECT_LT(field.at(p).distance, 1e-9);
  for (const Vec3& p : hull.points) EXPECT_NEAR(field.at(p).distance, 0, 1e-12);
  EXPECT_TRUE(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 0}}).triangles.empty());
}

TEST(MeshField, TellsWhatIsWrongWithAMesh) {
  const TriangleMesh good = box_mesh(Vec3::Ones());
  TriangleMesh open = good, inverted = good, mixed = good;
  open.triangles.pop_back();
  for (auto& t : inverted.triangles) std::swap(t[0], t[1]);
  std::swap(mixed.triangles[3][0], mixed.triangles[3][1]);
  EXPECT_THAT(problem_of(open), testing::HasSubstr("open"));
  EXPECT_THAT(problem_of(inverted), testing::HasSubstr("inside out"));
  EXPECT_THAT(problem_of(mixed), testing::HasSubstr("disagree"));
  TriangleMesh soup;  // each triangle with points of its own, as STL files have them
  for (const auto& t : good.triangles) {
    const int first = static_cast<int>(soup.points.size());
    for (const int corner : t) soup.points.push_back(good.points[static_cast<std::size_t>(corner)]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  EXPECT_THAT(problem_of(soup), testing::HasSubstr("open"));
  EXPECT_EQ(problem_of(welded(soup)), "");
}

TEST(HeightField, GoesThroughItsHeights) {
  const MatrixX z = some_heights();
  const HeightField field(z, Vec2(0.5, 0.7));
  for (int r = 0; r < z.rows(); ++r)
    for (int c = 0; c < z.cols(); ++c) {
      const Vec2 at(0.5 * (c - 4), 0.7 * (r - 3.5));
      EXPECT_NEAR(field.over(at).z, z(r, c), 1e-14);
      EXPECT_NEAR(field.at(Vec3(at.x(), at.y(), z(r, c))).distance, 0, 1e-14);
    }
  EXPECT_EQ(field.over(Vec2(100, 0)).slope.x(), 0);
}

TEST(NormalLaw, RestitutionIsThatOfTheClosedForm) {
  EXPECT_EQ(NormalLaw::loss_of(1), 0);
  for (const double e : {0.05, 0.3, 0.6, 0.9, 0.99}) {
    const double D = NormalLaw::loss_of(e);
    EXPECT_NEAR((1 + e) * D, std::log((1 + D) / (1 - e * D)), 1e-8) << e;
  }
  EXPECT_NEAR(NormalLaw::loss_of(0.999), 1.5 * 0.001, 1e-5);  // the limit that is usually taken
}

// ---- a point of contact -------------------------------------------------------------------------

struct Example {
  std::string name;
  TouchingFeature feature;
  std::shared_ptr<const DistanceField> field;
  FrictionLaw friction;
};

std::vector<Example> examples() {
  using Kind = TouchingFeature::Kind;
  const std::vector<std::pair<std::string, TouchingFeature>> features{
      {"corner", {.centre = Vec3(0.3, -0.2, 0.4)}},
      {"ball", {.centre = Vec3(0.1, 0, 0), .radius = 0.5}},
      {"segment",
       {.kind = Kind::segment, .centre = Vec3(0, 0.1, 0), .axis = Vec3(0.3, 0.4, 1.5), .radius = 0.3}},
      {"rim", {.kind = Kind::rim, .centre = Vec3(0, 0, 0.2), .axis = Vec3::UnitZ(), .rim_radius = 0.6}}};
  const std::vector<std::pair<std::string, FrictionLaw>> frictions{
      {"smooth", {}},
      {"coulomb", {.coefficient = 0.4, .stick_speed = 0.5}},
      {"sticking", {.coefficient = 0.4, .bristle = 8, .settling = 0.3}},
      {"slipping", {.coefficient = 0.4, .bristle = 0.05, .settling = 0.3}},
      {"rolling",
       {.coefficient = 0.2, .stick_speed = 0.5, .rolling = 0.3, .spinning = 0.2, .stick_spin = 0.4}}};
  std::vector<Example> all;
  for (const auto& [name, feature] : features)
    for (const NamedField& field : fields())
      for (const auto& [law, friction] : frictions) {
        if (feature.kind == Kind::segment && field.name == "half_space") continue;
        if (feature.kind != Kind::point && (field.name == "hollow_sphere" || field.name == "bore" ||
                                            field.name == "height_field" || field.name == "hull"))
          continue;
        all.push_back({name + "_" + field.name + "_" + law, feature, field.field, friction});
      }
  return all;
}

class Contact : public ::testing::TestWithParam<Example> {
 protected:
  ContactPoint point() const {
    return {.feature = GetParam().feature,
            .field = GetParam().field,
            .normal = {.stiffness = 3, .exponent = 1.5, .loss = 0.4, .rest_speed = 0.1},
            .friction = GetParam().friction,
            .share = 0.5};
  }
  /// On frames that touch, away from where the nearest place jumps.
  void on_touching_frames(const std::function<void(const ContactPoint&, const Frames&)>& check) {
    Random random{7};
    const ContactPoint contact = point();
    int found = 0;
    for (int i = 0; i < 4000 && found < 8; ++i) {
      Frames frames = Frames::random(2, random);
      frames.memory.assign(TouchMemory::size, 0.0);
      frames.memory[0] = 1.3;
      frames.memory[2] = frames.t - 0.2;
      for (int k = 3; k < 9; ++k) frames.memory[k] = 0.2 * random_vector(1, random)[0];
      const double gap = contact.gap_at(frames.pose[0], frames.pose[1]).gap;
      if (!(gap < -0.03 && gap > -0.5)) continue;
      if (!is_smooth(contact, frames)) continue;
      ++found;
      check(contact, frames);
    }
    EXPECT_GT(found, 2) << "no frames that touch";
  }
  static bool is_smooth(const ContactPoint& contact, const Frames& frames) {
    const Vec3 place = contact.gap_at(frames.pose[0], frames.pose[1]).place;
    for (int k = 0; k < 12; ++k)
      for (const double side : {-1e-3, 1e-3}) {
        const Frames near = frames.moved(side * VectorX::Unit(12, k));
        const auto at = contact.gap_at(near.pose[0], near.pose[1]);
        if (!(at.gap < -0.01) || (at.place - place).norm() > 0.02) return false;
        Vec12 a, b;
        contact.evaluate(frames.inputs<2>(), a);
        contact.evaluate(near.inputs<2>(), b);
        if ((a - b).norm() > 0.05 * (1 + a.norm())) return false;
      }
    return true;
  }
  static VectorX wrench(const ContactPoint& contact, const Frames& frames) {
    Vec12 w;
    contact.evaluate(frames.inputs<2>(), w);
    return w;
  }
};

INSTANTIATE_TEST_SUITE_P(All, Contact, ::testing::ValuesIn(examples()),
                         [](const auto& example) { return example.param.name; });

TEST_P(Contact, TangentsAreTheDerivativesOfTheWrench) {
  on_touching_frames([](const ContactPoint& contact, const Frames& frames) {
    Mat12 K, D;
    contact.tangent(frames.inputs<2>(), K, D);
    const auto of_motion = [&](const VectorX& dx) { return wrench(contact, frames.moved(dx)); };
    const auto of_twist = [&](const VectorX& du) { return wrench(contact, frames.sped_up(du)); };
    EXPECT_MATRIX_NEAR(K, finite_difference(of_motion, 12), 2e-6);
    EXPECT_MATRIX_NEAR(D, finite_difference(of_twist, 12), 2e-6);
  });
}

/// An edge that lies on a face is met where it leaves it, along the border of the face.
TEST(ContactPoint, AnEdgeLeavesAFace) {
  const Vec3 size(1, 1.4, 0.9);
  const std::vector<std::shared_ptr<const DistanceField>> boxes{
      std::make_shared<BoxField>(size, 0.1),
      std::make_shared<MeshField>(box_mesh(size - Vec3::Constant(0.2)), 0.1)};
  for (const auto& box : boxes)
    for (const double end : {-1.0, 1.0}) {
      ContactPoint contact{.feature = {.kind = TouchingFeature::Kind::segment,
                                       .axis = Vec3(1.5, 0.2, 0),
                                       .turn = end,
                                       .radius = 0.05},
                           .field = box,
                           .normal = {.stiffness = 3, .exponent = 1.5, .loss = 0.4, .rest_speed = 0.1},
                           .friction = {.coefficient = 0.4, .stick_speed = 0.5},
                           .share = 0.5};
      Random random{2};
      Frames frames = Frames::random(2, random);
      frames.memory.assign(TouchMemory::size, 0.0);
      FramePose &A = frames.pose[0], &B = frames.pose[1];
      A = B * FramePose{exp_so3(Vec3(0, 0.004, 0)) * exp_so3(Vec3(0, 0, 0.3)),
                        Vec3(0.03, 0.1, 0.45 + 0.05 - 0.02)};
      const ContactGap at = contact.gap_at(A, B);
      EXPECT_NEAR((B.R.transpose() * (at.place - B.p)).x(), 0.4 * end, 1e-3);
      EXPECT_NEAR(at.gap, -0.02, 0.01);
      EXPECT_LT((at.normal - B.R.col(2)).norm(), 5e-3);
      Mat12 K, D;
      contact.tangent(frames.inputs<2>(), K, D);
      const auto wrench = [&](const VectorX& dx) -> VectorX {
        Vec12 w;
        contact.evaluate(frames.moved(dx).inputs<2>(), w);
        return w;
      };
      EXPECT_MATRIX_NEAR(K, finite_difference(wrench, 12), 2e-5);
    }
}

/// Two capsules that are nearly parallel, turned by ever less: somewhere along them they are as near as their axes are.
TEST(ContactPoint, NearlyParallelCapsulesAreAsDeepAsTheyAre) {
  const double r = 0.1, half = 0.6;
  const CapsuleField field(r, 2 * half);
  for (const double angle : {0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 0.0}) {
    const FramePose B, A{exp_so3(Vec3(angle, 0, 0)), Vec3(1.98 * r, 0, 0.1)};
    double least = 1;
    for (const double end : {-1.0, 1.0})
      least =
          std::min(least, gap_between({.centre = Vec3(0, 0, end * half), .radius = r}, field, A, B, 0.5).gap);
    const TouchingFeature along{
        .kind = TouchingFeature::Kind::segment, .axis = Vec3(0, 0, half), .radius = r};
    least = std::min(least, gap_between(along, field, A, B, 0.5).gap);
    EXPECT_NEAR(least, -0.02 * r, 1e-7 * r) << angle;
  }
}

TEST_P(Contact, IsInBalanceAndTakesPower) {
  on_touching_frames([](const ContactPoint& contact, const Frames& frames) {
    const VectorX w = wrench(contact, frames);
    Vec6 net = Vec6::Zero();
    double power = 0;
    for (int i = 0; i < 2; ++i) {
      net += w.segment<6>(6 * i);
      net.tail<3>() += frames.pose[i].p.cross(w.segment<3>(6 * i));
      power += w.segment<6>(6 * i).dot(frames.twist[i]);
    }
    EXPECT_MATRIX_NEAR(net, zero6, 1e-12 * std::max(1.0, w.norm()));
    // What the wrenches do is what the potential loses and what is dissipated.
    const double h = 1e-6;
    VectorX motion(12);
    motion << frames.twist[0], frames.twist[1];
    const auto energy = [&](double s) { return contact.energy(frames.moved(s * motion).inputs<2>()); };
    const double rate = (energy(h) - energy(-h)) / (2 * h),
                 lost = contact.power(frames.inputs<2>()).dissipated;
    EXPECT_NEAR(power, -rate - lost, 1e-6 * (1 + std::abs(power)));
    if (contact.friction.bristle == 0) {  // bristles give back
      EXPECT_GE(lost, -1e-12);
    }
  });
}

}  // namespace
}  // namespace hooke::test
