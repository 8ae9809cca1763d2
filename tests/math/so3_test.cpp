#include "hooke/math/so3.h"

#include <gtest/gtest.h>

#include <numbers>

#include "finite_difference.h"
#include "hooke/math/pack.h"

namespace hooke {
namespace {

using std::numbers::pi;
using test::expect_matrix_near;
using test::finite_difference;

// Both sides of every switch of formula: the series end at 2, the logarithm's at 2e-16.
const double angles[] = {0,    1e-200,   1e-160, 1e-17, 1e-16,     1e-12,     1e-8,
                         1e-5, 1e-3,     0.1,    0.5,   1,         1.5,       1.999999,
                         2.0,  2.000001, 2.5,    3,     pi - 1e-3, pi - 1e-6, pi - 1e-9};

template <class F>
void for_rotation_vectors(F f) {
  test::Random random(1);
  for (const double angle : angles) {
    SCOPED_TRACE(angle);
    for (const Vec3& axis : {unit_x, unit_y, unit_z, Vec3(-unit_y)}) f(Vec3(angle * axis));
    for (int i = 0; i < 20; ++i) f(Vec3(angle * random.direction()));
  }
}

TEST(So3, HatIsTheCrossProduct) {
  test::Random random(2);
  const Vec3 a = random.vector(), b = random.vector();
  expect_matrix_near(hat(a) * b, a.cross(b), 1e-15);
  EXPECT_EQ(unhat(hat(a)), a);
}

TEST(So3, ExponentialIsARotation) {
  for_rotation_vectors([](const Vec3& x) {
    const Mat3 R = exp_so3(x);
    expect_matrix_near(R.transpose() * R, identity3, 2e-15);
    EXPECT_GT(R.determinant(), 0);
    expect_matrix_near(exp_quaternion(x).toRotationMatrix(), R, 2e-15);
  });
}

TEST(So3, LogarithmInvertsTheExponentialToRoundOff) {
  for_rotation_vectors([](const Vec3& x) {
    // 1e-160 squared underflows inside the matrix, but not in the vector part of the quaternion
    EXPECT_LE((log_so3(exp_so3(x)) - x).norm(), 2e-15 * x.norm());
    EXPECT_LE((log_so3(exp_quaternion(x)) - x).norm(), 2e-15 * x.norm());
  });
}

TEST(So3, LogarithmAtPiKeepsTheAxisUpToItsSign) {
  test::Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Vec3 axis = i < 3 ? Vec3(Vec3::Unit(i)) : random.direction();
    const Mat3 R = 2 * axis * axis.transpose() - identity3;  // exactly pi
    const Vec3 x = log_so3(R);
    EXPECT_NEAR(x.norm(), pi, 1e-14);
    EXPECT_NEAR(std::abs(x.dot(axis)), pi, 1e-14);
    expect_matrix_near(exp_so3(x), R, 1e-14);
  }
}

TEST(So3, LogarithmDoesNotCareAboutTheQuaternionsSignOrLength) {
  const Vec3 x(0.3, -0.4, 1.2);
  const Quat q = exp_quaternion(x);
  expect_matrix_near(log_so3(Quat(-3 * q.coeffs())), x, 1e-15);
  EXPECT_EQ(log_so3(Quat::Identity()), zero3);
}

TEST(So3, TangentGivesTheBodyAngularVelocity) {
  for_rotation_vectors([](const Vec3& x) {
    const Mat3 R = exp_so3(x);
    const auto turned = [&](const Vec3& y) { return log_so3(Mat3(R.transpose() * exp_so3(y))); };
    const auto turned_left = [&](const Vec3& y) { return log_so3(Mat3(exp_so3(y) * R.transpose())); };
    expect_matrix_near(tangent_so3(x), finite_difference(turned, x), 1e-11);
    expect_matrix_near(left_tangent_so3(x), finite_difference(turned_left, x), 1e-11);
  });
}

TEST(So3, LeftTangentIsTheTransposeAndTheRotatedRightOne) {
  for_rotation_vectors([](const Vec3& x) {
    expect_matrix_near(left_tangent_so3(x), tangent_so3(x).transpose(), 1e-15);
    expect_matrix_near(left_tangent_so3(x), exp_so3(x) * tangent_so3(x), 3e-15);
    expect_matrix_near(inverse_left_tangent_so3(x), inverse_tangent_so3(x).transpose(), 1e-15);
  });
}

TEST(So3, InverseTangentInverts) {
  for_rotation_vectors(
      [](const Vec3& x) { expect_matrix_near(tangent_so3(x) * inverse_tangent_so3(x), identity3, 4e-15); });
}

TEST(So3, DerivativesOfTangentsMatchDifferences) {
  test::Random random(4);
  for_rotation_vectors([&](const Vec3& x) {
    const Vec3 w = random.vector();
    const auto check = [&](auto tangent, auto derivative) {
      expect_matrix_near(derivative(x, w),
                         finite_difference([&](const Vec3& y) { return Vec3(tangent(y) * w); }, x), 1e-10);
    };
    check(tangent_so3, tangent_so3_derivative);
    check(left_tangent_so3, left_tangent_so3_derivative);
    check(inverse_tangent_so3, inverse_tangent_so3_derivative);
    check(inverse_left_tangent_so3, inverse_left_tangent_so3_derivative);
    const Vec3 u = random.vector();
    expect_matrix_near(tangent_so3_along(x, u) * w, tangent_so3_derivative(x, w) * u, 1e-14);
  });
}

/// The claim of so3.h: no digits are lost on either side of the switch. Long double has 3 more.
TEST(So3, CoefficientsAreExactToRoundOff) {
  for (double t = 1.0; t < 3.1; t += 0.01) {
    const Vec3 x(t, 0, 0);
    const so3::Coefficients k(x);
    const so3::InverseCoefficients inverse(x);
    const long double s = static_cast<long double>(t) * t, T = t, half = T / 2;
    const long double a = std::sin(T) / T, b = (1 - std::cos(T)) / s, c = (1 - a) / s;
    const long double e = (1 - half / std::tan(half)) / s, sine = std::sin(half);
    const auto expect = [&](double actual, long double exact, double tolerance) {
      EXPECT_NEAR(double(actual / exact - 1), 0, tolerance) << t;
    };
    expect(k.b, b, 1e-15);
    expect(k.c, c, 2e-15);
    expect(k.db(), (a - 2 * b) / s, 1e-14);
    expect(k.dc(), (b - 3 * c) / s, 2e-14);
    expect(inverse.e, e, 2e-15);
    expect(inverse.de(), (0.25L / (sine * sine) - 1 / s - e) / s, 4e-14);
  }
}

TEST(So3, PerpendicularIsUnitAndDeterministic) {
  test::Random random(5);
  for (int i = 0; i < 50; ++i) {
    const Vec3 a = i < 3 ? Vec3(1e-3 * Vec3::Unit(i)) : Vec3(100 * random.vector()), p = any_perpendicular(a);
    EXPECT_NEAR(p.norm(), 1, 1e-15);
    EXPECT_NEAR(p.dot(a.normalized()), 0, 1e-15);
    EXPECT_EQ(p, any_perpendicular(a));
  }
}

TEST(So3, RotationsFromAxes) {
  test::Random random(6);
  for (int i = 0; i < 50; ++i) {
    const Vec3 along = 3 * random.vector(), towards = random.vector();
    for (const Mat3& R :
         {rotation_from_axes(along, towards), rotation_from_z(along), rotation_from_x(along, towards),
          rotation_from_x(along), rotation_between(along, towards)}) {
      expect_matrix_near(R.transpose() * R, identity3, 1e-14);
      EXPECT_NEAR(R.determinant(), 1, 1e-14);
    }
    const Mat3 Z = rotation_from_axes(along, towards), X = rotation_from_x(along, towards);
    expect_matrix_near(Z.col(2), along.normalized(), 1e-15);
    expect_matrix_near(X.col(0), along.normalized(), 1e-15);
    EXPECT_GT(Z.col(0).dot(towards), 0);
    EXPECT_NEAR(Z.col(1).dot(towards), 0, 1e-14);
    EXPECT_GT(X.col(1).dot(towards), 0);
    EXPECT_NEAR(X.col(2).dot(towards), 0, 1e-14);
    expect_matrix_near(rotation_between(along, towards) * along.normalized(), towards.normalized(), 1e-14);
  }
  for (const double off : {0.0, 1e-15, 1e-12, 1e-8, 1e-4}) {
    const Vec3 nearly = unit_x + off * unit_y;
    const Mat3 forth = rotation_between(unit_x, nearly), back = rotation_between(unit_x, -nearly);
    expect_matrix_near(forth, exp_so3(off * unit_z), 1e-8 * off + 1e-15);
    expect_matrix_near(back.transpose() * back, identity3, 2e-15);
    expect_matrix_near(back * unit_x, -nearly.normalized(), 2e-15);
  }
  EXPECT_THROW(rotation_from_axes(unit_x, 2 * unit_x), std::invalid_argument);
  EXPECT_THROW(rotation_from_axes(zero3, unit_x), std::invalid_argument);
  EXPECT_THROW(rotation_from_z(zero3), std::invalid_argument);
  EXPECT_THROW(rotation_from_x(zero3), std::invalid_argument);
}

TEST(So3BySeries, AgreesWithClosedFormsForOneAndForFour) {
  test::Random random(11);
  for (int trial = 0; trial < 200; ++trial) {
    std::array<Vec3, 4> x, v;
    std::array<Quat, 4> q;
    Eigen::Matrix<Pack, 3, 1> xs, vs;
    Eigen::Matrix<Pack, 4, 1> qs;
    for (int lane = 0; lane < 4; ++lane) {
      x[lane] = random.direction() * 2 * std::pow(10, -0.1 * trial);
      v[lane] = random.direction();
      q[lane] = exp_quaternion(3 * random.direction());
      for (int i = 0; i < 3; ++i) xs[i].v[lane] = x[lane][i], vs[i].v[lane] = v[lane][i];
      const Vec4 wxyz(q[lane].w(), q[lane].x(), q[lane].y(), q[lane].z());
      for (int i = 0; i < 4; ++i) qs[i].v[lane] = wxyz[i];
    }
    const Pack s = xs[0] * xs[0] + xs[1] * xs[1] + xs[2] * xs[2];
    const auto turned = so3::turned_by_series(qs, xs, s);
    const auto rate = so3::inverse_tangent_by_series(xs, vs, s);
    for (int lane = 0; lane < 4; ++lane) {
      const Quat expected = (q[lane] * exp_quaternion(x[lane])).normalized();
      const Vec4 found(turned[0][lane], turned[1][lane], turned[2][lane], turned[3][lane]);
      EXPECT_LT((found - Vec4(expected.w(), expected.x(), expected.y(), expected.z())).norm(), 1e-15);
      const Vec3 found_rate(rate[0][lane], rate[1][lane], rate[2][lane]);
      EXPECT_LT((found_rate - inverse_tangent_so3(x[lane]) * v[lane]).norm(), 1e-14);
    }
  }
}

}  // namespace
}  // namespace hooke
