#pragma once
#include <array>
#include <string>
#include <vector>

#include "hooke/frames/frame.h"

namespace hooke {

/// What a body with modes is, in its reference frame: the displacement of a point is u = u0 + S eta. The
/// inertia of all motions is in the integrals of products of two of the fields u0, S_1, ..., S_n (Zhou et al.
/// 2022, section 2.2, whose J0, Omega, Upsilon, Psi, Gamma, eta are parts of these): a finite element model
/// of any kind gives them, and the shapes at its nodes.
struct ModalData {
  double mass = 0;
  Vec3 first_moment = Vec3::Zero();  ///< int rho u0
  Mat3X psi;                         ///< int rho S, 3 x n
  Mat3 N00 = Mat3::Zero();           ///< int rho u0 u0^T
  std::vector<Mat3> N0;              ///< int rho u0 S_i^T
  std::vector<Mat3> N;               ///< int rho S_i S_j^T at i n + j
  MatrixX stiffness, damping;        ///< n x n

  struct Node {
    FramePose at;           ///< undeformed
    Mat3X shift, rotation;  ///< shapes: translation and small rotation of the node, 3 x n
    Mat6X stress{};         ///< xx, yy, zz, xy, yz, zx of each mode; may be empty
    std::string name{};     ///< of an interface, which frames are attached to by name
  };
  std::vector<Node> nodes;
  std::vector<std::array<int, 3>> triangles;  ///< its surface, for pictures: numbers of nodes

  int modes() const { return static_cast<int>(psi.cols()); }
};

}  // namespace hooke
