#include "hooke/io/results/results_check.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <new>

#include "hooke/base/error.h"
#include "hooke/base/limits.h"
#include "hooke/io/results/results_place.h"

namespace hooke {
namespace {

constexpr int out_of_memory = 3, refused = 4;  ///< exit status of the child

#ifdef __SANITIZE_ADDRESS__
constexpr bool is_sanitized = true;  ///< that reserves terabytes
#else
constexpr bool is_sanitized = false;
#endif

std::size_t addresses_in_use() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Of the process itself: time, memory, no dump, nothing printed.
void confine(std::size_t file_bytes) {
  constexpr double bytes_per_second = 20e6;
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM, SIGXCPU}) std::signal(signal, SIG_DFL);
  const auto limit = [](auto which, std::size_t most, std::size_t until_killed = 0) {
    const rlimit both{most, most + until_killed};
    setrlimit(which, &both);
  };
  limit(RLIMIT_CORE, 0);
  if (!is_sanitized)
    limit(RLIMIT_AS, addresses_in_use() + 4 * file_bytes +
                         static_cast<std::size_t>(limits::check_memory.value() * (1 << 20)));
  // Of the processor: a machine that is busy makes no file a damaged one. One that waits for nothing ends, too.
  const double seconds = limits::check_seconds.value() + static_cast<double>(file_bytes) / bytes_per_second;
  limit(RLIMIT_CPU, static_cast<std::size_t>(std::ceil(seconds)), 1);
  constexpr double patience = 5;
  alarm(static_cast<unsigned>(patience * seconds));
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

/// What is wrong with the file goes to `tells`.
[[noreturn]] void try_it(const std::string& path, const std::function<void(const ResultsReader&)>& also,
                         int tells) {
  try {
    const ResultsReader results(path);
    try {
      results.try_all();
    } catch (const Error& error) {
      const std::string text = error.what();
      _exit(::write(tells, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF)) > 0 ? refused : 0);
    }
    if (also) also(results);
  } catch (const std::bad_alloc&) {
    _exit(out_of_memory);
  } catch (const std::exception&) {  // who reads it gets the same
  }
  _exit(0);
}

std::string all_of(int pipe_end) {
  std::string text(PIPE_BUF, '\0');
  const ssize_t count = ::read(pipe_end, text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

/// How the child ended; "" if well.
std::string fate(int status) {
  if (WIFEXITED(status))
    return WEXITSTATUS(status) == out_of_memory
               ? formatted("to read it takes too much memory: {}", limits::check_memory.advice())
               : "";
  switch (WTERMSIG(status)) {
    case SIGALRM:
    case SIGXCPU:
      return formatted("to read it takes too long: {}", limits::check_seconds.advice());
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
      throw Error(ExitCode::interrupted, "stopped");
    default:
      return "the HDF5 library crashes on it";
  }
}

}  // namespace

/// What happens to a process that reads it; "": nothing. `why`: what it says is wrong with the file.
static std::string fate_of_reader(const std::string& path,
                                  const std::function<void(const ResultsReader&)>& also, std::string& why) {
  std::error_code is_missing;
  const std::size_t bytes = std::filesystem::file_size(path, is_missing);
  std::array<int, 2> ends{};
  if (is_missing || pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    confine(bytes);
    try_it(path, bytes <= ResultsReader::large_file ? also : nullptr, ends[1]);
  }
  close(ends[1]);
  int status = 0, waited = child;  // no process to be had: then without
  while (child > 0 && (waited = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  if (waited > 0 && WIFEXITED(status) && WEXITSTATUS(status) == refused) why = all_of(ends[0]);
  close(ends[0]);
  return waited > 0 ? fate(status) : "";
}

void check_results_file(const std::string& path, const std::function<void(const ResultsReader&)>& also) {
  constexpr int most_tries = 5;  // of a block that a run is writing
  for (int tries = 1;; ++tries) {
    const bool is_written = is_being_written(path);
    std::string why;
    const std::string how = fate_of_reader(path, also, why);
    const bool is_settled = !(is_written || is_being_written(path));
    if (!why.empty() && is_settled) throw Error(ExitCode::file, why);
    if (how.empty()) return;
    if (is_settled || tries == most_tries)
      throw Error(ExitCode::file, formatted("{}: is damaged: {}; run the model again", path, how));
  }
}

}  // namespace hooke
