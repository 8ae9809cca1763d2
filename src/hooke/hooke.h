#pragma once
// All that a program needs: problems and simulations, results, and what its own bodies, joints, forces, drives,
// signals, control blocks, integrators and solvers are written against. Installed are this header and what it
// includes, nothing else.
#include "hooke/catalog/block_settings.h"
#include "hooke/catalog/builder.h"
#include "hooke/catalog/catalog.h"
#include "hooke/catalog/control_builder.h"
#include "hooke/catalog/drive_settings.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/catalog/joint_settings.h"
#include "hooke/catalog/plugin.h"
#include "hooke/catalog/problem.h"
#include "hooke/catalog/signal_settings.h"
#include "hooke/core.h"
#include "hooke/io/model/model_file.h"
#include "hooke/simulation/simulation.h"
