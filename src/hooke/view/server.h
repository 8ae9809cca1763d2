#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hooke/base/timer.h"
#include "hooke/view/page.h"

namespace hooke {

struct Request {
  std::string method, path, host, origin, site;  ///< site: the browser's Sec-Fetch-Site
  bool is_last = false;                          ///< of its connection
};
/// A text that several connections send at once.
using SharedText = std::shared_ptr<const std::string>;
struct HttpResponse {
  int status = 200;
  std::string type;
  SharedText body;
};

/// Shows results to a browser on this machine, and to nothing and nobody else:
/// - It listens on the loopback address only.
/// - All it serves lies below a secret of 128 random bits in the address, so other users of the machine and
///   other pages in the browser cannot guess it.
/// - A request must name this host (a foreign name that resolves to it is refused) and, where the browser
///   tells, come from this page.
/// - It never opens a file because of a request: numbers are looked up among the runs it was given.
///
/// One thread serves all connections, as HDF5 would not read in two at once. What makes others wait is the
/// answer to one request, a piece of about a megabyte. Connections stay open for more requests; where there
/// are too many, the one that has been quiet for longest is closed.
class ViewServer {
 public:
  /// `open` gives the runs, and gives them anew while one of them goes on. Port 0: any that is free. Throws
  /// Error when the results cannot be read or the port is taken.
  explicit ViewServer(std::function<std::vector<ViewedRun>()> open, int port = 0);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  std::string address() const;
  int port() const { return port_; }
  /// Until `stopped` says so; asked a few times a second.
  void serve(const std::function<bool()>& stopped);

  HttpResponse answer(const Request& request);

 private:
  struct Connection;

  bool has_room() const;
  void close_quietest();
  void accept_waiting();
  void receive(Connection& connection);
  bool take_request(Connection& connection);
  HttpResponse content(const std::string& name);
  bool is_running() const;
  SharedText description();
  SharedText piece(const std::string& name);
  std::string read_runs(bool is_anew, const std::function<std::string()>& read);

  std::function<std::vector<ViewedRun>()> open_;
  std::vector<ViewedRun> runs_;
  SharedText page_, description_;
  Timer since_description_;
  std::deque<std::pair<std::string, SharedText>> pieces_;  ///< the last ones asked for, by name
  std::vector<Connection> connections_;
  std::string secret_;
  int listener_ = -1, port_ = 0;
};

/// The request line and the headers that matter; false when they are not a request.
bool parse_request(std::string_view text, Request& request);

}  // namespace hooke
