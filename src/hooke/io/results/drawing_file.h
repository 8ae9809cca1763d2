#pragma once
#include "hooke/io/results/hdf5.h"  // hid_t
#include "hooke/record/drawing.h"

namespace hooke {

/// Into the groups of a results file (docs/results.md); false when that failed.
bool write_drawing(hid_t file, const Drawing& drawing);
/// What is not in the file (written by an older version) is left empty. Throws Error when what is there does not fit
/// together.
Drawing read_drawing(hid_t file);

/// The data sets `points` and `triangles` of a group: false when writing failed; empty where there are none. Throws Error for corners nowhere.
bool write_mesh(hid_t group, const TriangleMesh& mesh);
TriangleMesh read_mesh(hid_t file, const std::string& group);

}  // namespace hooke
