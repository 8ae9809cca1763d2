#pragma once
#include <tuple>

#include "hooke/joints/joint.h"
#include "hooke/joints/parts/distance_is.h"
#include "hooke/joints/parts/no_twist.h"
#include "hooke/joints/parts/perpendicular.h"
#include "hooke/joints/parts/point_in_plane.h"
#include "hooke/joints/parts/points_coincide.h"
#include "hooke/joints/parts/thread.h"

/// The joints. Each leaves 6 - rows motions free; docs/joints.md shows them in a table.
namespace hooke::joints {

using enum Axis;
using Turn = FreeMotion<"angle", Angle::about_z()>;
using Slide = FreeMotion<"displacement", Displacement{z}>;
using SlideX = FreeMotion<"x", Displacement{x}>;
using SlideY = FreeMotion<"y", Displacement{y}>;

/// No relative motion.
using Fixed =
    Joint<"fixed", Parts<PointsCoincide, Perpendicular<x, z>, Perpendicular<y, z>, Perpendicular<x, y>>>;

/// B turns about z_A.
using Revolute =
    Joint<"revolute", Parts<PointsCoincide, Perpendicular<x, z>, Perpendicular<y, z>>, Coordinates<Turn>>;

/// B slides along z_A.
using Prismatic = Joint<
    "prismatic",
    Parts<PointInPlane<x>, PointInPlane<y>, Perpendicular<x, z>, Perpendicular<y, z>, Perpendicular<x, y>>,
    Coordinates<Slide>>;

/// B slides along z_A and turns about it.
using Cylindrical =
    Joint<"cylindrical", Parts<PointInPlane<x>, PointInPlane<y>, Perpendicular<x, z>, Perpendicular<y, z>>,
          Coordinates<Slide, Turn>>;

/// A nut on a spindle: a cylindrical joint whose two motions the thread couples.
using Screw =
    Joint<"screw", Parts<PointInPlane<x>, PointInPlane<y>, Perpendicular<x, z>, Perpendicular<y, z>, Thread>,
          Coordinates<Slide, Turn>>;

/// Hooke's joint: a common point, and the two arms of the cross, x of A and y of B, stay perpendicular.
using Universal = Joint<"universal", Parts<PointsCoincide, Perpendicular<x, y>>,
                        Coordinates<FreeMotion<"angle_x", Angle::universal_about_x()>,
                                    FreeMotion<"angle_y", Angle::universal_about_y()>>>;

/// A common point, and the shafts z_A and z_B turn equally fast at every bend.
/// Its two angles are the tilt of z_B as seen in the yz and xz planes of A; they end at a bend of 90 degrees.
using ConstantVelocity =
    Joint<"constant-velocity", Parts<PointsCoincide, NoTwist>,
          Coordinates<FreeMotion<"angle_x", Angle{z, y, z, z}>, FreeMotion<"angle_y", Angle{x, z, z, z}>>>;

/// A common point.
using Spherical = Joint<"spherical", Parts<PointsCoincide>>;

/// B slides on the xy plane of A and turns about its normal.
using Planar = Joint<"planar", Parts<PointInPlane<z>, Perpendicular<x, z>, Perpendicular<y, z>>,
                     Coordinates<SlideX, SlideY, Turn>>;

/// The origin of B stays on the z axis of A.
using PointOnLine = Joint<"point-on-line", Parts<PointInPlane<x>, PointInPlane<y>>, Coordinates<Slide>>;

/// The origin of B stays in the xy plane of A.
using PointOnPlane = Joint<"point-on-plane", Parts<PointInPlane<z>>, Coordinates<SlideX, SlideY>>;

/// z_A and z_B stay parallel; the origins are free.
using ParallelAxes =
    Joint<"parallel-axes", Parts<Perpendicular<x, z>, Perpendicular<y, z>>, Coordinates<Turn>>;

/// z_A and z_B stay perpendicular; the origins are free.
using PerpendicularAxes = Joint<"perpendicular-axes", Parts<Perpendicular<z, z>>>;

/// The origins keep their distance.
using FixedDistance = Joint<"distance", Parts<DistanceIs>>;

/// All of them: what the catalog offers and what tests/joints checks.
using All = std::tuple<Fixed, Revolute, Prismatic, Cylindrical, Screw, Universal, ConstantVelocity, Spherical,
                       Planar, PointOnLine, PointOnPlane, ParallelAxes, PerpendicularAxes, FixedDistance>;

}  // namespace hooke::joints
