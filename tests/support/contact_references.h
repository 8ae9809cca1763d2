#pragma once
#include <Eigen/Dense>
#include <cmath>
#include <vector>

/// Independent solutions of mechanisms with contact. Equations of motion are written by hand in least coordinates, and so is the law of contact; nothing of
/// Hooke is called.
namespace hooke::test {

/// Steps of the classical rule of Runge and Kutta. Where the surfaces meet or part, which `system.gap` tells, a step ends, so that the fourth order is not lost
/// there; `system.meet` is told when they meet. The state is put down every `every`, a multiple of the step h.
template <class System>
auto runge_kutta(System system, double h, double every, double end) {
  using State = typename System::State;
  State y = system.start();
  const auto step = [&](double t, const State& from, double by) -> State {
    const State a = system.rate(t, from), b = system.rate(t + by / 2, from + by / 2 * a),
                c = system.rate(t + by / 2, from + by / 2 * b), d = system.rate(t + by, from + by * c);
    return from + by / 6 * (a + 2 * b + 2 * c + d);
  };
  const auto changes = [&](double t, const State& at) { return system.touches != (system.gap(t, at) < 0); };
  const long steps = std::lround(every / h), outputs = std::lround(end / every);
  std::vector<State> states{y};
  for (long output = 0; output < outputs; ++output) {
    for (long k = 0; k < steps; ++k) {
      double t = output * every + k * h, left = h;
      while (true) {
        State next = step(t, y, left);
        if (!changes(t + left, next)) {
          y = next;
          break;
        }
        double before = 0, after = left;  // of the change
        for (int pass = 0; pass < 60; ++pass) {
          const double middle = 0.5 * (before + after);
          (changes(t + middle, step(t, y, middle)) ? after : before) = middle;
        }
        y = step(t, y, after);
        t += after, left -= after;
        system.touches = !system.touches;
        if (system.touches) system.meet(t, y);
      }
    }
    states.push_back(y);
  }
  return states;
}

/// D > 0 of (1 + e) D = ln((1 + D)/(1 - e D)), by Newton's method from the side of 1/e, from where no step goes beyond.
inline double loss_of(double e) {
  double D = (1 - 1e-9) / e;
  for (int pass = 0; pass < 100; ++pass)
    D -= ((1 + e) * D - std::log((1 + D) / (1 - e * D))) / (1 + e - 1 / (1 + D) - e / (1 - e * D));
  return D;
}

/// The shaft of models/contact/journal.yaml, which spins in a bore under its weight; two rims press with k d^(3/2) each.
struct Journal {
  static constexpr double gravity = 9.81;
  using State = Eigen::Vector4d;  // distance from the middle of the bore, angle from the lowest place, rates
  double mu = 0.2, k = 1e10, play = 5e-4, radius = 0.02, spin = 200, stick_speed = 1e-3;
  bool touches = true;

  /// At rest at the lowest place.
  State start() const { return {play + std::pow(gravity / (2 * k), 2. / 3), 0, 0, 0}; }

  double gap(double, const State& y) const { return play - y[0]; }
  void meet(double, const State&) const {}
  State rate(double, const State& y) const {
    const double r = y[0], depth = std::max(0.0, r - play), N = 2 * k * std::pow(depth, 1.5);
    const double slides = spin * (radius - depth / 2) - r * y[3];  // at the middle of the depth
    const double friction = mu * N * slides / std::hypot(slides, stick_speed);
    return {y[2], y[3], r * y[3] * y[3] + gravity * std::cos(y[1]) - N,
            (friction - gravity * std::sin(y[1]) - 2 * y[2] * y[3]) / r};
  }
};

/// The mechanism of models/contact/clearance.yaml: a crank that is driven, a rod, and a slider in whose bore the pin at the end of the rod has play. Seen along the y axis, downwards: x, and -z.
struct SliderCrank {
  using State = Eigen::Vector4d;  // angle of the rod, place of the slider, rates
  double crank = 0.05, length = 0.12, speed = 20, rod = 0.21, inertia = 2.5e-4, slider = 0.14;
  double bore = 0.010, play = 5e-4, k = 1e9, mu = 0.01, stick_speed = 1e-3, rest_speed = 1e-2,
         D = loss_of(0.46);
  double impact = 0;  // the speed at which the pin last met the bore
  bool touches = false;

