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
///
/// A body that bends becomes shorter. With second order shapes, u = u0 + S eta + 1/2 sum s_ij eta_i eta_j, it does so without
/// a strain, and what pulls at it, inertia or a joint, stiffens it (docs/theory/solids.md, 3.3).
struct ModalData {
  double mass = 0;
  Vec3 first_moment = Vec3::Zero();  ///< int rho u0
  Mat3X psi;                         ///< int rho S, 3 x n
  Mat3 N00 = Mat3::Zero();           ///< int rho u0 u0^T
  std::vector<Mat3> N0;              ///< int rho u0 S_i^T
  std::vector<Mat3> N;               ///< int rho S_i S_j^T at i n + j
  MatrixX stiffness, damping;        ///< n x n
  Mat3X second_psi;                  ///< int rho s_ij at i n + j; empty: no second order
  std::vector<Mat3> second_N0;       ///< int rho u0 s_ij^T

  struct Node {
    FramePose at;                             ///< undeformed
    Mat3X shift, rotation;                    ///< shapes: translation and small rotation of the node, 3 x n
    Mat6X stress{};                           ///< xx, yy, zz, xy, yz, zx of each mode; may be empty
    std::string name{};                       ///< of an interface, which frames are attached to by name
    Mat3X second_shift{}, second_rotation{};  ///< s_ij and its rotation at i n + j; may be empty
  };
  std::vector<Node> nodes;
  std::vector<std::array<int, 3>> triangles;  ///< its surface, for pictures: numbers of nodes

  int modes() const { return static_cast<int>(psi.cols()); }
  bool stiffens() const { return second_psi.cols() > 0; }
  double lowest_frequency() const;  ///< rad/s, of the deformation alone
  void forget_second_order() {
    second_psi.resize(3, 0);
    second_N0.clear();
    for (Node& node : nodes) node.second_shift = node.second_rotation = {};
  }
};

}  // namespace hooke
