#pragma once
#include <functional>
#include <string>
#include <vector>

#include "hooke/view/page.h"

namespace hooke {

struct Request {
  std::string method, path, host, origin, site;  ///< site: the browser's Sec-Fetch-Site
};
struct HttpResponse {
  int status = 200;
  std::string type = "text/plain", body;
};

/// Shows results to a browser on this machine, and to nothing and nobody else:
/// - It listens on the loopback address only.
/// - All it serves lies below a secret of 128 random bits in the address, so other users of the machine and
///   other pages in the browser cannot guess it.
/// - A request must name this host (a foreign name that resolves to it is refused) and, where the browser
///   tells, come from this page.
/// - It never opens a file because of a request: names are looked up among the runs it was given.
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

  void accept_one();
  void read(Connection& connection);
  void write(Connection& connection);
  HttpResponse content(const std::string& name);
  std::string read_runs(bool is_anew, const std::function<std::string()>& read);

  std::function<std::vector<ViewedRun>()> open_;
  std::vector<ViewedRun> runs_;
  std::vector<Connection> connections_;
  std::string secret_;
  int listener_ = -1, port_ = 0;
};

/// The request line and the headers that matter; false when they are not a request.
bool parse_request(std::string_view text, Request& request);

}  // namespace hooke
