// Machine elements made of contacts, against closed forms and independent solutions.
#include <numbers>

#include "support/contact_references.h"
#include "validation/contact_page.h"

namespace hooke::validation {

/// Around a drum, and around a rod that is one of the bodies.
void capstan(Page& page) {
  const double ratio = std::exp(0.3 * std::numbers::pi / 1.02);
  const auto errors_of = [&](const std::string& model) {
    const auto errors = halving(1e-3, 2, [&](double h) {
      const Trajectory cable = run_contact(model, h, {"outputs.every=0.001"});
      double slips = 0;
      for (std::size_t i = 1; i < cable.size() && slips == 0; ++i) {
        const auto z = [&](std::size_t k) { return cable.system().nodes(0, cable.state(k))[0].p.z(); };
        if (cable.time(i) > 0.25 && z(i) - z(i - 1) > 2e-3 * (cable.time(i) - cable.time(i - 1)))
          slips = cable.time(i);
      }
      return std::abs((1 + 2 * (slips - 0.2)) / ratio - 1);
    });
    page.add(model, "ratio of pulls at which a cable slips, relative", "exp(mu pi R/(R + r))", 1e-3, errors);
    return errors.back();
  };
  page.expect("a cable around a drum slips at the ratio of Euler and Eytelwein: relative error",
              errors_of("capstan"), 0.01);
  page.expect("and so it does around another rod: relative error", errors_of("rod_on_rod"), 0.01);
}

void pulley(Page& page) {
  const double r = 0.002, R = 0.1 + r, m1 = 1, m2 = 1.5, J = 0.01, l = 0.4, t = 0.6;
  const double cable = std::numbers::pi * r * r * 1000,
               mass = m1 + m2 + cable * (std::numbers::pi * R + 2 * l) + J / (R * R);
  // mass x'' = (m2 - m1) g - EI/R^2 + 2 cable x g: on both sides the cable is bent out of its shape, what goes over changes sides.
  const double grows = std::sqrt(2 * cable * g / mass),
               bending = 2e8 * std::numbers::pi * std::pow(r, 4) / 4 / (R * R);
  const double exact = ((m2 - m1) * g - bending) / mass * std::sinh(grows * t) / grows / R;
  const auto errors = halving(1e-3, 2, [&](double h) {
    const Trajectory machine = run_contact("pulley", h);
    return std::abs(machine.body(machine.last(), "pulley").twist[4] / exact - 1);
  });
  page.add("pulley", "speed of the pulley at 0.6 s, relative", "Atwood's machine", 1e-3, errors);
  page.expect("a cable over a pulley turns it as Atwood's machine does: relative error of its speed",
              errors.back(), 0.02);
}

/// Creep and the torque at which it slips; the small pulley's inertia takes what the belt does not carry of the load. The mean
/// is over one turn of the belt (0.68 s), since what lay around a pulley at the start is bent by nature, and the other parts are straight.
void belt(Page& page) {
  const double R1 = 0.1, R2 = 0.08, r = 0.001, l = 0.4, mu = 0.3, pull = 100, speed = 20, J = 5e-3, M1 = 2,
               M2 = 4;
  const double EA = 3000, mass = 1000 * std::numbers::pi * r * r;
  const double beta = std::asin((R1 - R2) / l), v = speed * (R1 + r);
  const double sum = pull / std::cos(beta), difference = M1 / (R2 + r);
  const double tight = 0.5 * (sum + difference) + mass * v * v, slack = tight - difference;
  const double creep = 1 - (1 + slack / EA) / (1 + tight / EA);
  const double ratio = std::exp(mu * (std::numbers::pi - 2 * beta) * R2 / (R2 + r));
  const double most = sum * (ratio - 1) / (ratio + 1) * (R2 + r);
  const auto errors = [&](double h) {
    const Trajectory drive = run_contact("belt", h);
    const auto turns = [&](std::size_t i) { return drive.body(i, "driven").twist[4]; };
    double turned = 0, first = 0, last = 0;
    int outputs = 0;
    for (std::size_t i = 0; i < drive.size(); ++i) {
      const double t = drive.time(i);
      if (t > 0.5599 && t < 1.2401) turned += turns(i), ++outputs;
      if (t < 1.3601) first = t, last = turns(i);
    }
    const double slower = 1 - turned / outputs * (R2 + r) / v;
    const double torque = M2 + J * (turns(drive.last()) - last) / (drive.time(drive.last()) - first);
    return std::pair{std::abs(slower / creep - 1), std::abs(torque / most - 1)};
  };
  std::vector<double> creeps, torques;
  for (const double h : {1e-3, 5e-4}) {
    const auto [slower, torque] = errors(h);
    creeps.push_back(slower), torques.push_back(torque);
  }
  page.add("belt", "creep under load, relative", "1 - (1 + T2/EA)/(1 + T1/EA)", 1e-3, creeps);
  page.add("belt", "torque at which it slips, relative", "exp(mu theta R2/(R2 + r))", 1e-3, torques);
  page.expect("a belt on two pulleys creeps as the stretch of its spans says: relative error", creeps.back(),
              0.01);
  page.expect("and slips at the torque of Euler and Eytelwein: relative error", torques.back(), 0.005);
}

void journal(Page& page) {
  const double c = 5e-4, mu = 0.2, k = 1e10;
  const auto angle = [](const Trajectory& shaft, std::size_t i) {
    const Vec3 p = shaft.position(i, "shaft");
    return std::atan2(p.x(), -p.z());
  };
  const auto reference = test::runge_kutta(test::Journal{}, 1e-6, 1e-3, 0.2);
  const auto angles = halving(4e-4, 3, [&](double h) {
    const Trajectory shaft = run_contact("journal", h);
    double most = 0;
    for (std::size_t i = 0; i < shaft.size(); ++i)
      most = std::max(most, std::abs(angle(shaft, i) - reference[i][1]));
    return most;
  });
  // With w = psi'^2, dw/dpsi - 2 mu w = -2 g/(c + d) (sin psi - mu cos psi), and w = 0 at psi = 0.
  const double d = std::pow(g / (2 * k), 2. / 3), phi = std::atan(mu);
  const double B = 2 * g / (c + d) * std::hypot(1, mu) / (1 + 4 * mu * mu);
  const auto square = [&](double psi) {
    return B * (2 * mu * std::sin(psi - phi) + std::cos(psi - phi) -
                (std::cos(phi) - 2 * mu * std::sin(phi)) * std::exp(2 * mu * psi));
  };
  const Trajectory shaft = run_contact("journal", 1e-4);
  double farthest = 0, swing = 0;
  for (std::size_t i = 0; i < shaft.size(); ++i) {
    const double psi = angle(shaft, i);
    const Vec3 v = shaft.body(i, "shaft").twist.head<3>();
    const double rate = (std::cos(psi) * v.x() + std::sin(psi) * v.z()) / shaft.position(i, "shaft").norm();
    farthest = std::max(farthest, psi);
    swing = std::max(swing, std::abs(rate * rate - square(psi)) / square(phi));
  }
  const Trajectory resting = run_contact("journal", 1e-4, {fmt::format("parameters.psi0={:.17g}", phi)});
  double leaves = 0;
  for (std::size_t i = 0; i < resting.size(); ++i)
    leaves = std::max(leaves, std::abs(angle(resting, i) - phi));
  // Without friction: a pendulum of the length c + d, with the term of second order in its amplitude.
  const double start = 0.1, sinks = std::pow(g * std::cos(start) / (2 * k), 2. / 3);
  const double period = 2 * std::numbers::pi * std::sqrt((c + sinks) / g) * (1 + start * start / 16);
  const auto periods = halving(4e-4, 3, [&](double h) {
    const Trajectory free =
        run_contact("journal", h, {"parameters.mu=0", fmt::format("parameters.psi0={:.17g}", start)});
    std::vector<double> zeros;
    for (std::size_t i = 1; i < free.size(); ++i) {
      const double before = angle(free, i - 1), after = angle(free, i);
      if (before > 0 && after <= 0)
        zeros.push_back(free.time(i - 1) + before / (before - after) * (free.time(i) - free.time(i - 1)));
    }
    return std::abs((zeros.back() - zeros.front()) / static_cast<double>(zeros.size() - 1) / period - 1);
  });
  page.add("journal", "angle of a shaft that turns in its bore, rad", "two coordinates, Runge-Kutta", 4e-4,
           angles);
  page.add("journal", "square of its rate, relative to the largest", "first integral, constant depth", 1e-4,
           {swing});
  page.add("journal", "period without friction, relative", "pendulum of the length c + d", 4e-4, periods);
  page.expect(
      "a shaft that turns in its bore swings as two equations of its own say: error of its angle in rad",
      angles.back(), 2e-4);
  page.expect("of second order in the step: 1.8 less the order measured", 1.8 - order(angles), 0.0);
  page.expect("started where its weight points along the angle of friction it stays there: way in rad",
              leaves, 1e-6);
}

void clearance(Page& page) {
  const auto reference = test::runge_kutta(test::SliderCrank{}, 5e-7, 5e-4, 0.7),
             coarser = test::runge_kutta(test::SliderCrank{}, 1e-6, 5e-4, 0.7);
  const auto largest = [&](auto&& of, double to) {
    double most = 0;
    for (std::size_t i = 0; 5e-4 * static_cast<double>(i) < to + 1e-9; ++i)
      most = std::max(most, std::abs(of(i) - reference[i][1]));
    return most;
  };
  double most = 0;
  std::vector<double> early, late;
  for (const double h : {4e-5, 2e-5, 1e-5, 5e-6}) {
    const Trajectory crank =
        run_contact("clearance", h, {"run.integrator=generalized-alpha", "run.tolerance=null"});
    const auto x = [&](std::size_t i) { return crank.position(i, "slider").x(); };
    early.push_back(largest(x, 0.1));
    late.push_back(largest(x, 0.7));
    for (std::size_t i = 0; i < crank.size(); ++i) {
      const double phi = 20 * crank.time(i);
      const double ideal = 0.05 * std::cos(phi) + std::sqrt(0.12 * 0.12 - std::pow(0.05 * std::sin(phi), 2));
      most = std::max(most, std::abs(x(i) - ideal));
    }
  }
  page.add("clearance", "place of the slider to 0.1 s, m", "two coordinates, Runge-Kutta", 4e-5, early);
  page.add("clearance", "the same to 0.7 s, two turns and more", "", 4e-5, late);
  page.expect(
      "a slider crank with play in a joint moves as two equations of its own say, to 0.1 s: error in m",
      early.back(), 2e-7);
  page.expect("of second order in the step: 1.5 less the mean order",
              1.5 - std::log2(early.front() / early.back()) / 3, 0.0);
  page.expect("to 0.7 s: error in m", late.back(), 1e-4);
  page.expect("where half the step changes the reference itself by, m",
              largest([&](std::size_t i) { return coarser[i][1]; }, 0.7), 1e-8);
  // The pin may be beside the line of the rod, too: c and c tan of its angle, and how deep it is pressed in.
  page.expect("the slider is never farther from where it would be without play (0.5 mm) than, mm", 1e3 * most,
              0.56);
}

void slot(Page& page) {
  const Trajectory yoke("contact/slot.yaml", {});
  double most = 0;
  for (std::size_t i = 0; i < yoke.size(); ++i)
    most = std::max(most, std::abs(yoke.position(i, "yoke").x() - 0.05 * std::cos(10 * yoke.time(i))));
  page.expect("a pin in a slot with a play of 0.2 mm: largest way of the yoke from the ideal one, mm",
              1e3 * most, 0.2001);
}

void raceway(Page& page) {
  const double R = 0.45, top = -R * std::cos(1.0), all = 10.0 / 7 * g * (R + top);
  const auto errors = halving(4e-3, 3, [&](double h) {
    const Trajectory ball = run_contact("raceway", h, {"outputs.every=0.02"});
    double most = 0;
    for (std::size_t i = 0; i < ball.size(); ++i) {
      const double square = ball.body(i, "ball").twist.head<3>().squaredNorm();
      most = std::max(most, std::abs(square - 10.0 / 7 * g * (top - ball.position(i, "ball").z())) / all);
    }
    return most;
  });
  page.add("raceway", "square of the speed, relative to its largest", "rolling in a bowl", 4e-3, errors);
  page.expect("a ball on a raceway: square of its speed, relative to its largest", errors.back(), 5e-4);
}

void gripper(Page& page) {
  const Trajectory hand("contact/gripper.yaml", {"run.end=1.5"});
  const std::size_t held = 45;  // t = 0.45 s
  const double weight = 0.5 * g,
               lift = hand.contact(held, "left").force.z() + hand.contact(held, "right").force.z();
  const double slip = std::abs((hand.position(hand.last(), "block").z() - hand.position(held, "block").z()) -
                               (hand.position(hand.last(), "hand").z() - hand.position(held, "hand").z()));
  page.expect("rubber fingers hold a block: friction less weight, relative", std::abs(lift / weight - 1),
              1e-3);
  page.expect("and do not lose it while they lift it by 0.1 m: slip in mm", 1e3 * slip, 0.2);
}

}  // namespace hooke::validation
