#include "hooke/view/gltf.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <numbers>

#include "hooke/base/format.h"
#include "hooke/io/document/json.h"
#include "hooke/view/chart.h"
#include "hooke/view/markup.h"
#include "hooke/view/output_file.h"
#include "hooke/view/scene.h"
#include "hooke/view/surfaces.h"

// The file is one JSON text and one block of bytes that its accessors point into (glTF 2.0 specification,
// Khronos Group; the container is its chapter 4, "GLB File Format").
namespace hooke {
namespace {

constexpr int float_type = 5126, unsigned_type = 5125;       // of GL
constexpr int array_buffer = 34962, element_buffer = 34963;  // likewise

std::vector<double> linear(const std::string& colour) {  // glTF colours are not gamma corrected
  std::vector<double> rgba;
  for (std::size_t k = 0; k < 3; ++k)
    rgba.push_back(std::pow(std::stoi(colour.substr(1 + 2 * k, 2), nullptr, 16) / 255.0, 2.2));
  rgba.push_back(1);
  return rgba;
}

/// Output 0, and of the others the part of what they differ from it.
using Blend = std::vector<std::pair<std::size_t, double>>;

FramePose blended(const Blend& blend, const std::vector<FramePose>& poses) {
  if (blend.size() == 1 && blend[0].second == 1) return poses[blend[0].first];
  const Quat rest(poses[0].R);
  Vec3 p = poses[0].p;
  Vec4 q = rest.coeffs();
  for (const auto& [output, part] : blend) {
    Quat turn(poses[output].R);
    if (turn.dot(rest) < 0) turn.coeffs() *= -1;
    p += part * (poses[output].p - poses[0].p);
    q += part * (turn.coeffs() - rest.coeffs());
  }
  return {Quat(q).normalized().toRotationMatrix(), p};
}

Vec3 blended(const Blend& blend, const std::vector<Vec3>& all) {
  Vec3 sum = all[0];
  for (const auto& [output, part] : blend) sum += part * (all[output] - all[0]);
  return sum;
}

/// The motion, or one of the modes: at each of its times what is shown of the outputs.
struct Clip {
  std::string name;
  int time = -1;  ///< accessor of the times; none where there is but one
  std::vector<Blend> samples;
  Json::List channels{}, samplers{};
  Json extras{};  ///< of a mode: its numbers
};

class Gltf {
 public:
  explicit Gltf(const ResultsReader& results) : results_(results), scene_(make_scene(results)) {
    add_clips();
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) add_body(b);
    if (Json::List ground = nodes_of(-1); !ground.empty())
      roots_.emplace_back(add_node(Json::Object{{"name", "ground"}, {"children", std::move(ground)}}));
    for (std::size_t r = 0; r < scene_.rods.size(); ++r) add_rod(r);
    for (std::size_t k = 0; k < scene_.solids.size(); ++k) add_solid(k);
  }

  void write(const std::string& path) {
    std::string json = valid_utf8(document().dump());
    json.resize((json.size() + 3) / 4 * 4, ' ');
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
    OutputFile out(path);
    const auto number = [&](std::size_t value) {
      const auto narrow = static_cast<std::uint32_t>(value);
      out.write({reinterpret_cast<const char*>(&narrow), sizeof narrow});
    };
    out.write("glTF");
    number(2);
    number(12 + 8 + json.size() + 8 + bytes_.size());
    number(json.size());
    out.write("JSON");
    out.write(json);
    number(bytes_.size());
    out.write({"BIN\0", 4});
    out.write(bytes_);
    out.close();
  }

 private:
  /// Puts numbers into the block; returns the number of their accessor.
  template <class Number>
  int add_accessor(const std::vector<Number>& numbers, const char* type, std::size_t width, int target,
                   bool has_range) {
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
    Json view = Json::Object{{"buffer", 0},
                             {"byteOffset", static_cast<double>(bytes_.size())},
                             {"byteLength", static_cast<double>(numbers.size() * sizeof(Number))}};
    if (target) view["target"] = target;
    views_.push_back(view);
    bytes_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
    Json accessor =
        Json::Object{{"bufferView", static_cast<int>(views_.size()) - 1},
                     {"componentType", std::is_same_v<Number, float> ? float_type : unsigned_type},
                     {"count", static_cast<double>(numbers.size() / width)},
                     {"type", type}};
    if (has_range) {
      std::vector<double> low(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(width)),
          high = low;
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        low[k % width] = std::min<double>(low[k % width], numbers[k]);
        high[k % width] = std::max<double>(high[k % width], numbers[k]);
      }
      accessor["min"] = low;
      accessor["max"] = high;
    }
    accessors_.push_back(accessor);
    return static_cast<int>(accessors_.size()) - 1;
  }

