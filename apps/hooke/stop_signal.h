#pragma once

namespace hooke::program {

/// From here on, the first Ctrl-C (SIGINT) or SIGTERM asks the run to stop after its step; the second ends
/// the program at once.
void listen_for_stop();
bool is_stop_asked();

}  // namespace hooke::program
