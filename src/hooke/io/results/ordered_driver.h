#pragma once
#include <hdf5.h>

namespace hooke::hdf5 {

/// How HDF5 writes a results file, so that it can be read whenever the program dies.
///
/// HDF5 writes what it knows of a file, the index of a data set say, in the order of addresses. An index that grows is
/// split: its root is written with the addresses of new nodes, and then the nodes. A program killed in between leaves a
/// data set whose rows cannot be found any more. This driver (a "virtual file driver") lets all of that wait until a
/// flush, and writes first what is new, at the end of the file, then what is changed in place, from the start on: parents,
/// which are older, before children. Until the parent is written nothing refers to what is new; from then on the old child
/// holds more than it must. Rows themselves are written at once, as they were: nothing refers to them yet.
///
/// False when HDF5 refuses it.
bool write_in_order(hid_t file_access);

}  // namespace hooke::hdf5
