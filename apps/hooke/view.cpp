#include <unistd.h>
#include "hooke/base/format.h"

#include "browser.h"
#include "commands.h"
#include "hooke/view/server.h"
#include "results_path.h"
#include "stop_signal.h"
#include "terminal.h"

namespace hooke::program {
namespace {

struct ViewArguments {
  std::vector<std::string> results;
  std::string page;
  int port = 0;
  bool has_no_open = false;
  int until = 0;  ///< the process of a run that is shown while it goes on
};

ExitCode run(const ViewArguments& arguments) {
  if (!arguments.page.empty()) {
    export_page(open_runs(arguments.results), arguments.page);
    print("wrote {}\n", arguments.page);
    return ExitCode::ok;
  }
  ViewServer server([&] { return open_runs(arguments.results); }, arguments.port);
  listen_for_stop();
  print("{}\nOnly this machine can reach it; Ctrl-C ends it.\n", server.address());
  std::fflush(stdout);
  if (!arguments.has_no_open && !open_browser(server.address()))
    print_warning("found no browser to open; open the address above in one");
  server.serve([&] { return is_stop_asked() || (arguments.until && getppid() != arguments.until); });
  return ExitCode::ok;
}

const char* const view_examples =
    "Examples:\n"
    "  hooke view results/slider_crank                        open it in the browser\n"
    "  hooke view results/slider_crank --export crank.html    one file, to keep or to send\n"
    "  hooke view results/alpha results/hht                   compare runs, one over the other\n"
    "  hooke view results/slider_crank --no-open --port 8000  only serve it, on this machine\n"
    "\n"
    "The page may be given a time, plots, a tab and a theme: "
    "page.html#t=0.5&plot=energy.total,energy.kinetic;\n"
    "joint.A.angle&tab=solver&theme=dark";

}  // namespace

void add_view(CommandLine& line) {
  Command command = line.add("view", "Show results in the browser: animation, plots, facts");
  auto arguments = std::make_shared<ViewArguments>();
  command.option({.name = "results",
                  .type = "PATH",
                  .help = "Results files, or the folders they are in; several are drawn over each other",
                  .is_required = true},
                 &arguments->results);
  command.option({"--export", "FILE", "Write one page that needs nothing else, instead of serving it"},
                 &arguments->page);
  command.flag("--no-open", arguments->has_no_open, "Serve the page without opening a browser");
  command.option({.name = "--port",
                  .type = "NUMBER",
                  .help = "Port to serve it on (default: one that is free)",
                  .range = {{0, 65535}}},
                 &arguments->port);
  command.hidden_option("--until", arguments->until);  // for hooke run --live
  command.footer(view_examples);
  command.action([arguments] { return run(*arguments); });
}

}  // namespace hooke::program
