#pragma once
// Everything: the program hooke as a library.

#include "hooke/core.h"
#include "hooke/simulation/simulation.h"
