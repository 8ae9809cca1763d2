// Contact and friction against closed forms and independent solutions.
#include <numbers>

#include "support/contact_references.h"
#include "validation/contact_page.h"

namespace hooke::validation {
namespace {

// ---- bouncing ball: arcs of parabolas -------------------------------------------------------------

double height_of_bounce(double t, double e) {
  double begin = std::sqrt(2 / g), speed = e * g * begin;
  if (t < begin) return 1 - 0.5 * g * t * t;
  while (speed > 1e-9 && t > begin + 2 * speed / g) begin += 2 * speed / g, speed *= e;
  if (speed <= 1e-9) return 0;
  const double s = t - begin;
  return speed * s - 0.5 * g * s * s;
}

void bounce(Page& page) {
  const double zeno = std::sqrt(2 / g) * (1 + 0.8) / (1 - 0.8);
  const auto error = [&](double step, Overrides more) {
    const Trajectory ball = run_contact("bounce", step, std::move(more));
    double bounces = 0, rest = 0;
    for (std::size_t i = 0; i < ball.size(); ++i) {
      const double t = ball.time(i), z = ball.position(i, "ball").z() - 0.1;
      if (t < 4.0) bounces = std::max(bounces, std::abs(z - height_of_bounce(t, 0.8)));
      if (t > zeno + 1e-3) rest = std::max(rest, std::abs(z) + ball.body(i, "ball").twist.norm());
    }
    return std::pair{bounces, rest};
  };
  const auto located = halving(2e-2, 3, [&](double h) { return error(h, {}).first; });
  const auto not_located = halving(2e-3, 6, [&](double h) {
    return error(h, {"contacts.floor.locate=false", "run.end=1.5"}).first;
  });
  page.add("bounce", "height over 20 bounces, m", "arcs of parabolas", 2e-2, located);
  page.add("bounce", "the same to 1.5 s, steps not ended at impacts", "", 2e-3, not_located);
  page.expect("twenty bounces with steps that end at impacts, error of the height in m", located.back(),
              1e-7);
  page.expect("after the Zeno point the ball lies still: height and speed", error(5e-3, {}).second, 1e-7);
}

// ---- friction ---------------------------------------------------------------------------------------

void rolling(Page& page) {
  const double v = 2, mu = 0.2, until = 2 * v / (7 * mu * g);
  const double way = v * until - 0.5 * mu * g * until * until + 5. / 7 * v * (1 - until);
  double speed = 0;
  const auto errors = halving(1e-2, 4, [&](double h) {
    const Trajectory ball = run_contact("rolling", h);
    speed = std::abs(ball.body(ball.last(), "ball").twist[0] - 5. / 7 * v);
    return std::abs(ball.position(ball.last(), "ball").x() - way);
  });
  page.add("rolling", "way after 1 s, m", "slides, then rolls at 5/7 v", 1e-2, errors);
  page.expect("a sliding ball ends up rolling at 5/7 of its speed: error in m/s", speed, 1e-3);
  page.expect("and its way converges: 0.8 less the order measured", 0.8 - order(errors), 0.0);
}

void incline(Page& page) {
  const double a = std::numbers::pi / 9;
  const auto way = [](double h, Overrides more) {
    const Trajectory block = run_contact("incline", h, std::move(more));
    return block.position(block.last(), "block").x();
  };
  const double slides = 0.5 * g * (std::sin(a) - 0.3 * std::cos(a));
  const auto errors = halving(1e-2, 2, [&](double h) { return std::abs(way(h, {}) - slides); });
  const auto sticks = halving(1e-2, 2, [&](double h) { return std::abs(way(h, {"parameters.mu=0.4"})); });
  page.add("incline", "way of a block that slides, 1 s, m", "g (sin a - mu cos a) t^2/2", 1e-2, errors);
  page.add("incline", "way of one that sticks (mu = 0.4), m", "0", 1e-2, sticks);
  page.expect("a block slides down at Coulomb's acceleration: error of its way in m", errors.front(), 1e-10);
  page.expect("and does not creep where it sticks: way in m", sticks.front(), 1e-12);
}

void disc(Page& page) {
  const double torque = 0.2 * g * (0.1 - 1e-6), J = 0.5 * 0.01, turn = 0.5 * J * 400 / torque;
  const auto errors = halving(5e-3, 3, [&](double h) {
    const Trajectory d = run_contact("spinning_disc", h);
    const Mat3& R = d.body(d.last(), "disc").pose.R;
    return std::abs(std::remainder(std::atan2(R(1, 0), R(0, 0)) - turn, 2 * std::numbers::pi));
  });
  page.add("spinning_disc", "angle at which it stops, rad", "omega^2 J/(2 mu m g R)", 5e-3, errors);
  page.expect("a disc on its rim stops where friction stops it: error in rad", errors.back(), 0.01);
}

void tippe_top(Page& page) {
  const auto errors = halving(2e-4, 2, [&](double h) {
    const Trajectory top = run_contact("tippe_top", h, {"run.end=4"});
    double first = 0, most = 0;
    for (std::size_t i = 0; i < top.size(); ++i) {
      const Record::Body& body = top.body(i, "top");
      if ((body.pose.R * Vec3::UnitZ()).z() < -0.85) break;  // then the stem touches, too
      const Vec3 middle = body.pose.p + body.pose.R * Vec3(0, 0, 0.0015);
      const Vec3 arm = body.pose.p - (middle - Vec3(0, 0, 0.015));
      const double jellett = 7e-7 * body.twist.tail<3>().dot(arm);
      if (i == 0) first = jellett;
      most = std::max(most, std::abs(jellett / first - 1));
    }
    return most;
  });
  page.add("tippe_top", "angular momentum along the line from the contact to the mass centre, relative",
           "constant (Jellett 1872)", 2e-4, errors);
  page.expect("friction at one point keeps Jellett's constant while the top turns over: relative change",
              errors.back(), 0.01);
}

/// At first the force at the tip is m g/p while it can be; where it cannot, the rod jams: with W of the tip (normal, tangent),
/// W P = -(0, v) is the impulse.
void painleve(Page& page) {
  const double c = 0.5, s = std::sqrt(0.75), p = 1 + 3 * c * (c - 0.5 * s);
  const auto forces = halving(1e-3, 3, [&](double h) {
    const Trajectory rod = run_contact(
        "painleve", h,
        {"parameters.mu=0.5", fmt::format("run.end={}", 4 * h), fmt::format("outputs.every={}", h)});
    return std::abs(-rod.contact(1, "tip").force.z() / (g / p) - 1);
  });
  Mat2 W{{1 + 3 * c * c, 3 * c * s}, {3 * c * s, 1 + 3 * s * s}};
  const Vec2 P = W.inverse() * Vec2(0, -1);
  const auto jam = halving(1e-3, 3, [&](double h) {
    const Trajectory rod =
        run_contact("painleve", h, {fmt::format("run.end={}", 2 * h), fmt::format("outputs.every={}", h)});
    const Vec6& twist = rod.body(1, "rod").twist;
    return (twist.head<3>() - Vec3(1 + P[1], 0, P[0])).norm();
  });
  page.add("painleve", "force at the tip that slides (mu = 0.5), relative", "m g/p", 1e-3, forces);
  page.add("painleve", "velocity after the jam (mu = 2.5), m/s", "impulse that ends the sliding", 1e-3, jam);
  page.expect("Painlevé's rod slides under the force of the closed form: relative error", forces.back(),
              2e-3);
  page.expect("and jams by the impulse of the closed form: error of the velocity in m/s", jam.back(), 5e-3);
}

// ---- impacts ----------------------------------------------------------------------------------------

void hertz(Page& page) {
  const double r = 0.01, v = 0.1, m = 4. / 3 * std::numbers::pi * r * r * r * 7850;
  const double k = 4. / 3 * 2.1e11 / (2 * (1 - 0.09)) * std::sqrt(r);
  const double depth = std::pow(1.25 * m * v * v / k, 0.4), lasts = 2.943275 * depth / v;
  const auto errors = [&](double h) {
    const Trajectory ball = run_contact("hertz", h, {fmt::format("outputs.every={}", h)});
    double deepest = 0, end = 0;
    for (std::size_t i = 1; i < ball.size(); ++i) {
      const double before = ball.contact(i - 1, "wall").gap, gap = ball.contact(i, "wall").gap;
      deepest = std::max(deepest, -gap);
      if (before < 0 && gap >= 0)
        end = ball.time(i - 1) + before / (before - gap) * (ball.time(i) - ball.time(i - 1));
    }
    return std::pair{std::abs(deepest / depth - 1), std::abs(end / lasts - 1)};
  };
  const auto depths = halving(2e-6, 3, [&](double h) { return errors(h).first; });
  const auto times = halving(2e-6, 3, [&](double h) { return errors(h).second; });
  page.add("hertz", "greatest depth, relative", "(5 m v^2/(4 k))^(2/5)", 2e-6, depths);
  page.add("hertz", "duration of the impact, relative", "2.9433 depth/v", 2e-6, times);
  page.expect("Hertz's impact: relative error of depth and duration", std::max(depths.back(), times.back()),
              2e-3);
}

void cradle(Page& page) {
  const Trajectory balls("contact/cradle.yaml",
                         {"contacts.balls.restitution=1", "run.end=0.6", "outputs.every=0.001"});
  double highest = -1, rest = 0;
  for (std::size_t i = 0; i < balls.size(); ++i) {
    highest = std::max(highest, balls.position(i, "ball5").z());
    if (balls.time(i) > 0.3 && balls.time(i) < 0.5)
      rest = std::max(rest, std::abs(balls.position(i, "ball1").x() + 2 * 0.0401));
  }
  const double released = 0.2 * (1 - std::cos(0.6)), error = std::abs((highest + 0.2) / released - 1);
  const auto reference = test::runge_kutta(test::Cradle{}, 2e-7, 1e-3, 0.35);
  const auto errors = halving(8e-6, 3, [&](double h) {
    const Trajectory run = run_contact(
        "cradle", h,
        {"contacts.balls.restitution=1", "run.tolerance=null", "run.end=0.35", "outputs.every=0.001"});
    double most = 0;
    for (std::size_t i = 0; i < run.size(); ++i)
      for (int ball = 0; ball < 5; ++ball)
        most = std::max(most, std::abs(run.position(i, fmt::format("ball{}", ball + 1)).x() + 2 * 0.0401 -
                                       test::Cradle{}.place(reference[i], ball)[0]));
    return most;
  });
  page.add("cradle", "height of the fifth ball (tolerance 1e-8), relative", "that of the first", 1e-5,
           {error});
  page.add("cradle", "places of the five balls, m", "five angles, Runge-Kutta", 8e-6, errors);
  page.expect("Newton's cradle: places of the five balls against equations of their own, m", errors.back(),
              1e-6);
  page.expect("the fifth ball rises as high as the first was, relative error", error, 0.01);
  page.expect("while the first hangs still, up to the gaps between them: way in m", rest, 5e-4);
}

void rocking_block(Page& page) {
  const double b = 0.1, height = 0.4, R = 0.5 * std::hypot(b, height), a = std::atan(b / height);
  const double p = std::sqrt(3 * g / (4 * R)), keeps = 1 - 1.5 * std::sin(a) * std::sin(a);
  double ratio_error = 0;
  const auto errors = halving(2e-3, 3, [&](double h) {
    const Trajectory block = run_contact("rocking_block", h, {"run.end=1", "outputs.every=1e-4"});
    double impact = 0, before = 0, after = 0;
    for (std::size_t i = 1; i < block.size() && impact == 0; ++i) {
      const auto tilt = [&](std::size_t k) {
        const Mat3& turned = block.body(k, "block").pose.R;
        return std::atan2(turned(0, 2), turned(2, 2));
      };
      if (tilt(i) > 0) continue;
      impact =
          block.time(i - 1) + tilt(i - 1) / (tilt(i - 1) - tilt(i)) * (block.time(i) - block.time(i - 1));
      before = block.body(i - 1, "block").twist[4], after = block.body(i, "block").twist[4];
    }
    ratio_error = std::abs(after / before - keeps);
    // The nonlinear motion on the corner: p^2 (1 - cos) in place of p^2/2 (a - tilt)^2, by quadrature of the energy.
    double t = 0;
    constexpr int n = 200000;
    for (int k = 0; k < n; ++k) {  // tilt = tilt0 (1 - s^2): no singularity at the start
      const double s = (k + 0.5) / n, tilt = 0.5 * a * (1 - s * s);
      const double rate = p * std::sqrt(2 * (std::cos(a - tilt) - std::cos(0.5 * a)) * -1);
      t += 0.5 * a * 2 * s / n / rate;
    }
    return std::abs(impact / t - 1);
  });
  page.add("rocking_block", "time of the first impact, relative", "energy of the block on its corner", 2e-3,
           errors);
  page.expect("a rocking block meets the floor when energy says: relative error", errors.back(), 1e-3);
  page.expect("and keeps 1 - 1.5 sin^2 a of its rate (Housner): error of the ratio", ratio_error, 5e-3);
}

void woodpecker(Page& page) {
  constexpr double period = 0.13080, down = 14.523e-3;  // tests/data/reference/woodpecker.py at 1e-5 s
  const Trajectory toy = run_contact("woodpecker", 1e-4, {"outputs.every=2e-4"});
  std::vector<std::size_t> begins;
  const auto sticks = [&](std::size_t i) { return std::abs(toy.body(i, "sleeve").twist[2]) < 1e-3; };
  for (std::size_t i = 1; i + 20 < toy.size(); ++i)  // for 2 ms at least, not in passing
    if (!sticks(i - 1) && sticks(i) && sticks(i + 10) && (begins.empty() || i > begins.back() + 250))
      begins.push_back(i);
  const std::size_t first = begins.at(2), last = begins.back();
  const auto cycles = static_cast<double>(begins.size() - 3);
  const double time = (toy.time(last) - toy.time(first)) / cycles;
  const double way = (toy.position(first, "sleeve").z() - toy.position(last, "sleeve").z()) / cycles;
  page.add("woodpecker", "time of a cycle, relative", "three coordinates, Moreau", 1e-4,
           {std::abs(time / period - 1)});
  page.add("woodpecker", "way down in a cycle, relative", "", 1e-4, {std::abs(way / down - 1)});
  page.expect("the woodpecker comes down in cycles of the time of an independent solution: relative error",
              std::abs(time / period - 1), 0.01);
  page.expect("and by as much: relative error", std::abs(way / down - 1), 0.03);
}

/// The modes of a simply supported beam that has shear and rotary inertia (w sin kx, psi cos kx) which a force at its middle
/// meets: frequencies, and how much each moves there under a unit of it.
struct BeamMode {
  double omega, share;
};
std::vector<BeamMode> modes_of_beam(double L, double A, double I, double E, double G, double rho, int count) {
  std::vector<BeamMode> modes;
  for (int n = 1; n < 2 * count; n += 2) {
    const double k = n * std::numbers::pi / L;
    const Vec2 scale = Vec2(rho * A, rho * I).cwiseSqrt().cwiseInverse();
    const Mat2 K{{G * A * k * k, -G * A * k}, {-G * A * k, E * I * k * k + G * A}};
    const Eigen::SelfAdjointEigenSolver<Mat2> of(scale.asDiagonal() * K * scale.asDiagonal());
    for (int j = 0; j < 2; ++j)
      modes.push_back(
          {std::sqrt(of.eigenvalues()[j]), 2 / L * std::pow(scale[0] * of.eigenvectors()(0, j), 2)});
  }
  return modes;
}

/// Approach of ball and beam: alpha = v t - double integral of F/m - deflection; F = k alpha^1.5. Timoshenko, Z. Math. Phys. 62
/// (1913) 198-209, with the modes of the beam that bears his name.
std::vector<double> timoshenko(double dt, int steps) {
  const double L = 0.3, A = 1e-4, I = 1e-8 / 12, E = 2.1e11, nu = 0.3, rho = 7850, r = 0.01, v = 0.5;
  const double m = 4. / 3 * std::numbers::pi * r * r * r * rho, k = 2. / 3 * E / (1 - nu * nu) * std::sqrt(r);
  const double G = E / (2 * (1 + nu)) * 10 * (1 + nu) / (12 + 11 * nu);  // with Cowper's factor
  struct Motion {
    double w, rate, c, s;
  };
  const std::vector<BeamMode> modes = modes_of_beam(L, A, I, E, G, rho, 60);
  std::vector<Motion> motions;
  for (const BeamMode& mode : modes)
    motions.push_back({0, 0, std::cos(mode.omega * dt), std::sin(mode.omega * dt)});
  std::vector<double> forces;
  double ball = 0, speed = v, F = 0;
  for (int i = 0; i < steps; ++i) {
    double deflection = 0;
    for (std::size_t n = 0; n < modes.size(); ++n) {  // exactly, under a force that is constant over dt
      auto& [w, rate, c, s] = motions[n];
      const double omega = modes[n].omega, still = modes[n].share * F / (omega * omega), x = w - still;
      w = still + x * c + rate / omega * s;
      rate = -omega * x * s + rate * c;
      deflection += w;
    }
    ball += dt * speed - 0.5 * dt * dt * F / m;
    speed -= dt * F / m;
    F = k * std::pow(std::max(0.0, ball - deflection), 1.5);
    forces.push_back(F);
  }
  return forces;
}

void struck_beam(Page& page) {
  const std::vector<double> reference = timoshenko(2e-8, 20000);
  const double peak = *std::max_element(reference.begin(), reference.end());
  const auto errors = halving(4e-7, 2, [&](double h) {
    const Trajectory beam = run_contact("struck_beam", h, {"outputs.every=2e-6"});
    double most = 0;
    for (std::size_t i = 1; i < beam.size(); ++i) {
      const auto at = std::min<std::size_t>(reference.size(), std::llround(beam.time(i) / 2e-8)) - 1;
      most = std::max(most, std::abs(beam.contact(i, "blow").force.norm() - reference[at]) / peak);
    }
    return most;
  });
  page.add("struck_beam", "force over its whole course, relative to its peak",
           "Timoshenko's integral equation", 4e-7, errors);
  page.expect("a beam struck by a ball: force against Timoshenko's integral equation, as a part of its peak",
              errors.back(), 0.05);
}

}  // namespace

void contact(Report& report) {
  report.heading("Contact and friction");
  report.text(
      "Closed forms and independent solutions, each a model of its own under `models/contact`. Errors are at "
      "the steps "
      "given, halved from row to row; impacts are located where the model says so. Of the woodpecker toy the "
      "reference is "
      "`tests/data/reference/woodpecker.py`; with the geometry for small angles that one gives the 0.146 s "
      "of the "
      "literature.");
  report.command("hooke run models/contact/rolling.yaml --step 0.005");
  Page page;
  for (const auto part :
       {bounce, rolling, incline, disc, tippe_top, painleve, hertz, cradle, rocking_block, woodpecker,
        struck_beam, capstan, pulley, belt, journal, clearance, slot, raceway, gripper})
    report.attempt([&] { part(page); });
  report.table({"model", "what", "reference", "h, s", "error", "order"}, page.rows);
  for (const auto& [what, value, limit] : page.statements) report.expect(what, value, limit);
}

}  // namespace hooke::validation
