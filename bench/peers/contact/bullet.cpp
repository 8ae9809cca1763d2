// Bullet: sequential impulses in maximal coordinates, ITERATIONS in each step; bodies do not fall asleep.
//   bullet SCENE STEP END ITERATIONS FILE
#include <btBulletDynamicsCommon.h>

#include <cstdlib>
#include <memory>

#include "scene.h"

namespace {

btVector3 vector(const contact::Vec3& v) { return {v[0], v[1], v[2]}; }
contact::Vec3 vector(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

std::unique_ptr<btCollisionShape> shape(const contact::Body& body) {
  if (body.kind == "sphere") return std::make_unique<btSphereShape>(body.size[0]);
  if (body.kind == "capsule") return std::make_unique<btCapsuleShapeZ>(body.size[0], body.size[1]);
  return std::make_unique<btBoxShape>(vector(body.size) / 2);
}

}  // namespace

int main(int, char** arguments) {
  const contact::Scene scene = contact::read(arguments[1]);
  const double step = std::atof(arguments[2]), end = std::atof(arguments[3]);

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity({0, 0, -contact::gravity});
  world.getSolverInfo().m_numIterations = std::atoi(arguments[4]);

  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  const auto add = [&](double mass, const contact::Vec3& inertia, const btTransform& pose) {
    bodies.push_back(std::make_unique<btRigidBody>(mass, nullptr, shapes.back().get(), vector(inertia)));
    bodies.back()->setWorldTransform(pose);
    bodies.back()->setFriction(std::sqrt(scene.friction));  // those of a pair are multiplied
    bodies.back()->setRestitution(std::sqrt(scene.restitution));
    bodies.back()->setDamping(0, 0);
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(bodies.back().get());
  };
  for (const contact::Body& body : scene.bodies) {
    shapes.push_back(shape(body));
    const auto& q = body.turn;
    add(body.mass, body.inertia, btTransform(btQuaternion(q[1], q[2], q[3], q[0]), vector(body.at)));
  }
  for (const contact::Plane& plane : scene.planes) {
    const btVector3 normal = vector(plane.normal);
    shapes.push_back(std::make_unique<btStaticPlaneShape>(normal, normal.dot(vector(plane.at))));
    add(0, {0, 0, 0}, btTransform::getIdentity());
  }
  std::vector<std::unique_ptr<btPoint2PointConstraint>> joints;
  for (const contact::Joint& joint : scene.joints) {
    btRigidBody &first = *bodies[joint.first], &second = *bodies[joint.second];
    const btVector3 at = vector(joint.at);
    joints.push_back(std::make_unique<btPoint2PointConstraint>(
        first, second, first.getWorldTransform().inverse() * at, second.getWorldTransform().inverse() * at));
    world.addConstraint(joints.back().get(), true);
  }

  const auto force = [&] {
    double sum = 0;
    for (int k = 0; k < dispatcher.getNumManifolds(); ++k) {
      const btPersistentManifold& pair = *dispatcher.getManifoldByIndexInternal(k);
      const bool first = pair.getBody0()->isStaticObject(), second = pair.getBody1()->isStaticObject();
      if (first == second) continue;
      for (int i = 0; i < pair.getNumContacts(); ++i) {
        const btManifoldPoint& point = pair.getContactPoint(i);
        const btVector3 impulse = point.m_appliedImpulse * point.m_normalWorldOnB +
                                  point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 +
                                  point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
        sum += (second ? 1 : -1) * impulse.z() / step;
      }
    }
    return sum;
  };
  const auto motion = [&](std::size_t k) {
    const btRigidBody& body = *bodies[k];
    const btQuaternion q = body.getWorldTransform().getRotation();
    return contact::Motion{vector(body.getWorldTransform().getOrigin()),
                           {q.w(), q.x(), q.y(), q.z()},
                           vector(body.getLinearVelocity()),
                           vector(body.getAngularVelocity())};
  };
  contact::record(
      scene, step, end, arguments[5], [&] { world.stepSimulation(step, 0); }, force, motion);
  for (auto& joint : joints) world.removeConstraint(joint.get());
  for (auto& body : bodies) world.removeRigidBody(body.get());
}
