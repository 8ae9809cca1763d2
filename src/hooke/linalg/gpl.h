#pragma once
#include "hooke/linalg/cholesky_maker.h"
#include "hooke/linalg/sparse_lu.h"

/// CHOLMOD's supernodal code and UMFPACK are under the GPL, and a program that links them is, too. So no
/// build has them unless asked to.
namespace hooke {

/// Null in a build without them.
std::unique_ptr<CholeskyMaker> make_cholmod();
std::unique_ptr<SparseLu> make_umfpack();

}  // namespace hooke
