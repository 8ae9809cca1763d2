// DART: relative coordinates, articulated body algorithm, semi-implicit Euler of fixed step.
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>
#include <string>

#include "chain.h"

int main(int argc, char** argv) {
  using namespace dart;
  for (int n : chain::sizes(argc, argv))
    for (double step : {0.01, 0.001}) {
      auto skeleton = dynamics::Skeleton::create("chain");
      dynamics::BodyNode* parent = nullptr;
      for (int i = 0; i < n; ++i) {
        dynamics::BallJoint::Properties joint;
        joint.mName = "joint" + std::to_string(i);
        joint.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(i ? 1 : 0, 0, 0);
        parent = skeleton
                     ->createJointAndBodyNodePair<dynamics::BallJoint>(
                         parent, joint,
                         dynamics::BodyNode::Properties(
                             dynamics::BodyNode::AspectProperties("link" + std::to_string(i))))
                     .second;
        parent->setInertia(dynamics::Inertia(1, Eigen::Vector3d(0.5, 0, 0), Eigen::Matrix3d::Identity()));
      }
      auto world = simulation::World::create();
      world->setGravity(Eigen::Vector3d(0, -chain::gravity, 0));
      world->setTimeStep(step);
      world->addSkeleton(skeleton);
      const auto advance = [&](double t) {
        while (world->getTime() < t - 0.5 * step) world->step();
        return true;
      };
      const auto energies = [&] {
        return std::pair{skeleton->computeKineticEnergy(), skeleton->computePotentialEnergy()};
      };
      const auto last = [&] {
        const Eigen::Vector3d at = parent->getCOM();
        return chain::Place{at[0], at[1], at[2]};
      };
      chain::measure("DART", ("semi-implicit Euler, step " + std::to_string(step).substr(0, 6)).c_str(), n,
                     advance, energies, last);
    }
}