  void add_clips() {
    add_modes();
    if (!clips_.empty()) return;
    const std::vector<double> t = results_.read("time");
    for (const double x : t) seconds_.push_back(static_cast<float>(x - t[0]));
    Clip& motion = clips_.emplace_back(Clip{.name = "motion", .samples = {}});
    if (t.size() > 1) motion.time = add_accessor(seconds_, "SCALAR", 1, 0, true);
    for (std::size_t output = 0; output < t.size(); ++output) motion.samples.push_back({{output, 1.0}});
  }

  /// Re(shape exp(i phase)) over two seconds.
  void add_modes() {
    constexpr int samples = 24;
    constexpr double period = 2;
    const ResultsReader::Modes modes = results_.modes();
    for (std::size_t k = 0; k < modes.outputs.size(); ++k) {
      const auto [real, imaginary] = modes.outputs[k];
      if (real < 0) continue;
      if (seconds_.empty()) {
        for (int i = 0; i <= samples; ++i) seconds_.push_back(static_cast<float>(period * i / samples));
        clips_.push_back({.name = "", .time = add_accessor(seconds_, "SCALAR", 1, 0, true), .samples = {}});
      } else {
        clips_.push_back({.name = "", .time = clips_[0].time, .samples = {}});
      }
      clips_.back().name = formatted("mode {}: {:.6g} Hz", k + 1, modes.frequency[k]);
      clips_.back().extras["frequency"] = modes.frequency[k];
      if (k < modes.damping.size()) clips_.back().extras["damping"] = modes.damping[k];
      for (int i = 0; i <= samples; ++i) {
        const double phase = 2 * std::numbers::pi * i / samples;
        Blend& blend = clips_.back().samples.emplace_back();
        blend.emplace_back(static_cast<std::size_t>(real), std::cos(phase));
        if (imaginary >= 0) blend.emplace_back(static_cast<std::size_t>(imaginary), -std::sin(phase));
      }
    }
  }
  bool shows_modes() const { return clips_[0].name != "motion"; }

  int material(const std::string& paint) {
    const auto [found, is_new] = material_of_.try_emplace(paint, static_cast<int>(materials_.size()));
    if (is_new)
      materials_.push_back(
          Json::Object{{"pbrMetallicRoughness", Json::Object{{"baseColorFactor", linear(paint)},
                                                             {"metallicFactor", 0.1},
                                                             {"roughnessFactor", 0.6}}}});
    return found->second;
  }

  int add_mesh(const TriangleMesh& mesh, const std::string& paint, const Json::List& morphs = {}) {
    std::vector<float> points;
    std::vector<std::uint32_t> corners;
    for (const Vec3& point : mesh.points)
      for (const double x : point) points.push_back(static_cast<float>(x));
    for (const auto& triangle : mesh.triangles)
      corners.insert(corners.end(), triangle.begin(), triangle.end());
    const int positions = add_accessor(points, "VEC3", 3, array_buffer, true),
              indices = add_accessor(corners, "SCALAR", 1, element_buffer, false);
    Json triangles = Json::Object{{"attributes", Json::Object{{"POSITION", positions}}},
                                  {"indices", indices},
                                  {"material", material(paint)}};
    if (!morphs.empty()) triangles["targets"] = morphs;
    meshes_.push_back(Json::Object{{"primitives", Json::List{triangles}}});
    return static_cast<int>(meshes_.size()) - 1;
  }

  int add_node(Json node) {
    nodes_.push_back(std::move(node));
    return static_cast<int>(nodes_.size()) - 1;
  }

  /// Moves a node over time: `path` is translation, rotation, scale or weights.
  void animate(Clip& clip, int node, const char* path, const std::vector<float>& numbers, std::size_t width,
               int time) {
    if (time < 0) return;
    const int output = add_accessor(numbers,
                                    width == 4   ? "VEC4"
                                    : width == 3 ? "VEC3"
                                                 : "SCALAR",
                                    width, 0, false);
    clip.samplers.push_back(Json::Object{{"input", time}, {"output", output}});
    clip.channels.push_back(Json::Object{{"sampler", static_cast<int>(clip.samplers.size()) - 1},
                                         {"target", Json::Object{{"node", node}, {"path", path}}}});
  }

