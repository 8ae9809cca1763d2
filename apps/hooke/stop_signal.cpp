#include "stop_signal.h"

#include <atomic>
#include <csignal>

namespace hooke::program {

static std::atomic<bool> stop_asked = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void listen_for_stop() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_asked = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);  // the next one has its usual effect
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

bool is_stop_asked() { return stop_asked; }

}  // namespace hooke::program
