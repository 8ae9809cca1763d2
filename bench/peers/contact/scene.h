// What the programs of bench/peers/contact share: a scene as scenes.py writes it, and the file of a run that table.py reads.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace contact {

using Vec3 = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // w, x, y, z

constexpr double gravity = 9.81;

struct Body {
  std::string kind;  // sphere: radius; capsule: radius, length along z; box: edges
  Vec3 size;
  double mass;
  Vec3 inertia, at;
  Quaternion turn;
};

struct Plane {
  Vec3 normal, at;
};

struct Joint {
  int first, second;
  Vec3 at;
};

struct Scene {
  double friction = 0, restitution = 0, every = 0;
  std::vector<Body> bodies;
  std::vector<Plane> planes;
  std::vector<Joint> joints;
};

template <std::size_t n>
std::istream& operator>>(std::istream& in, std::array<double, n>& values) {
  for (double& value : values) in >> value;
  return in;
}

inline Scene read(const char* file) {
  Scene scene;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "law") {
      words >> scene.friction >> scene.restitution >> scene.every;
    } else if (kind == "plane") {
      Plane plane;
      words >> plane.normal >> plane.at;
      scene.planes.push_back(plane);
    } else if (kind == "joint") {
      Joint joint;
      words >> joint.first >> joint.second >> joint.at;
      scene.joints.push_back(joint);
    } else {
      Body body{kind};
      words >> body.size >> body.mass >> body.inertia >> body.at >> body.turn;
      scene.bodies.push_back(body);
    }
  }
  return scene;
}

struct Motion {
  Vec3 at;
  Quaternion turn;
  Vec3 velocity, spin;  // of the centre; world axes
};

/// Steps until `end`; the file gets the time of all steps in its first line, then for every output its time, the force of
/// the planes upwards and the motion of each body. Writing is not timed.
template <class Step, class Force, class State>
void record(const Scene& scene, double step, double end, const char* file, const Step& advance,
            const Force& force, const State& motion) {
  std::string text;
  const auto add = [&](const auto& values) {
    char number[32];
    for (double value : values) text.append(number, std::snprintf(number, sizeof number, " %.12g", value));
  };
  double wall = 0;
  const long outputs = std::lround(end / scene.every), steps = std::lround(scene.every / step);
  for (long output = 0; output <= outputs; ++output) {
    const auto start = std::chrono::steady_clock::now();
    for (long k = 0; k < steps && output > 0; ++k) advance();
    wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    add(std::array{output * scene.every, output > 0 ? force() : 0.0});
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
      const Motion m = motion(k);
      add(m.at), add(m.turn), add(m.velocity), add(m.spin);
    }
    text += '\n';
  }
  std::ofstream(file) << wall << '\n' << text;
}

}  // namespace contact
