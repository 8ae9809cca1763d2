#include "live_view.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "hooke/base/error.h"

extern char** environ;

namespace hooke::program {

LiveView::~LiveView() {
  if (process_ <= 0) return;
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

void LiveView::show(const std::string& results, bool opens_browser) {
  if (process_ != 0) return;
  std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string(), "view", results,
                                 "--until", std::to_string(getpid())};
  if (!opens_browser) words.emplace_back("--no-open");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;  // a group of its own: Ctrl-C is for the run, which then ends the page
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawn(&process_, arguments[0], nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    process_ = -1;
    throw Error(ExitCode::file, "cannot start 'hooke view' to show the run");
  }
}

}  // namespace hooke::program
