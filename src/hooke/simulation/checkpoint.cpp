#include "hooke/simulation/checkpoint.h"

#include <link.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "hooke/base/archive.h"
#include "hooke/base/error.h"
#include "hooke/io/model/model_file.h"

namespace hooke {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view first_line = "Hooke checkpoint 3\n";  // the number: of this layout

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

/// The problem without what may differ between a run and its continuation.
std::string as_file(Problem problem) {
  const RunSettings usual;
  problem.run.end = problem.run.start + usual.end;
  problem.run.threads = usual.threads;
  problem.run.checkpoint = usual.checkpoint;
  try {
    return write_model(problem);
  } catch (const Error&) {  // a function of the program's own
    return "";
  }
}

/// The first line that two texts do not share.
std::string difference(const std::string& here, const std::string& there) {
  std::istringstream own(here), other(there);
  for (std::string a, b;; a.clear(), b.clear()) {
    const bool more = !!std::getline(own, a), more_there = !!std::getline(other, b);
    if (!more && !more_there) return "";
    if (a != b) return formatted("'{}' here is '{}' there", a, b);
  }
}

Problem problem_of(const Checkpoint& checkpoint, const Catalog& catalog) {
  Diagnostics diagnostics;
  Problem problem = parse_model(checkpoint.text, checkpoint.file, checkpoint.overrides, diagnostics, catalog);
  diagnostics.throw_if_errors();
  problem.text = checkpoint.text;
  problem.file = checkpoint.file;
  problem.overrides = checkpoint.overrides;
  problem.run.end = checkpoint.end;
  problem.run.threads = checkpoint.threads;
  return problem;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ExitCode::file, formatted("{}: cannot go on from it: {}", path, why));
}

}  // namespace

std::string checkpoint_path(const std::string& results) {
  return fs::path(results).replace_extension(".checkpoint").string();
}

void write_checkpoint(const std::string& path, Checkpoint& checkpoint, bool survives_power_loss) {
  Archive archive;
  archive(checkpoint);
  std::uint64_t sum = checksum(archive.bytes());
  const std::string beside = path + ".part";
  std::FILE* file = std::fopen(beside.c_str(), "wb");
  const auto put = [&](const void* bytes, std::size_t count) {
    return std::fwrite(bytes, 1, count, file) == count;
  };
  bool done = file && put(first_line.data(), first_line.size()) && put(&sum, sizeof sum) &&
              put(archive.bytes().data(), archive.bytes().size()) && std::fflush(file) == 0;
  if (done && survives_power_loss) done = fsync(fileno(file)) == 0;
  if (file) done = std::fclose(file) == 0 && done;
  done = done && std::rename(beside.c_str(), path.c_str()) == 0;
  if (done) return;
  std::remove(beside.c_str());
  throw Error(ExitCode::file, formatted("{}: cannot write the checkpoint", path));
}

Checkpoint read_checkpoint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    refuse(path,
           "there is none; a run writes it at its end, when it is stopped and every `run.checkpoint` s");
  std::ostringstream text;
  text << file.rdbuf();
  std::string bytes = std::move(text).str();
  if (!bytes.starts_with(first_line.substr(0, first_line.size() - 2))) refuse(path, "it is no checkpoint");
  if (!bytes.starts_with(first_line)) refuse(path, "another version of hooke wrote it");
  std::uint64_t sum = 0;
  const std::size_t head = first_line.size() + sizeof sum;
  if (bytes.size() < head) refuse(path, "it is cut off");
  std::memcpy(&sum, bytes.data() + first_line.size(), sizeof sum);
  bytes.erase(0, head);
  if (checksum(bytes) != sum) refuse(path, "it is damaged (its checksum is wrong)");
  Checkpoint checkpoint;
  try {
    Archive archive(std::move(bytes));
    archive(checkpoint);
    if (!archive.is_at_end()) refuse(path, "it is longer than it says");
  } catch (const std::out_of_range&) {
    refuse(path, "it is shorter than it says");
  }
  return checkpoint;
}

