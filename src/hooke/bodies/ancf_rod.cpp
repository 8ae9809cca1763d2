#include "hooke/bodies/ancf_rod.h"

#include "hooke/fe/rod_strain.h"

namespace hooke {

// --- interpolation

AncfRod::Shape::Shape(double u, double h) {
  const Lagrange<3> quadratic(u);
  r.setZero(), r_z.setZero(), b.setZero(), c.setZero(), b_z.setZero(), c_z.setZero();
  r[0] = 1 - u * u * (3 - 2 * u), r[1] = h * u * (1 - u) * (1 - u), r[6] = u * u * (3 - 2 * u),
  r[7] = h * u * u * (u - 1);
  r_z[0] = 6 * u * (u - 1) / h, r_z[1] = (1 - u) * (1 - 3 * u), r_z[6] = -r_z[0], r_z[7] = u * (3 * u - 2);
  constexpr int of_b[] = {2, 4, 8}, of_c[] = {3, 5, 9};
  for (int k = 0; k < 3; ++k) {
    b[of_b[k]] = c[of_c[k]] = quadratic.value[k];
    b_z[of_b[k]] = c_z[of_c[k]] = quadratic.slope[k] / h;
  }
}

AncfRod::AncfRod(const SectionShape& shape, const Material& material, double length, int elements,
                 const Vec6& damping)
    : length_(length),
      mass_(material.density * shape.area),
      elements_(elements),
      damped_(!damping.isZero(0)),
      inertia_(material.density * Vec2(shape.moment_x, shape.moment_y)),
      stiffness_(AncfStrain::stiffness(shape, material)) {
  const double h = element_length();
  const auto add_points = [&](const auto& rule, double line, double curvature) {
    for (std::size_t g = 0; g < rule.points.size(); ++g)
      points_.push_back({Shape(0.5 + 0.5 * rule.points[g], h), 0.5 * h * rule.weights[g] * line,
                         0.5 * h * rule.weights[g] * curvature});
  };
  const double thickness = 6 * (shape.moment_x + shape.moment_y) / (shape.area * h * h);
  const double share = thickness / (1 + thickness);
  add_points(gauss_legendre<2>, 1 - share, 0);
  add_points(gauss_legendre<3>, share, 1);
  if (damped_) {
    AncfStrain::Strains root;  // in the order of the strains
    root << Vec3::Constant(damping[2]), damping[1], damping[0], damping[2], damping[5], damping[5],
        damping[4], damping[5], damping[5], damping[3];
    root = root.cwiseSqrt().eval();
    damping_ = root.asDiagonal() * stiffness_ * root.asDiagonal();
  }
  element_mass_.setZero();
  element_weight_.setZero();
  const auto& rule = gauss_legendre<4>;  // exact
  for (std::size_t g = 0; g < rule.points.size(); ++g) {
    const Shape s(0.5 + 0.5 * rule.points[g], h);
    const double w = 0.5 * h * rule.weights[g];
    element_mass_ += w * (mass_ * s.r * s.r.transpose() + inertia_.y() * s.b * s.b.transpose() +
                          inertia_.x() * s.c * s.c.transpose());
    element_weight_ += w * s.r;
  }
  reference_ = attach({}, 0.5 * length);
}

AncfStrain::Vector AncfRod::gather(const Shape& s, const ElementVector& e) {
  AncfStrain::Vector u;
  const Eigen::Map<const Eigen::Matrix<double, 3, vectors>> vectors_of(e.data());
  u << vectors_of * s.r_z, vectors_of * s.b, vectors_of * s.c, vectors_of * s.b_z, vectors_of * s.c_z;
  return u;
}

std::vector<int> AncfRod::block_sizes() const {
  std::vector<int> sizes;
  for (int e = 0; e < elements_; ++e) sizes.insert(sizes.end(), {12, 6});
  sizes.push_back(12);
  return sizes;
}

std::vector<std::pair<int, int>> AncfRod::couplings() const {
  std::vector<std::pair<int, int>> pairs;
  for (int e = 0; e < elements_; ++e)
    pairs.insert(pairs.end(), {{2 * e, 2 * e + 1}, {2 * e + 1, 2 * e + 2}, {2 * e, 2 * e + 2}});
  return pairs;
}

// --- configuration

void AncfRod::place(const FramePose& pose, const Vec6& twist, double* q, double* v) const {
  const Vec3 omega_W = pose.R * twist.tail<3>();
  const auto put = [&](int at, const Vec3& vector_B) {
    Eigen::Map<Vec3>(q + at) = pose.R * vector_B;
    Eigen::Map<Vec3>(v + at) = omega_W.cross(pose.R * vector_B);
  };
  for (int i = 0; i <= elements_; ++i) {
    const int at = 18 * i;
    put(at, Vec3(0, 0, length_ * i / elements_ - 0.5 * length_));
    Eigen::Map<Vec3>(q + at) += pose.p;
    Eigen::Map<Vec3>(v + at) += twist.head<3>();
    put(at + 3, unit_z), put(at + 6, unit_x), put(at + 9, unit_y);
    if (i < elements_) put(at + 12, unit_x), put(at + 15, unit_y);
  }
}

void AncfRod::scale(double length, double* dof_scale) const {
  map(dof_scale).setOnes();
  for (int i = 0; i <= elements_; ++i) Eigen::Map<Vec3>(dof_scale + 18 * i).setConstant(length);
}

std::string AncfRod::dof_name(int i) const {
  static const char* const ends[] = {"position", "slope r_z", "slope r_x", "slope r_y"};
  const int node = i / 18, k = i % 18;
  const bool middle = k >= 12;
  return (middle ? "middle of element " : "node ") + std::to_string(node) + ", " +
         ends[middle ? (k - 12) / 3 + 2 : k / 3] + ", " + "xyz"[k % 3];
}

// --- forces

AncfStrain::Strains AncfRod::stress(const AncfStrain::Vector& u, const Point& point,
                                    const ElementVector& rate) const {
  AncfStrain::Strains s = stiffness_ * AncfStrain::strains(u);
  if (damped_) s.noalias() += damping_ * (AncfStrain::gradient(u) * gather(point.shape, rate));
  s.head<6>() *= point.line;
  s.tail<6>() *= point.curvature;
  return s;
}

void AncfRod::add_residual(const double* q, const double* v, const double* a, const Vec3& gravity,
                           double* r) const {
  const Vec3 weight = mass_ * gravity;
  for (int e = 0; e < elements_; ++e) {
    const ElementVector q_e(q + 18 * e), v_e(v + 18 * e);
    Eigen::Map<Eigen::Matrix<double, 3, vectors>> force(r + 18 * e);
    force.noalias() += Eigen::Map<const Eigen::Matrix<double, 3, vectors>>(a + 18 * e) * element_mass_;
    force.noalias() -= weight * element_weight_.transpose();
    for (const Point& point : points_) {
      const AncfStrain::Vector u = gather(point.shape, q_e);
      const AncfStrain::Vector f = AncfStrain::gradient(u).transpose() * stress(u, point, v_e);
      const Shape& s = point.shape;
      force.noalias() += f.segment<3>(0) * s.r_z.transpose();
      force.noalias() += f.segment<3>(3) * s.b.transpose() + f.segment<3>(9) * s.b_z.transpose();
      force.noalias() += f.segment<3>(6) * s.c.transpose() + f.segment<3>(12) * s.c_z.transpose();
    }
  }
}

void AncfRod::add_element_tangent(const ElementVector& q, const ElementVector& v, const Weights& w,
                                  ElementMatrix& C) const {
  for (const Point& point : points_) {
    const Shape& s = point.shape;
    const AncfStrain::Vector u = gather(s, q);
    const AncfStrain::Gradient B = AncfStrain::gradient(u), B_rate = AncfStrain::gradient(gather(s, v));
    Eigen::Matrix<double, 15, 15> H = Eigen::Matrix<double, 15, 15>::Zero();
    const auto add = [&](int first, double weight) {
      if (weight == 0) return;
      const auto part = B.middleRows<6>(first);
      Eigen::Matrix<double, 6, 15> change =
          weight * w.k * stiffness_.block<6, 6>(first, first) * part;  // of the stress
      if (damped_)
        change.noalias() +=
            weight * damping_.block<6, 6>(first, first) * (w.d * part + w.k * B_rate.middleRows<6>(first));
      H.noalias() += part.transpose() * change;
    };
    add(0, point.line);
    add(6, point.curvature);
    const Eigen::Matrix<double, 5, 5> geometric = w.k * AncfStrain::hessian(stress(u, point, v));
    for (int m = 0; m < 5; ++m)
      for (int n = 0; n < 5; ++n) H.block<3, 3>(3 * m, 3 * n).diagonal().array() += geometric(m, n);
    const Weight* const shapes[] = {&s.r_z, &s.b, &s.c, &s.b_z, &s.c_z};
    for (int n = 0; n < 5; ++n)
      for (int l = 0; l < vectors; ++l) {
        if ((*shapes[n])[l] == 0) continue;
        for (int m = 0; m < 5; ++m)
          for (int k = 0; k < vectors; ++k)
            if (const double weight = (*shapes[m])[k] * (*shapes[n])[l]; weight != 0)
              C.block<3, 3>(3 * k, 3 * l) += weight * H.block<3, 3>(3 * m, 3 * n);
      }
  }
}

void AncfRod::add_tangent(const double* q, const double* v, const double*, const Vec3&, const Weights& w,
                          const double*, const BodyBlocks& blocks) const {
  const bool elastic = w.k != 0 || (w.d != 0 && damped_);
  const int diagonal = 2 * elements_ + 1;
  for (int e = 0; e < elements_; ++e) {
    ElementMatrix C = ElementMatrix::Zero();
    if (elastic) add_element_tangent(ElementVector(q + 18 * e), ElementVector(v + 18 * e), w, C);
    for (int k = 0; k < vectors; ++k)
      for (int l = 0; l < vectors; ++l)
        C.block<3, 3>(3 * k, 3 * l).diagonal().array() += w.m * element_mass_(k, l);
    blocks.fixed<12, 12>(2 * e) += C.block<12, 12>(0, 0);
    blocks.fixed<6, 6>(2 * e + 1) += C.block<6, 6>(12, 12);
    blocks.fixed<12, 12>(2 * e + 2) += C.block<12, 12>(18, 18);
    const int pair = diagonal + 6 * e;
    blocks.fixed<12, 6>(pair) += C.block<12, 6>(0, 12);
    blocks.fixed<6, 12>(pair + 1) += C.block<6, 12>(12, 0);
    blocks.fixed<6, 12>(pair + 2) += C.block<6, 12>(12, 18);
    blocks.fixed<12, 6>(pair + 3) += C.block<12, 6>(18, 12);
    blocks.fixed<12, 12>(pair + 4) += C.block<12, 12>(0, 18);
    blocks.fixed<12, 12>(pair + 5) += C.block<12, 12>(18, 0);
  }
}

Energy AncfRod::energy(const double* q, const double* v, const Vec3& gravity) const {
  Energy sum;
  const Vec3 weight = mass_ * gravity;
  for (int e = 0; e < elements_; ++e) {
    const ElementVector q_e(q + 18 * e), v_e(v + 18 * e);
    const Eigen::Map<const Eigen::Matrix<double, 3, vectors>> velocity(v_e.data()), position(q_e.data());
    sum.kinetic += 0.5 * (velocity * element_mass_).cwiseProduct(velocity).sum();
    sum.potential -= weight.dot(position * element_weight_);
    for (const Point& point : points_) {
      const AncfStrain::Vector u = gather(point.shape, q_e);
      const AncfStrain::Strains s = AncfStrain::strains(u);
      sum.potential +=
          0.5 * (point.line * s.head<6>().dot(stiffness_.topLeftCorner<6, 6>() * s.head<6>()) +
                 point.curvature * s.tail<6>().dot(stiffness_.bottomRightCorner<6, 6>() * s.tail<6>()));
    }
  }
  return sum;
}

/// Positions and slopes turn, positions move along too.
bool AncfRod::rigid_motion(const double* q, const Vec6& twist, double* v) const {
  for (int i = 0; i < nv(); i += 3)
    Eigen::Map<Vec3>(v + i) = twist.tail<3>().cross(Eigen::Map<const Vec3>(q + i));
  for (int i = 0; i <= elements_; ++i) Eigen::Map<Vec3>(v + 18 * i) += twist.head<3>();
  return true;
}

void AncfRod::add_momentum(const double*, const double* v, double* r) const {
  using Vectors = Eigen::Matrix<double, 3, vectors>;
  for (int e = 0; e < elements_; ++e)
    Eigen::Map<Vectors>(r + 18 * e).noalias() += Eigen::Map<const Vectors>(v + 18 * e) * element_mass_;
}

Power AncfRod::power(const double* q, const double* v) const {
  Power sum;
  if (!damped_) return sum;
  for (int e = 0; e < elements_; ++e) {
    const ElementVector q_e(q + 18 * e), v_e(v + 18 * e);
    for (const Point& point : points_) {
      AncfStrain::Strains rate = AncfStrain::gradient(gather(point.shape, q_e)) * gather(point.shape, v_e);
      AncfStrain::Strains s = damping_ * rate;
      s.head<6>() *= point.line;
      s.tail<6>() *= point.curvature;
      sum.dissipated += rate.dot(s);
    }
  }
  return sum;
}

MassProperties AncfRod::mass_properties() const {
  const double m = mass_ * length_, across = m * length_ * length_ / 12;
  return {m, zero3,
          Vec3(across + inertia_.x() * length_, across + inertia_.y() * length_, inertia_.sum() * length_)
              .asDiagonal()};
}

// --- frames

/// Columns of the frame come in vectors: the four of an end node, or the ten of an element.
struct AncfRod::At {
  int first, count;  ///< first coordinate of the rod, number of vectors
  Weight r, b, c;