  /// The crank alone sets the rod moving: its end goes with the crank, and its momentum about that is zero.
  State start() const {
    const double half = length / 2;
    return {0, crank + length, -rod * half * crank * speed / (rod * half * half + inertia), 0};
  }

  struct Pin {
    Eigen::Vector2d along, across;  // of its way from the middle of the bore
    double way, rate, aside;
    Eigen::Vector2d rod;
  };
  Pin pin(double t, const State& y) const {
    Pin p;
    p.rod = {std::cos(y[0]), std::sin(y[0])};
    const Eigen::Vector2d turned(-p.rod[1], p.rod[0]), arm(std::cos(speed * t), std::sin(speed * t));
    const Eigen::Vector2d at = crank * arm + length * p.rod - Eigen::Vector2d(y[1], 0);
    const Eigen::Vector2d moves =
        crank * speed * Eigen::Vector2d(-arm[1], arm[0]) + length * y[2] * turned - Eigen::Vector2d(y[3], 0);
    p.way = at.norm();
    p.along = p.way > 0 ? Eigen::Vector2d(at / p.way) : Eigen::Vector2d(1, 0);
    p.across = {-p.along[1], p.along[0]};
    p.rate = p.along.dot(moves);
    p.aside = p.across.dot(moves);
    return p;
  }
  double gap(double t, const State& y) const { return play - pin(t, y).way; }
  void meet(double t, const State& y) { impact = pin(t, y).rate; }

  State rate(double t, const State& y) const {
    const Pin p = pin(t, y);
    const double depth = touches ? std::max(0.0, p.way - play) : 0;
    const double N =
        std::max(0.0, k * std::pow(depth, 1.5) * (1 + D / std::max(impact, rest_speed) * p.rate));
    const double arm = bore - play - depth / 2, slides = p.aside + arm * y[2];
    const double friction = mu * N * slides / std::hypot(slides, stick_speed);
    const Eigen::Vector2d force = -N * p.along - friction * p.across;  // on the pin
    const Eigen::Vector2d accelerates =
        -crank * speed * speed *
        Eigen::Vector2d(std::cos(speed * t), std::sin(speed * t));  // of the crank's end
    const Eigen::Vector2d turned(-p.rod[1], p.rod[0]);
    const double moment =
        length * turned.dot(force) - arm * friction - rod * length / 2 * turned.dot(accelerates);
    return {y[2], y[3], moment / (inertia + rod * length * length / 4), -force[0] / slider};
  }
};

/// The five balls of models/contact/cradle.yaml without loss: angles and rates. Steps are so short that nothing is gained where they end at a touch.
struct Cradle {
  using State = Eigen::Matrix<double, 10, 1>;
  static constexpr double gravity = 9.81;
  double r = 0.02, l = 0.2, play = 1e-4;
  double k = 4. / 3 * 2.1e11 / (2 * (1 - 0.09)) * std::sqrt(r / 2);
  double mass = 7800 * 4. / 3 * std::acos(-1.) * r * r * r;
  bool touches = false;

  State start() const { return 0.6 * State::Unit(0); }
  double gap(double, const State&) const { return 1; }
  void meet(double, const State&) const {}
  Eigen::Vector2d place(const State& y, int ball) const {
    return {ball * (2 * r + play) - l * std::sin(y[ball]), -l * std::cos(y[ball])};
  }
  State rate(double, const State& y) const {
    State rates;
    for (int i = 0; i < 5; ++i) rates[i] = y[5 + i], rates[5 + i] = -mass * gravity * l * std::sin(y[i]);
    for (int i = 0; i < 4; ++i) {
      const Eigen::Vector2d apart = place(y, i + 1) - place(y, i);
      const double distance = apart.norm(), depth = 2 * r - distance;
      if (depth <= 0) continue;
      const Eigen::Vector2d force = k * std::pow(depth, 1.5) / distance * apart;  // on the second
      for (const int ball : {i, i + 1})
        rates[5 + ball] +=
            (ball == i ? -l : l) * force.dot(Eigen::Vector2d(-std::cos(y[ball]), std::sin(y[ball])));
    }
    rates.tail<5>() /= mass * (l * l + 0.4 * r * r);
    return rates;
  }
};

}  // namespace hooke::test
