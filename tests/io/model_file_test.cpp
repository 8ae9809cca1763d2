#include "hooke/io/model/model_file.h"

#include "document_helper.h"
#include "hooke/catalog/drive_settings.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/catalog/joint_settings.h"

namespace hooke {
namespace {

/// The model of a text without errors.
Problem parsed(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  Problem file = parse_model("hooke: 1\n" + text, "m.yaml", overrides, diagnostics);
  diagnostics.throw_if_errors();
  return file;
}

/// All errors of a text, one a line. The text begins in line 2.
std::string errors_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parsed(text, overrides);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Problem, AWholeModel) {
  const Problem file = parsed(R"(
title: Everything
parameters: {l: 2}
gravity: [0, 0, -9.81]
ground: {frames: {base: {at: [1, 2, 3]}}}
bodies:
  crank:
    rigid: {mass: 3, inertia: [1, 2, 2.5], centre: [0.1, 0, 0]}
    at: [0, 0, "${l}"]
    rotate: {axis: z, angle: 0.5}
    velocity: [1, 0, 0]
    angular_velocity: [0, 6, 0]
    hold: true
    frames: {tip: {at: [1, 0, 0], quaternion: [0, 1, 0, 0]}, heel: {}}
  rod: {rigid: {mass: 1, inertia: 1}, between: [A, [4, 5, 6]]}
joints:
  A: {revolute: [ground.base, crank.heel], at: [0, 0, 0], axis: -x, friction: {viscous: 0.1}, start: {angle: {value: 1, rate: 2}}}
  B: {screw: [crank.tip, rod], pitch: 0.01, start: {displacement: 0.5}}
  C: {gear: [A, B.angle], ratio: -2}
drives:
  motor: {joint: A, function: 3*t}
forces:
  S: {spring: [crank, rod], points: [[1, 1, 1], null], stiffness: 100, free: 0.2}
  T: {torsion-spring: [crank, rod], at: [0, 1, 0], axis: y, damping: 2}
  J: {joint-force: B.displacement, law: "5*x"}
  U: {bushing: [crank.tip, rod], stiffness: 7, damping: [1, 2, 3, 4, 5, 6], preload: [0, 0, 1, 0, 0, 0]}
  L: {load: crank.tip, force: [1, t, {polynomial: [0, 0, 1]}], at: [9, 9, 9], in: body}
run: {integrator: {hht: -0.05}, step: 1e-2, end: 3}
outputs: {every: 0.5}
)");
  const Model& model = file.model;
  EXPECT_EQ(model.title, "Everything");
  EXPECT_EQ(model.gravity, Vec3(0, 0, -9.81));
  ASSERT_EQ(model.ground.frames.size(), 1u);
  EXPECT_EQ(model.ground.frames[0].first, "base");
  EXPECT_EQ(*model.ground.frames[0].second.at, Vec3(1, 2, 3));

  ASSERT_EQ(model.bodies.size(), 2u);
  EXPECT_EQ(model.bodies[0].first, "crank");
  const BodyEntry& crank = model.bodies[0].second;
  const auto& rigid = *crank.formulation.get_if<RigidSettings>();
  EXPECT_EQ(rigid.mass, 3);
  EXPECT_EQ(rigid.inertia.matrix.diagonal(), Vec3(1, 2, 2.5));
  EXPECT_EQ(*crank.place.at, Vec3(0, 0, 2));
  EXPECT_EQ(crank.place.rotate->angle, 0.5);
  EXPECT_EQ(*crank.velocity, Vec3(1, 0, 0));
  EXPECT_EQ(*crank.angular_velocity, Vec3(0, 6, 0));
  EXPECT_TRUE(crank.hold);
  ASSERT_EQ(crank.frames.size(), 2u);
  EXPECT_EQ(crank.frames[0].first, "tip");
  EXPECT_EQ(*crank.frames[0].second.quaternion, Vec4(0, 1, 0, 0));
  EXPECT_EQ(model.bodies[1].first, "rod");
  const BodyEntry& rod = model.bodies[1].second;
  ASSERT_TRUE(rod.between);
  EXPECT_EQ(std::get<std::string>((*rod.between)[0]), "A");
  EXPECT_EQ(std::get<Vec3>((*rod.between)[1]), Vec3(4, 5, 6));

  ASSERT_EQ(model.joints.names(), (std::vector<std::string>{"A", "B", "C"}));
  const auto* A = model.joints.at("A").get_if<RevoluteSettings>();
  ASSERT_TRUE(A);
  EXPECT_EQ(A->between, (std::array<std::string, 2>{"ground.base", "crank.heel"}));
  EXPECT_EQ(*A->at, Vec3(0, 0, 0));
  EXPECT_EQ(*A->axis, Vec3(-1, 0, 0));
  EXPECT_EQ(A->friction->viscous, 0.1);
  EXPECT_EQ(A->start[0].first, "angle");
  EXPECT_EQ(A->start[0].second.value, 1);
  EXPECT_EQ(A->start[0].second.rate, 2);
  const auto* B = model.joints.at("B").get_if<ScrewSettings>();
  ASSERT_TRUE(B);
  EXPECT_EQ(B->pitch, 0.01);
  EXPECT_EQ(B->start[0].second.value, 0.5);
  EXPECT_FALSE(B->start[0].second.rate.has_value());
  const auto* C = model.joints.at("C").get_if<GearSettings>();
  ASSERT_TRUE(C);
  EXPECT_EQ(C->between, (std::array<std::string, 2>{"A", "B.angle"}));
  EXPECT_EQ(C->ratio, -2);

  ASSERT_EQ(model.drives.names(), std::vector<std::string>{"motor"});
  const auto* motor = model.drives[0].second.get_if<JointDriveSettings>();
  ASSERT_TRUE(motor);
  EXPECT_EQ(motor->joint, "A");
  EXPECT_EQ(motor->function(2).value, 6);

  ASSERT_EQ(model.forces.names(), (std::vector<std::string>{"S", "T", "J", "U", "L"}));
  const auto* spring = model.forces.at("S").get_if<SpringSettings>();
  ASSERT_TRUE(spring);
  EXPECT_EQ(*spring->points[0], Vec3(1, 1, 1));
  EXPECT_FALSE(spring->points[1].has_value());
  EXPECT_EQ(spring->law.stiffness, 100);
  EXPECT_EQ(spring->law.free, 0.2);
  const auto* torsion = model.forces.at("T").get_if<TorsionSpringSettings>();
  ASSERT_TRUE(torsion);
  EXPECT_EQ(*torsion->axis, Vec3(0, 1, 0));
  const auto* along = model.forces.at("J").get_if<JointForceSettings>();
  ASSERT_TRUE(along);
  EXPECT_EQ(along->coordinate, "B.displacement");
  EXPECT_EQ(along->law.make()(2, 0, 0).force, 10);

  const auto* bushing = model.forces.at("U").get_if<BushingSettings>();
  ASSERT_TRUE(bushing);
  EXPECT_EQ(bushing->stiffness.matrix, (7 * Mat6::Identity()).eval());
  EXPECT_EQ(bushing->damping.matrix(5, 5), 6);
  EXPECT_EQ(bushing->preload[2], 1);

  const auto* load = model.forces.at("L").get_if<LoadSettings>();
  ASSERT_TRUE(load && load->force);
  EXPECT_EQ(load->on, "crank.tip");
  EXPECT_EQ((*load->force)[1](3).value, 3);
  EXPECT_EQ((*load->force)[2](3).value, 9);
  EXPECT_FALSE(load->torque.has_value());
  EXPECT_EQ(load->in, LoadAxes::body);

  ASSERT_TRUE(file.run.integrator.get_if<HhtChoice>());
  EXPECT_EQ(file.run.integrator.get_if<HhtChoice>()->alpha, -0.05);
  EXPECT_EQ(file.run.end, 3);
  EXPECT_EQ(file.outputs.every, 0.5);
  EXPECT_TRUE(file.text.starts_with("hooke: 1\n\ntitle: Everything"));
}

TEST(Problem, TheSmallestModelAndItsDefaults) {
  const Problem file = parsed("");
  EXPECT_TRUE(file.model.bodies.empty());
  EXPECT_EQ(file.model.gravity, Vec3(0, 0, 0));
  EXPECT_EQ(file.outputs.every, 0.01);
  EXPECT_EQ(file.run.end, 1);
}

TEST(Problem, Version) {
  const auto errors = [](const std::string& text) {
    Diagnostics diagnostics;
    parse_model(text, "m.yaml", {}, diagnostics);
    return diagnostics.has_errors() ? to_string(diagnostics.errors()[0]) : "";
  };
  EXPECT_EQ(errors("hooke: 1"), "");
  EXPECT_EQ(errors("hooke: 2"), "m.yaml:1:8: hooke: this program reads version 1 of the file format, not 2");
  EXPECT_EQ(errors("title: a"), "m.yaml:1:1: 'hooke' is missing: version of the file format: 1");
}

TEST(Problem, InertiaInAllItsForms) {
  const auto inertia = [](const std::string& text) {
    const Problem file = parsed("bodies: {a: {rigid: {mass: 1, inertia: " + text + "}}}");
    return file.model.bodies.at("a").formulation.get_if<RigidSettings>()->inertia.matrix;
  };
  Mat3 full;
  full << 1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5;
  EXPECT_EQ(inertia("2"), (2 * Mat3::Identity()).eval());
  EXPECT_EQ(inertia("[1, 2, 2.5]").diagonal(), Vec3(1, 2, 2.5));
  EXPECT_EQ(inertia("[1, 2, 2.5, 0.1, 0.2, 0.3]"), full);
  EXPECT_EQ(inertia("[[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]"), full);
}

TEST(Problem, WrongInertia) {
  const auto errors = [](const std::string& text) {
    return errors_of("bodies:\n  a: {rigid: {mass: 1, inertia: " + text + "}}");
  };
  EXPECT_EQ(errors("[1, 2]"),
            "m.yaml:3:33: bodies.a.rigid.inertia: expected one number, [xx, yy, zz], [xx, yy, zz, xy, xz, "
            "yz] or three "
            "rows, got a list of 2");
  EXPECT_EQ(errors("[[1, 2, 3], [2, 1, 0], 5]"),
            "m.yaml:3:56: bodies.a.rigid.inertia[2]: expected a list of 3 numbers or an axis (x, y, z, -x, "
            "-y or -z), got '5'");
  EXPECT_NE(errors("[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]").find("symmetric"), std::string::npos);
  EXPECT_NE(errors("[1, 1, 3]").find("m.yaml:3:33: bodies.a.rigid.inertia: "), std::string::npos);
}

TEST(Problem, MatricesOfABushing) {
  const auto bushing = [](const std::string& text) {
    return "forces:\n  u: {bushing: [a, b], " + text + "}";
  };
  const Problem file =
      parsed(bushing("stiffness: [[2, 1, 0, 0, 0, 0], [1, 2, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], "
                     "[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]"));
  EXPECT_EQ(file.model.forces.at("u").get_if<BushingSettings>()->stiffness.matrix(0, 1), 1);
  EXPECT_EQ(errors_of(bushing("damping: 1")),
            "m.yaml:3:6: forces.u: 'stiffness' is missing: along x, y, z and about x, y, z of the first "
            "frame: one number, "
            "six, or six rows of a symmetric matrix [N/m, N m/rad]");
  EXPECT_EQ(errors_of(bushing("stiffness: [1, 2]")),
            "m.yaml:3:35: forces.u.stiffness: expected one number, six, or six rows of six, got a list of 2");
}

TEST(Problem, RodsOfAllKinds) {
  const std::string settings =
      "{section: {circle: 0.01}, material: {young: 2e11, density: 7800}, length: 2, elements: 3, damping: "
      "1e-3}}}";
  const Problem file = parsed("bodies: {a: {cosserat: " + settings);
  ASSERT_TRUE(file.model.bodies.at("a").formulation.get_if<CosseratSettings>());
  const auto& rod = *file.model.bodies.at("a").formulation.get_if<CosseratSettings>();
  EXPECT_EQ(std::get<CircleSection>(rod.section).radius, 0.01);
  EXPECT_EQ(rod.damping.times, Vec6::Constant(1e-3));
  EXPECT_EQ(rod.elements, 3);
  EXPECT_EQ(parsed("bodies: {a: {ancf: " + settings).model.bodies.at("a").formulation.name(), "ancf");
  EXPECT_EQ(parsed("bodies: {a: {ffrf: " + settings).model.bodies.at("a").formulation.name(), "ffrf");
}

TEST(Problem, WrongRods) {
  EXPECT_THAT(errors_of("bodies: {a: {cosserat: {section: {circle: 0.01}, length: 1}}}"),
              testing::HasSubstr("m.yaml:2:34: bodies.a.cosserat.section: needs a 'material' beside it"));
  EXPECT_THAT(
      errors_of("bodies: {a: {cosserat: {section: {tube: {outer: 1, inner: 2}}, length: 1}}}"),
      testing::HasSubstr("bodies.a.cosserat.section.tube.inner: must be smaller than the outer radius"));
  EXPECT_THAT(errors_of("bodies: {a: {cosserat: {section: {general: {stiffness: [1, 1, 1, 1, 1, 0], mass: 1, "
                        "inertia: 1}}}}}"),
              testing::HasSubstr("must be positive: a rod resists every one of the six strains"));
  EXPECT_THAT(errors_of("bodies: {a: {ancf: {section: {general: {stiffness: 1, mass: 1, inertia: 1}}}}}"),
              testing::HasSubstr("needs a shape and a material (or use cosserat)"));
  EXPECT_THAT(
      errors_of("bodies: {a: {ffrf: {section: {circle: 1}, material: {young: 1, density: 1}, modes: 3}}}"),
      testing::HasSubstr("at least the six shapes of loads on the ends"));
}

TEST(Problem, UnknownKeysAndKinds) {
  EXPECT_EQ(
      errors_of("boddies: {}"),
      "m.yaml:2:1: boddies: unknown key 'boddies' (did you mean 'bodies'?); known here: hooke, include, "
      "parameters, title, "
      "gravity, ground, bodies, joints, drives, forces, surfaces, contacts, plugin, signals, control, "
      "events, limits, run, "
      "outputs, "
      "subsystems, coupling, "
      "linear, participants, connections, interfaces and study");
  EXPECT_EQ(errors_of("bodies:\n  a: {rigd: {mass: 1}, at: [0, 0]}"),
            "m.yaml:3:6: bodies.a: expected one of rigid, cosserat, ancf, ffrf, modal or solid as the kind "
            "of body (did "
            "you mean 'rigid'?)\n"
            "m.yaml:3:28: bodies.a.at: expected a list of 3 numbers or an axis (x, y, z, -x, -y or -z), got "
            "a list of 2");
  EXPECT_EQ(errors_of("joints:\n  a: {revolut: [b, c]}").substr(0, 44),
            "m.yaml:3:6: joints.a: expected one of fixed,");
  EXPECT_NE(errors_of("joints:\n  a: {revolut: [b, c]}").find("(did you mean 'revolute'?)"),
            std::string::npos);
  EXPECT_EQ(errors_of("joints:\n  a: {revolute: [b, c], fixed: [b, c]}"),
            "m.yaml:3:25: joints.a.fixed: 'revolute' and 'fixed' exclude each other: write one as the kind "
            "of joint");
  EXPECT_EQ(errors_of("joints:\n  a: {revolute: b}"),
            "m.yaml:3:17: joints.a.revolute: expected a list of 2, got 'b'");
  EXPECT_EQ(
      errors_of("forces:\n  a: {sprng: [b, c]}"),
      "m.yaml:3:6: forces.a: expected one of spring, torsion-spring, joint-force, bushing, motor, load or "
      "distributed-load as "
      "the kind of "
      "force (did you mean 'spring'?)");
  EXPECT_EQ(errors_of("forces:\n  a: {load: b, troque: [0, 0, 1]}"),
            "m.yaml:3:16: forces.a.troque: unknown key 'troque' (did you mean 'torque'?); known here: load, "
            "force, torque, "
            "at and in");
  EXPECT_EQ(errors_of("forces:\n  a: {load: b}"), "m.yaml:3:6: forces.a: give a force, a torque or both");
  EXPECT_EQ(errors_of("bodies: [1]"), "m.yaml:2:9: bodies: expected a mapping, got a list of 1");
  EXPECT_EQ(
      errors_of("joints: {a: 5}"),
      "m.yaml:2:13: joints.a: expected a mapping such as {revolute: [A, B], at: [...], axis: z}, got '5'");
  EXPECT_EQ(
      errors_of("drives: {a: {joint: b}}"),
      "m.yaml:2:13: drives.a: 'function' is missing: value over time, or a formula of signals [m or rad]");
}

/// Each type of joint has keys of its own.
TEST(Problem, KeysOfAnotherKindOfJoint) {
  EXPECT_EQ(errors_of("joints:\n  a: {revolute: [b, c], at: [0, 0, 0], axis: z, pitch: 1}"),
            "m.yaml:3:49: joints.a.pitch: unknown key 'pitch'; known here: revolute, at, axis, friction and "
            "start");
  EXPECT_EQ(errors_of("joints:\n  a: {distance: [b, c], at: [0, 0, 0]}"),
            "m.yaml:3:25: joints.a.at: unknown key 'at'; known here: distance and length");
  EXPECT_EQ(errors_of("joints:\n  a: {spherical: [b, c], axis2: z}").substr(0, 49),
            "m.yaml:3:26: joints.a.axis2: unknown key 'axis2' ");
  EXPECT_EQ(errors_of("joints:\n  a: {screw: [b, c], axis: z}"),
            "m.yaml:3:6: joints.a: 'pitch' is missing: advance per turn [m]");
  EXPECT_EQ(errors_of("joints:\n  a: {gear: [b, c]}"),
            "m.yaml:3:6: joints.a: 'ratio' is missing: first + ratio * second stays constant");
  EXPECT_EQ(errors_of("joints:\n  a: {rack-and-pinion: [b, c]}"),
            "m.yaml:3:6: joints.a: 'ratio' is missing: pitch radius [m]");
}

TEST(Problem, DrivesOfAJointOrABody) {
  const Problem file = parsed("drives: {a: {body: b.tip, coordinate: angle_y, function: 3}}");
  const auto* drive = file.model.drives.at("a").get_if<BodyDriveSettings>();
  ASSERT_TRUE(drive);
  EXPECT_EQ(drive->body, "b.tip");
  EXPECT_EQ(drive->coordinate, BodyCoordinate::angle_y);
  EXPECT_EQ(errors_of("drives:\n  a: {body: b, coordinate: angle, function: 0}"),
            "m.yaml:3:28: drives.a.coordinate: expected x, y, z, angle_x, angle_y or angle_z, got 'angle'");
  EXPECT_EQ(errors_of("drives:\n  a: {body: b, function: 0}"),
            "m.yaml:3:6: drives.a: 'coordinate' is missing: which");
  EXPECT_EQ(errors_of("drives:\n  a: {function: 0}"),
            "m.yaml:3:6: drives.a: expected one of joint or body as the kind of drive");
  EXPECT_EQ(
      errors_of("drives:\n  a: {joint: b, body: c, function: 0}"),
      "m.yaml:3:17: drives.a.body: 'joint' and 'body' exclude each other: write one as the kind of drive");
  EXPECT_EQ(
      errors_of("drives:\n  a: {joint: b, coordinate: x, function: 0}"),
      "m.yaml:3:17: drives.a.coordinate: unknown key 'coordinate'; known here: joint, function and every");
}

TEST(Problem, ASectionForStudiesIsNoneOfTheModel) {
  const std::string study = "study: {vary: {m: {key: 'gravity[2]', from: \"${-pi}\", to: 0}}, design: grid}";
  EXPECT_EQ(write_model(parsed(study)), write_model(parsed("")));
  EXPECT_THAT(errors_of("study: 1"), ::testing::HasSubstr("study: expected keys and values of a study, got"));
}

TEST(Problem, Names) {
  EXPECT_EQ(errors_of("bodies:\n  a b: {rigid: {mass: 1, inertia: 1}}"),
            "m.yaml:3:3: bodies: a name is made of letters, digits, _ and -; it cannot hold ' ': 'a b'");
  EXPECT_EQ(
      errors_of("bodies:\n  a: {rigid: {mass: 1, inertia: 1}, frames: {b.c: {}}}"),
      "m.yaml:3:46: bodies.a.frames: a name is made of letters, digits, _ and -; it cannot hold '.': 'b.c'");
  EXPECT_EQ(errors_of("bodies: {Kurbel-ä_2: {rigid: {mass: 1, inertia: 1}}}"), "");
}

TEST(Problem, AllErrorsAtOnce) {
  EXPECT_EQ(
      errors_of("gravity: 9.81\n"
                "bodies:\n"
                "  a: {rigid: {mass: -1, inertia: 1}}\n"
                "  b: {rigid: {mass: 1, inertia: 1}, angular_velocity: [0, 0, 1], angular_velocity_world: "
                "[1, 0, 0]}\n"
                "joints:\n"
                "  c: {revolute: [a, b], at: [0, 0, '${q}']}\n"
                "run: {step: 0, integrator: {newmrk: {}}}\n"),
      "m.yaml:7:36: joints.c.at[2]: in 'q': unknown name 'q'\n"
      "m.yaml:2:10: gravity: expected a list of 3 numbers or an axis (x, y, z, -x, -y or -z), got '9.81'\n"
      "m.yaml:4:21: bodies.a.rigid.mass: must be positive, got -1 kg\n"
      "m.yaml:5:90: bodies.b.angular_velocity_world: and angular_velocity exclude each other\n"
      "m.yaml:8:28: run.integrator: expected one of generalized-alpha, hht, newmark, trapezoidal, "
      "dae-alpha, dae-alpha-cs, dae-alpha-cm, energy-momentum, stabilised-ode, dormand-prince, merson or "
      "linearly-implicit "
      "(did you mean 'newmark'?)\n"
      "m.yaml:8:13: run.step: must be positive, got 0 s");
}

TEST(Problem, LaterErrorsCanPointAtThePlace) {
  const Model model = parsed(
                          "bodies:\n  a:\n    rigid: {mass: 1, inertia: 1}\n    at: [1, 2, 3]\n"
                          "joints:\n  b: {fixed: [ground, a]}\n")
                          .model;
  const auto place = [&](const std::string& path) { return to_string(model.locate(path)); };
  EXPECT_EQ(place("bodies.a.at"), "m.yaml:5:9");
  EXPECT_EQ(place("bodies.a.at[1]"), "m.yaml:5:9");
  EXPECT_EQ(place("bodies.a.rigid.mass"), "m.yaml:4:19");
  EXPECT_EQ(place("joints.b.fixed[1]"), "m.yaml:7:23");
  EXPECT_EQ(place("joints.b.axis"), "m.yaml:7:6");
  EXPECT_EQ(place("nothing"), "");
}

TEST(Problem, Overrides) {
  const std::string text = "parameters: {m: 1}\nbodies:\n  a: {rigid: {mass: \"${m}\", inertia: 1}}\n";
  const auto mass = [&](const std::vector<std::string>& overrides) {
    return *parsed(text, overrides).model.bodies.at("a").formulation.get_if<RigidSettings>()->mass;
  };
  EXPECT_EQ(mass({"parameters.m=2"}), 2);
  EXPECT_EQ(mass({"bodies.a.rigid.mass=3"}), 3);
  EXPECT_EQ(parsed(text, {"run.integrator={newmark: {beta: 0.25, gamma: 0.5}}"}).run.integrator.name(),
            "newmark");
  EXPECT_EQ(errors_of(text, {"bodies.a.rigid.mass=-3"}),
            "--set bodies.a.rigid.mass=-3: bodies.a.rigid.mass: must be positive, got -3 kg");
  EXPECT_EQ(errors_of(text, {"include=x.yaml"}),
            "--set include=x.yaml: include: only a file can include others");
}

TEST(Problem, Files) {
  const Folder folder;
  folder.write("common.yaml",
               "hooke: 1\nparameters: {m: 1}\nbodies: {a: {rigid: {mass: \"${m}\", inertia: 1}}}\n");
  const std::string path = folder.write("m.yaml", "include: common.yaml\nparameters: {m: 4}\n");
  Diagnostics diagnostics;
  const Problem file = read_model_file(path, {}, diagnostics);
  diagnostics.throw_if_errors();
  EXPECT_EQ(file.model.bodies.at("a").formulation.get_if<RigidSettings>()->mass, 4);
  EXPECT_EQ(file.text, "include: common.yaml\nparameters: {m: 4}\n");
  EXPECT_THROW(read_model_file(path + "x", {}, diagnostics), Error);
  EXPECT_THROW(parse_model("a: [", "m.yaml", {}, diagnostics), ModelError);
}

}  // namespace
}  // namespace hooke