  /// Poses over all outputs, and the first of them as the pose of the node itself.
  void place(int node, const std::vector<FramePose>& poses, const std::vector<Vec3>& scales = {}) {
    const Quat turn(poses[0].R);
    const auto list = [](const Vec3& v) { return Json::List{v.x(), v.y(), v.z()}; };
    Json& json = nodes_[static_cast<std::size_t>(node)];
    json["translation"] = list(poses[0].p);
    json["rotation"] = Json::List{turn.x(), turn.y(), turn.z(), turn.w()};
    if (!scales.empty()) json["scale"] = list(scales[0]);
    for (Clip& clip : clips_) {
      std::vector<float> translation, rotation, scale;
      Quat last = Quat::Identity();
      for (const Blend& sample : clip.samples) {
        const FramePose pose = blended(sample, poses);
        Quat q(pose.R);
        if (q.dot(last) < 0) q.coeffs() *= -1;  // the short way from output to output
        last = q;
        for (const double x : pose.p) translation.push_back(static_cast<float>(x));
        for (const double x : {q.x(), q.y(), q.z(), q.w()}) rotation.push_back(static_cast<float>(x));
        if (!scales.empty())
          for (const double x : blended(sample, scales)) scale.push_back(static_cast<float>(x));
      }
      animate(clip, node, "translation", translation, 3, clip.time);
      animate(clip, node, "rotation", rotation, 4, clip.time);
      if (!scale.empty()) animate(clip, node, "scale", scale, 3, clip.time);
    }
  }

  /// The shapes of a body (-1: of the ground).
  Json::List nodes_of(int body) {
    Json::List nodes;
    for (const Drawing::Shape& shape : scene_.drawing.shapes)
      if (shape.body == body) {
        const std::string paint = !shape.colour.empty() ? shape.colour : body < 0 ? "#c4c8cd" : colour(body);
        nodes.emplace_back(add_node(
            Json::Object{{"mesh", add_mesh(triangles_of(shape, scene_.drawing.meshes, 32), paint)}}));
      }
    return nodes;
  }

  void add_body(std::size_t body) {
    Json::List children = nodes_of(static_cast<int>(body));
    if (children.empty() || results_.frames() == 0) return;
    const int node = add_node(Json::Object{{"name", scene_.bodies[body]}, {"children", children}});
    std::vector<FramePose> poses;
    for (const std::vector<FramePose>& all : body_motion()) poses.push_back(all[body]);
    place(node, poses);
    roots_.emplace_back(node);
  }

  const std::vector<std::vector<FramePose>>& body_motion() {
    if (body_motion_.empty())
      for (std::size_t frame = 0; frame < results_.frames(); ++frame)
        body_motion_.push_back(body_poses(results_, frame));
    return body_motion_;
  }

  /// A prism with its section from node to node.
  void add_rod(std::size_t number) {
    const ResultsReader::Rod& rod = scene_.rods[number];
    std::vector<std::vector<FramePose>> motion;
    for (std::size_t frame = 0; frame < results_.frames(); ++frame)
      motion.push_back(rod_poses(results_, rod, frame));
    if (motion.empty()) return;
    const int mesh =
        add_mesh(rod_surface(rod.outline, rod.hole, {{identity3, -0.5 * unit_z}, {identity3, 0.5 * unit_z}}),
                 colour(static_cast<int>(number)));
    Json::List children;
    for (std::size_t k = 1; k < rod.nodes; ++k) {
      std::vector<FramePose> poses;
      std::vector<Vec3> scales;
      for (const std::vector<FramePose>& nodes : motion) {
        const Vec3 along = nodes[k].p - nodes[k - 1].p;
        const Quat mean = Quat(nodes[k - 1].R).slerp(0.5, Quat(nodes[k].R));
        const Quat turn = Quat::FromTwoVectors(mean * unit_z, along) * mean;
        poses.push_back({turn.toRotationMatrix(), 0.5 * (nodes[k].p + nodes[k - 1].p)});
        scales.emplace_back(1, 1, along.norm());
      }
      const int node = add_node(Json::Object{{"mesh", mesh}});
      place(node, poses, scales);
      children.emplace_back(node);
    }
    roots_.emplace_back(add_node(Json::Object{{"name", rod.name}, {"children", children}}));
  }