void describe(const Problem& problem, Checkpoint& checkpoint) {
  checkpoint.text = problem.text.empty() ? as_file(problem) : problem.text;
  checkpoint.file = problem.file.empty() ? "" : fs::absolute(problem.file).string();
  for (const std::string& each : problem.overrides)
    if (!each.starts_with("run.end=") && !each.starts_with("run.threads="))
      checkpoint.overrides.push_back(each);
  checkpoint.end = problem.run.end;
  checkpoint.threads = problem.run.threads;
}

Problem continued(const std::string& results, const Catalog& catalog) {
  const std::string path = checkpoint_path(results);
  const Checkpoint checkpoint = read_checkpoint(path);
  if (checkpoint.text.empty()) refuse(path, "the model has functions of a program, which must continue it");
  return problem_of(checkpoint, catalog);
}

void check_fits(const Checkpoint& checkpoint, const Problem& problem, const State& start) {
  const auto refuse_model = [](const std::string& why) {
    throw Error(
        ExitCode::bad_model,
        formatted("the model is not that of the checkpoint: {}\nRun it anew, without --continue.", why));
  };
  Checkpoint own;
  describe(problem, own);
  if (own.text != checkpoint.text || own.overrides != checkpoint.overrides) {
    const std::string here = as_file(problem), there = as_file(problem_of(checkpoint, Catalog::built_in()));
    if (const std::string text = difference(here, there); !text.empty()) refuse_model(text);
  }
  const auto same = [](const VectorX& a, const VectorX& b) {
    return a.size() == b.size() &&
           (a.size() == 0 || (a - b).lpNorm<Eigen::Infinity>() <= 1e-6 * (1 + b.lpNorm<Eigen::Infinity>()));
  };
  if (start.q.size() != checkpoint.start.q.size() || start.v.size() != checkpoint.start.v.size())
    refuse_model(formatted("it has {} dofs and not {}; has a mesh changed?", start.v.size(),
                           checkpoint.start.v.size()));
  if (!same(start.q, checkpoint.start.q) || !same(start.v, checkpoint.start.v) ||
      !same(start.a, checkpoint.start.a))
    refuse_model("it starts from another state; has a mesh or table changed?");
}

std::string how_exact(const Checkpoint& checkpoint) {
  const std::string from = formatted("continued from t = {:.9g} s", checkpoint.t);
  if (checkpoint.build != this_build())
    return from + formatted(" of another build ({}): equal to an uninterrupted run but for round-off",
                            checkpoint.build);
  if (checkpoint.processor != this_processor())
    return from + ", computed by another processor: equal to an uninterrupted run but for round-off";
  return from + ": equal to an uninterrupted run in every bit";
}

std::string new_run_mark() {
  std::random_device random;
  return formatted("{:08}{:08}", random() % 100000000u, random() % 100000000u);
}

/// The linker's mark of the program and of Hooke's libraries: no other build has it.
std::string this_build() {
  std::string marks;
  const auto add_mark = [](dl_phdr_info* object, std::size_t, void* to) {
    const bool is_ours = !*object->dlpi_name || std::strstr(object->dlpi_name, "hooke");
    for (int k = 0; is_ours && k < object->dlpi_phnum; ++k) {
      const ElfW(Phdr)& part = object->dlpi_phdr[k];
      if (part.p_type == PT_NOTE)
        static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr),
                                              part.p_filesz);
    }
    return 0;
  };
  dl_iterate_phdr(add_mark, &marks);
  return formatted("{} {}", HOOKE_VERSION, hexadecimal(checksum(marks)));
}

std::string this_processor() {
  std::ifstream about("/proc/cpuinfo");
  std::string model, flags;
  for (std::string line; std::getline(about, line) && (model.empty() || flags.empty());) {
    if (line.starts_with("model name")) model = line;
    if (line.starts_with("flags")) flags = line;
  }
  return hexadecimal(checksum(model + flags));
}

}  // namespace hooke
