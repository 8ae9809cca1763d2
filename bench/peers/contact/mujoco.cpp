// MuJoCo: soft contacts with elliptic cones, damped for the restitution of the scene.
//   mujoco SCENE STEP END SOLVER FILE TIME    TIME: constant of the contacts, in steps
#include <mujoco/mujoco.h>

#include <cstdlib>
#include <filesystem>

#include "scene.h"

namespace {

std::string text(const double* values, int count) {
  std::string out = "'";
  for (int k = 0; k < count; ++k) {
    char number[32];
    std::snprintf(number, sizeof number, "%s%.15g", k ? " " : "", values[k]);
    out += number;
  }
  return out + "'";
}

template <std::size_t n>
std::string text(const std::array<double, n>& values) {
  return text(values.data(), n);
}

std::string geometry(const contact::Body& body) {
  const auto& s = body.size;
  if (body.kind == "sphere") return "<geom type='sphere' size=" + text(s.data(), 1) + "/>";
  if (body.kind == "capsule") return "<geom type='capsule' size=" + text(std::array{s[0], s[1] / 2}) + "/>";
  return "<geom type='box' size=" + text(std::array{s[0] / 2, s[1] / 2, s[2] / 2}) + "/>";
}

/// Body k and, inside it, all that hang on it, each with its pose relative to the one before.
std::string tree(const contact::Scene& scene, int k, const contact::Joint* to = nullptr) {
  const contact::Body& body = scene.bodies[k];
  contact::Vec3 at = body.at, anchor{};
  contact::Quaternion turn = body.turn;
  if (to) {
    const contact::Body& parent = scene.bodies[to->first + to->second - k];
    double back[4], apart[3];
    mju_negQuat(back, parent.turn.data());
    mju_sub3(apart, body.at.data(), parent.at.data());
    mju_rotVecQuat(at.data(), apart, back);
    mju_mulQuat(turn.data(), back, body.turn.data());
    mju_negQuat(back, body.turn.data());
    mju_sub3(apart, to->at.data(), body.at.data());
    mju_rotVecQuat(anchor.data(), apart, back);
  }
  std::string out = "<body name='" + std::to_string(k) + "' pos=" + text(at) + " quat=" + text(turn) + ">" +
                    (to ? "<joint type='ball' pos=" + text(anchor) + "/>" : "<freejoint/>") +
                    "<inertial pos='0 0 0' mass=" + text(&body.mass, 1) +
                    " diaginertia=" + text(body.inertia) + "/>" + geometry(body);
  for (const contact::Joint& joint : scene.joints)
    if (&joint != to && (joint.first == k || joint.second == k))
      out += tree(scene, joint.first + joint.second - k, &joint);
  return out + "</body>";
}

std::string model_text(const contact::Scene& scene, double step, const std::string& solver, double time) {
  // A mass on a spring and damper keeps the part e of its speed with the damping ratio -ln e/sqrt(pi^2 + ln^2 e).
  const double e = std::log(std::max(scene.restitution, 1e-9));
  const double ratio = scene.restitution > 0 ? -e / std::hypot(3.14159265358979, e) : 1;
  const std::array stiffness{time, ratio};
  const contact::Vec3 friction{scene.friction, 0, 0};
  const std::size_t n = scene.bodies.size();
  const std::size_t places =
      scene.bodies[0].kind == "box" ? 24 : 8;  // for each body; boxes meet in up to eight
  std::string out = "<mujoco><size nconmax='" + std::to_string(100 + places * n) + "' njmax='" +
                    std::to_string(std::min<std::size_t>(400 + 2 * places * n, 8400)) + "' nstack='" +
                    std::to_string(20000000 + 60000 * n) + "'/><option timestep=" + text(&step, 1) +
                    " gravity='0 0 -9.81' cone='elliptic' jacobian='sparse' solver='" + solver +
                    "'/><default><geom condim='3' friction=" + text(friction) + " solref=" + text(stiffness) +
                    "/></default><worldbody>";
  for (const contact::Plane& plane : scene.planes)
    out += "<geom type='plane' size='9 9 9' zaxis=" + text(plane.normal) + " pos=" + text(plane.at) + "/>";
  if (!scene.joints.empty()) {
    out += tree(
        scene, n / 2);  // from the middle of the chain: the reader refuses more than 100 bodies in each other
  } else {
    for (std::size_t k = 0; k < n; ++k) out += tree(scene, k);
  }
  return out + "</worldbody></mujoco>";
}

}  // namespace

int main(int, char** arguments) {
  const contact::Scene scene = contact::read(arguments[1]);
  const double step = std::atof(arguments[2]), end = std::atof(arguments[3]);
  const std::string file = std::string(arguments[5]) + ".xml";
  std::ofstream(file) << model_text(scene, step, arguments[4], step * std::atof(arguments[6]));
  char error[1000] = "";
  mju_user_warning = [](const char*) {};  // counted, and told by the exit status
  mjModel* model = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
  if (!model) return std::fprintf(stderr, "MuJoCo: %s\n", error), 1;
  mjData* data = mj_makeData(model);
  mj_forward(model, data);

  const auto force = [&] {
    double sum = 0;
    for (int k = 0; k < data->ncon; ++k) {
      const mjContact& c = data->contact[k];
      const bool first = model->geom_bodyid[c.geom1] == 0, second = model->geom_bodyid[c.geom2] == 0;
      if (first == second || c.efc_address < 0) continue;
      mjtNum local[6], world[3];
      mj_contactForce(model, data, k, local);
      mju_rotVecMatT(world, local, c.frame);
      sum += (first ? 1 : -1) * world[2];
    }
    return sum;
  };
  const auto motion = [&](std::size_t k) {
    if (k == 0)
      mj_kinematics(model, data), mj_comPos(model, data),
          mj_comVel(model, data);  // a step leaves those before it
    const int body = mj_name2id(model, mjOBJ_BODY, std::to_string(k).c_str());
    const double *x = data->xpos + 3 * body, *q = data->xquat + 4 * body;
    mjtNum v[6];
    mj_objectVelocity(model, data, mjOBJ_BODY, body, v, 0);
    return contact::Motion{
        {x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}, {v[3], v[4], v[5]}, {v[0], v[1], v[2]}};
  };
  contact::record(
      scene, step, end, arguments[5], [&] { mj_step(model, data); }, force, motion);
  const auto warned = [&](int what) { return data->warning[what].number > 0; };
  const bool unstable = warned(mjWARN_BADQPOS) || warned(mjWARN_BADQVEL) || warned(mjWARN_BADQACC);
  if (warned(mjWARN_CONTACTFULL) || warned(mjWARN_CNSTRFULL)) std::puts("contacts left out");
  mj_deleteData(data);
  mj_deleteModel(model);
  std::filesystem::remove(file);
  return unstable ? 3 : 0;
}
