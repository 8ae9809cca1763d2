#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hooke/view/scene.h"

/// The page of `hooke view` (viewer/): what it asks for, and a copy of it that holds all data itself.
///
/// The page gets one JSON text about all runs, and numbers in pieces: rows [k r, (k + 1) r) of a data set as
/// little-endian floats (times as doubles), r so that a piece is about a megabyte. It asks for pieces by
/// number, "0/1/3": run, data set (numbered in the JSON), piece. Names in a file are any text, and so they are
/// values in the JSON and nothing else: no part of an address, a path or the page itself.
namespace hooke {

struct ViewedRun {
  std::string label;
  std::shared_ptr<ResultsReader> results;
};

/// The page as it was built from viewer/, without data.
std::string_view empty_page();
/// Its Content-Security-Policy: it runs its own script, known by its hash, and no other.
std::string_view page_policy();

std::string describe_runs(const std::vector<ViewedRun>& runs);

/// The bytes of a piece; nothing when there is none of that number.
std::string read_piece(const std::vector<ViewedRun>& runs, std::string_view name);

/// One file with everything in it, for the browser of somebody who has no hooke. Throws Error
/// (ExitCode::file) when it cannot be written.
void export_page(const std::vector<ViewedRun>& runs, const std::string& path);

}  // namespace hooke
