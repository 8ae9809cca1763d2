#pragma once
#include <string>
#include <vector>

#include "hooke/bodies/triad.h"
#include "hooke/fe/ancf_strain.h"
#include "hooke/frames/body.h"

namespace hooke {

/// A rod in absolute nodal coordinates (Zhou et al. 2022, section 2.3 and Fig. 8): the line by cubic
/// polynomials from position r and slope r_z at the ends of each element, the section's slopes r_x and r_y by
/// quadratic ones from ends and middle.
///
///   q = r, r_z, r_x, r_y at each end, r_x, r_y at each middle
///
/// which are 30 coordinates for one element and 18 more for every further one.
///
/// All coordinates are vectors in the world, so the mass matrix is constant and there are no inertia terms
/// besides. Strains and how Poisson locking is dealt with: fe/ancf_strain.h.
///
/// Shear and membrane locking: an element that bends can keep its line free of stretch, shear and change of
/// thickness at two Gauss points, not at three. So curvatures are integrated with three points and the
/// strains of the line with two; what two do not see (a slope r_z that swings about both points, the same in
/// all elements) is held by the share eps of a third point's rule, with  eps = s/(1 + s),  s = 12 I/(A h^2):
/// as stiff as bending, however thin the rod.
///
/// A frame is fixed in the section, evenly between r_x and r_y (bodies/triad.h): half of a torsional moment
/// enters through each, as each carries half of it along the rod.
struct AncfRod {
  static constexpr int frame_dofs = Eigen::Dynamic, most_frame_dofs = 30;

  struct Frame {
    int node = -1;  ///< end node, or
    int element = 0;
    double u = 0;  ///< place in the element
    Mat3 R = Mat3::Identity();
    Vec3 s = Vec3::Zero();
  };

  FramePose start;
  Vec6 start_twist = Vec6::Zero();

  AncfRod() = default;
  /// `damping`: times of Kelvin-Voigt for shear x, y, extension, bending x, y, torsion.
  AncfRod(const SectionShape& shape, const Material& material, double length, int elements,
          const Vec6& damping = zero6);

  int elements() const { return elements_; }
  double length() const { return length_; }
  FramePose section_at(double arc) const { return {identity3, Vec3(0, 0, arc - 0.5 * length_)}; }
  Frame attach(const FramePose& X_BF) const;
  Frame attach(const FramePose& X_BF, double arc) const;

  int nodes() const { return 2 * elements_ + 1; }
  FramePose node(int i, const double* q) const;
  int nq() const { return nv(); }
  int nv() const { return 18 * elements_ + 12; }
  std::vector<int> block_sizes() const;
  std::vector<std::pair<int, int>> couplings() const;
  std::vector<FrameEntry> frame_entries(const Frame& f) const;

  void initial(double* q, double* v) const { place(start, start_twist, q, v); }
  void place(const FramePose& pose, const Vec6& twist, double* q, double* v) const;
  void plus(const double* q, const double* x, double* result) const { map(result) = map(q) + map(x); }
  void minus(const double* q1, const double* q0, double* x) const { map(x) = map(q1) - map(q0); }
  void inverse_tangent(const double*, const double* v, double* result) const { map(result) = map(v); }

  void frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist, Vec6& bias,
             Eigen::Ref<Mat6X> J) const;
  void frame_stiffness(const Frame& f, const double* q, const Vec6& wrench, Eigen::Ref<MatrixX> K) const;
  void velocity_gradient(const Frame& f, const double* q, const double* v, Eigen::Ref<Mat6X> gradient) const;
  void apply_inverse_tangent(const Frame&, const double*, Eigen::Ref<Mat6X>) const {}

  void add_residual(const double* q, const double* v, const double* a, const Vec3& gravity, double* r) const;
  void add_tangent(const double* q, const double* v, const double* a, const Vec3& gravity, const Weights& w,
                   const double* x, const BodyBlocks& blocks) const;
  Energy energy(const double* q, const double* v, const Vec3& gravity) const;
  bool rigid_motion(const double* q, const Vec6& twist, double* v) const;
  void add_momentum(const double* q, const double* v, double* r) const;
  Power power(const double* q, const double* v) const;
  BodyMotion motion(const double* q, const double* v, const double* a) const;

  MassProperties mass_properties() const;
  void scale(double length, double* dof_scale) const;
  std::string dof_name(int i) const;

 private:
  static constexpr int vectors = 10;  ///< of an element: r0 rz0 rx0 ry0, rxm rym, r1 rz1 rx1 ry1
  using ElementVector = Eigen::Matrix<double, 3 * vectors, 1>;
  using ElementMatrix = Eigen::Matrix<double, 3 * vectors, 3 * vectors>;
  using Weight = Eigen::Matrix<double, vectors, 1>;
  /// How r, r_x, r_y at a place follow from the vectors of the element, and their changes along the rod.
  struct Shape {
    Weight r, r_z, b, c, b_z, c_z;
    Shape(double u, double length);
  };
  struct Point {
    Shape shape;
    double line, curvature;  ///< weights of the two kinds of strain, times the element's length
  };
  /// r, b, c at a frame and how they depend on its columns.
  struct At;

  Eigen::Map<const VectorX> map(const double* x) const { return {x, nv()}; }
  Eigen::Map<VectorX> map(double* x) const { return {x, nv()}; }
  double element_length() const { return length_ / elements_; }
  AncfStrain::Strains stress(const AncfStrain::Vector& u, const Point& point,
                             const ElementVector& rate) const;
  static AncfStrain::Vector gather(const Shape& shape, const ElementVector& e);
  void add_element_tangent(const ElementVector& q, const ElementVector& v, const Weights& w,
                           ElementMatrix& C) const;

  double length_ = 1, mass_ = 1;  ///< kg/m
  int elements_ = 0;
  bool damped_ = false;
  Vec2 inertia_ = Vec2::Ones();  ///< integrals of density y^2 and x^2
  AncfStrain::Stiffness stiffness_ = AncfStrain::Stiffness::Zero(), damping_ = AncfStrain::Stiffness::Zero();
  std::vector<Point> points_;                             ///< of every element
  Eigen::Matrix<double, vectors, vectors> element_mass_;  ///< times the identity
  Weight element_weight_;                                 ///< integrals of the shape functions of r
  Frame reference_;
};

}  // namespace hooke
