#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "hooke/base/error.h"
#include "hooke/fmi/export.h"
#include "hooke/fmi/fmu_link.h"

/// Archives that somebody or something has damaged.
namespace hooke {

namespace fs = std::filesystem;

inline std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void put_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A small FMU: what stands for its library is a line of text, since nothing of it is run.
inline std::string small_fmu(const fs::path& folder, int version) {
  put_bytes(folder / "library.so", "no library");
  const std::string archive = (folder / "small.fmu").string();
  export_fmu(HOOKE_ROOT "/models/fmi/arm.yaml", archive,
             {.version = version, .kind = FmuKind::both, .library = (folder / "library.so").string()});
  return archive;
}

inline std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (std::size_t change = 0, count = 1 + below(8); change < count && !bytes.empty(); ++change) {
    const std::size_t at = below(bytes.size()),
                      length = 1 + below(std::min<std::size_t>(bytes.size() - at, 64));
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(below(bytes.size()), length));
        break;
      case 4:
        bytes.replace(at, length, length, "\0\xff<>/&\"9"[below(8)]);
        break;
      default:
        if (below(10) == 0) bytes.resize(at);
        break;
    }
  }
  return bytes;
}

/// Each ends in an Error with words, or is read; nothing is written beside the temporary folder, and nothing is left in it.
inline void expect_all_are_met(int count, unsigned seed) {
  TemporaryFolder work;
  const fs::path temporary = work.path() / "temporary";
  fs::create_directory(temporary);
  setenv("TMPDIR", temporary.c_str(), 1);
  std::mt19937 random(seed);
  int read = 0;
  for (const int version : {2, 3}) {
    const std::string archive = small_fmu(work.path(), version), whole = bytes_of(archive);
    std::vector<ZipEntry> entries;
    {
      const FmuFile fmu(archive);
      for (const auto& file : fs::recursive_directory_iterator(fmu.folder.path()))
        if (file.is_regular_file())
          entries.push_back({fs::relative(file.path(), fmu.folder.path()).string(), bytes_of(file.path())});
    }
    const auto names_before = std::distance(fs::directory_iterator(work.path()), {});
    for (int k = 0; k < count / 2; ++k) {
      if (k % 2 == 0) {
        put_bytes(archive, mutated(whole, random));
      } else {  // a whole archive with a description that is not
        std::vector<ZipEntry> others = entries;
        for (ZipEntry& entry : others)
          if (entry.name == "modelDescription.xml") entry.bytes = mutated(entry.bytes, random);
        write_zip(archive, others);
      }
      try {
        const FmuFile fmu(archive);
        ++read;
      } catch (const Error& error) {
        EXPECT_GT(std::string(error.what()).size(), 20u);
      }
      ASSERT_TRUE(fs::is_empty(temporary));
      ASSERT_EQ(std::distance(fs::directory_iterator(work.path()), {}), names_before);
    }
  }
  EXPECT_LT(read, count);
  unsetenv("TMPDIR");
}

}  // namespace hooke
