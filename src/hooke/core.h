#pragma once
// The mechanics alone: bodies, joints and forces make a System, an integrator takes it through time. This is the
// library hooke_core, which knows no files and needs Eigen only; with models and results: hooke/hooke.h.

#include "hooke/bodies/ancf_rod.h"
#include "hooke/bodies/corotational_solid.h"
#include "hooke/bodies/cosserat_rod.h"
#include "hooke/bodies/ffrf_rod.h"
#include "hooke/bodies/ffrf_solid.h"
#include "hooke/bodies/rigid.h"
#include "hooke/coupling/participant.h"
#include "hooke/forces/bushing.h"
#include "hooke/forces/coordinate_force.h"
#include "hooke/forces/driven_load.h"
#include "hooke/forces/friction.h"
#include "hooke/forces/point_load.h"
#include "hooke/integrators/march.h"
#include "hooke/integrators/settings.h"
#include "hooke/joints/drive.h"
#include "hooke/joints/gear.h"
#include "hooke/joints/joints.h"
#include "hooke/solvers/solver.h"
#include "hooke/system/system.h"