  /// A mesh with its shapes at some outputs as morph targets, from one to the next of which it changes.
  void add_solid(std::size_t number) {
    constexpr std::size_t most_shapes = 100;
    const std::size_t frames = results_.frames();
    if (frames == 0) return;
    const std::size_t shapes = shows_modes() ? frames : std::min(frames, most_shapes), targets = shapes - 1;
    TriangleMesh start = scene_.solids[number].mesh;
    start.points = solid_points(results_, scene_, number, 0, body_motion()[0]);
    std::vector<float> times{0}, weights(targets, 0.0F);
    Json::List morphs;
    for (std::size_t k = 1; k < shapes; ++k) {
      const std::size_t frame = k * (frames - 1) / targets;
      const std::vector<Vec3> points = solid_points(results_, scene_, number, frame, body_motion()[frame]);
      std::vector<float> change;
      for (std::size_t i = 0; i < points.size(); ++i)
        for (const double x : Vec3(points[i] - start.points[i])) change.push_back(static_cast<float>(x));
      morphs.push_back(Json::Object{{"POSITION", add_accessor(change, "VEC3", 3, array_buffer, true)}});
      if (shows_modes()) continue;
      times.push_back(seconds_[frame]);
      for (std::size_t j = 1; j < shapes; ++j) weights.push_back(j == k ? 1.0F : 0.0F);
    }
    const int mesh = add_mesh(start, colour(static_cast<int>(scene_.rods.size() + number)), morphs);
    const int node = add_node(Json::Object{{"name", scene_.solids[number].name}, {"mesh", mesh}});
    roots_.emplace_back(node);
    if (targets == 0) return;
    if (!shows_modes())
      return animate(clips_[0], node, "weights", weights, 1, add_accessor(times, "SCALAR", 1, 0, true));
    for (Clip& clip : clips_) {
      weights.clear();
      for (const Blend& sample : clip.samples) {
        const std::size_t first = weights.size();
        weights.resize(first + targets, 0.0F);
        for (const auto& [output, part] : sample) weights[first + output - 1] = static_cast<float>(part);
      }
      animate(clip, node, "weights", weights, 1, clip.time);
    }
  }

  /// glTF has y upwards.
  Json document() {
    const Vec3& gravity = scene_.drawing.gravity;
    const Vec3 up = gravity.norm() > 0 ? Vec3(-gravity.normalized()) : unit_z;
    const Quat turn = Quat::FromTwoVectors(up, unit_y);
    Json world =
        Json::Object{{"name", "world"}, {"rotation", Json::List{turn.x(), turn.y(), turn.z(), turn.w()}}};
    if (!roots_.empty()) world["children"] = roots_;
    const int root = add_node(world);
    Json json = Json::Object{
        {"asset", Json::Object{{"version", "2.0"}, {"generator", "hooke " + results_.about().version}}},
        {"scene", 0},
        {"scenes", Json::List{Json::Object{{"nodes", Json::List{root}}}}},
        {"nodes", nodes_}};
    if (!bytes_.empty())
      json["buffers"] =
          Json::List{Json::Object{{"byteLength", static_cast<double>((bytes_.size() + 3) / 4 * 4)}}};
    const auto add = [&](const char* key, const Json::List& items) {
      if (!items.empty()) json[key] = items;
    };
    add("bufferViews", views_);
    add("accessors", accessors_);
    add("meshes", meshes_);
    add("materials", materials_);
    Json::List animations;
    for (const Clip& clip : clips_) {
      if (clip.channels.empty()) continue;
      Json& animation = animations.emplace_back(
          Json::Object{{"name", clip.name}, {"channels", clip.channels}, {"samplers", clip.samplers}});
      if (shows_modes()) animation["extras"] = clip.extras;
    }
    add("animations", animations);
    return json;
  }

  const ResultsReader& results_;
  Scene scene_;
  std::vector<std::vector<FramePose>> body_motion_;
  std::string bytes_;
  Json::List views_, accessors_, meshes_, materials_, nodes_, roots_;
  std::map<std::string, int> material_of_;
  std::vector<float> seconds_;  ///< of the outputs, or of the samples of a mode
  std::vector<Clip> clips_;
};

}  // namespace

void export_gltf(const ResultsReader& results, const std::string& path) { Gltf(results).write(path); }

}  // namespace hooke
