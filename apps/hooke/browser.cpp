#include "browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hooke/base/format.h"

#include <cstdlib>
#include <filesystem>

#include "hooke/base/error.h"
#include "hooke/view/output_file.h"

extern char** environ;

namespace hooke::program {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> find_program(const std::string& name) {
  if (name.find('/') != name.npos)
    return access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::string folders = path ? path : "";
  for (std::size_t start = 0; start <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    const fs::path program = fs::path(folders.substr(start, end - start)) / name;
    if (fs::is_regular_file(program) && access(program.c_str(), X_OK) == 0) return program.string();
    start = end + 1;
  }
  return {};
}

/// Starts a program whose output is of no interest; -1 when it cannot be started.
pid_t start(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream ? O_WRONLY : O_RDONLY, 0);
  pid_t process = -1;
  if (posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) process = -1;
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

/// A folder that nobody else can have made or look into, gone in the end.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::string name = (fs::temp_directory_path() / "hooke-browser-XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error(ExitCode::file, name + ": cannot make this folder");
    path_ = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

void print_page(const std::string& html, const std::string& file, const std::vector<std::string>& options) {
  const auto browser = find_headless_browser();
  if (!browser)
    throw Error(ExitCode::file,
                formatted("{}: needs chromium or chrome to be written; install one, name it in "
                          "$HOOKE_BROWSER, or write SVG or HTML",
                          file));
  std::error_code ignored;
  if (const fs::path parent = fs::path(file).parent_path(); !parent.empty())
    fs::create_directories(parent, ignored);
  fs::remove(file, ignored);
  const PrivateFolder folder;
  write_file(folder / "page.html", html);
  std::vector<std::string> words{*browser, "--headless", "--disable-gpu", "--hide-scrollbars",
                                 "--user-data-dir=" + folder / "profile"};
  if (geteuid() == 0) words.emplace_back("--no-sandbox");  // which chromium refuses to do without for root
  words.insert(words.end(), options.begin(), options.end());
  words.push_back("file://" + folder / "page.html");
  const pid_t process = start(words);
  int status = 0;
  if (process > 0) waitpid(process, &status, 0);
  if (process < 0 || !fs::exists(file))
    throw Error(ExitCode::file, formatted("{}: {} did not write it", file, *browser));
}

}  // namespace

bool open_browser(const std::string& address) {
  const char* chosen = std::getenv("BROWSER");
  for (const std::string& name :
       {std::string(chosen ? chosen : ""), std::string("xdg-open"), std::string("open")})
    if (!name.empty() && find_program(name)) return start({name, address}) > 0;
  return false;
}

std::optional<std::string> find_headless_browser() {
  if (const char* chosen = std::getenv("HOOKE_BROWSER")) return find_program(chosen);
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"})
    if (const auto program = find_program(name)) return program;
  return {};
}

void print_pdf(const std::string& html, const std::string& pdf) {
  print_page(html, pdf, {"--no-pdf-header-footer", "--print-to-pdf=" + fs::absolute(pdf).string()});
}

void print_png(const std::string& html, const std::string& png, int width, int height) {
  print_page(html, png,
             {formatted("--window-size={},{}", width, height), "--force-device-scale-factor=2",
              "--screenshot=" + fs::absolute(png).string()});
}

}  // namespace hooke::program