  At(const AncfRod& rod, const Frame& f)
      : first(18 * (f.node >= 0 ? f.node : f.element)), count(f.node >= 0 ? 4 : vectors) {
    const Shape shape(f.node >= 0 ? 0 : f.u, rod.element_length());
    r = shape.r, b = shape.b, c = shape.c;
  }
  Vec3 vector(const Weight& weight, const double* x) const {
    Vec3 sum = zero3;
    for (int k = 0; k < count; ++k) sum += weight[k] * Eigen::Map<const Vec3>(x + first + 3 * k);
    return sum;
  }
  static Triad triad(const Vec6& section) {
    return {section.head<3>(), section.tail<3>(), Triad::X::between};
  }
  /// (b, c) of x
  Vec6 section(const double* x) const {
    Vec6 both;
    both << vector(b, x), vector(c, x);
    return both;
  }
};

AncfRod::Frame AncfRod::attach(const FramePose& X_BF) const {
  return attach(X_BF, std::clamp(X_BF.p.z() + 0.5 * length_, 0.0, length_));
}

AncfRod::Frame AncfRod::attach(const FramePose& X_BF, double arc) const {
  Frame f;
  const double at = std::clamp(arc / length_, 0.0, 1.0) * elements_;
  if (std::abs(at - std::round(at)) < 1e-7) f.node = static_cast<int>(std::round(at));
  f.element = std::min(static_cast<int>(at), elements_ - 1);
  f.u = at - f.element;
  const FramePose X_SF = inverse(section_at(at * element_length())) * X_BF;
  f.R = X_SF.R;
  f.s = X_SF.p;
  return f;
}

std::vector<FrameEntry> AncfRod::frame_entries(const Frame& f) const {
  if (f.node >= 0) return {{2 * f.node, 18 * f.node, 12, 0}};
  const int e = f.element;
  return {{2 * e, 18 * e, 12, 0}, {2 * e + 1, 18 * e + 12, 6, 12}, {2 * e + 2, 18 * e + 18, 12, 18}};
}

FramePose AncfRod::node(int i, const double* q) const {
  const At at(*this, {.node = i % 2 ? -1 : i / 2, .element = i / 2, .u = 0.5});
  return {At::triad(at.section(q)).R, at.vector(at.r, q)};
}

void AncfRod::frame(const Frame& f, const double* q, const double* v, FramePose& pose, Vec6& twist,
                    Vec6& bias, Eigen::Ref<Mat6X> J) const {
  const At at(*this, f);
  const Vec6 section = at.section(q), rates = at.section(v);
  const Triad triad = At::triad(section);
  const Vec3 arm = triad.R * f.s, omega = triad.Omega * rates, alpha = triad.spin_gradient(rates) * rates;
  pose = {triad.R * f.R, at.vector(at.r, q) + arm};
  twist << at.vector(at.r, v) + omega.cross(arm), omega;
  bias << alpha.cross(arm) + omega.cross(omega.cross(arm)), alpha;
  const Mat3 of_b = triad.Omega.leftCols<3>(), of_c = triad.Omega.rightCols<3>(), arm_hat = hat(arm);
  for (int k = 0; k < at.count; ++k) {
    const Mat3 turn = at.b[k] * of_b + at.c[k] * of_c;
    J.middleCols<3>(3 * k) << at.r[k] * identity3 - arm_hat * turn, turn;
  }
}

/// J^T w = (r_k f + (b_k, c_k) Omega^T mu),  mu = m + R s x f
void AncfRod::frame_stiffness(const Frame& f, const double* q, const Vec6& wrench,
                              Eigen::Ref<MatrixX> K) const {
  const At at(*this, f);
  const Vec6 section = at.section(q);
  const Triad triad = At::triad(section);
  const Vec3 force = wrench.head<3>(), arm = triad.R * f.s;
  const Mat6 D = triad.moment_gradient(wrench.tail<3>() + arm.cross(force)) +
                 triad.Omega.transpose() * hat(force) * hat(arm) * triad.Omega;
  for (int k = 0; k < at.count; ++k)
    for (int l = 0; l < at.count; ++l)
      K.block<3, 3>(3 * k, 3 * l) +=
          at.b[k] * (at.b[l] * D.topLeftCorner<3, 3>() + at.c[l] * D.topRightCorner<3, 3>()) +
          at.c[k] * (at.b[l] * D.bottomLeftCorner<3, 3>() + at.c[l] * D.bottomRightCorner<3, 3>());
}

void AncfRod::velocity_gradient(const Frame& f, const double* q, const double* v,
                                Eigen::Ref<Mat6X> gradient) const {
  const At at(*this, f);
  const Vec6 section = at.section(q), rates = at.section(v);
  const Triad triad = At::triad(section);
  const Vec3 arm = triad.R * f.s, omega = triad.Omega * rates;
  const Mat36 turning = triad.spin_gradient(rates);  // of omega; and of omega x R s
  const Mat36 shifting = -hat(arm) * turning - hat(omega) * hat(arm) * triad.Omega;
  for (int k = 0; k < at.count; ++k)
    gradient.middleCols<3>(3 * k) << at.b[k] * shifting.leftCols<3>() + at.c[k] * shifting.rightCols<3>(),
        at.b[k] * turning.leftCols<3>() + at.c[k] * turning.rightCols<3>();
}

BodyMotion AncfRod::motion(const double* q, const double* v, const double* a) const {
  BodyMotion m;
  const At at(*this, reference_);
  Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, most_frame_dofs> J(6, 3 * at.count);
  Vec6 bias;
  frame(reference_, q, v, m.pose, m.twist, bias, J);
  m.acceleration = bias + J * Eigen::Map<const VectorX>(a + at.first, J.cols());
  return m;
}

}  // namespace hooke
