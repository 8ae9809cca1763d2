#include "hooke/view/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "hooke/base/format.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <random>
#include <system_error>
#include <thread>

#include "hooke/base/error.h"
#include "hooke/base/text.h"
#include "hooke/base/timer.h"

namespace hooke {

struct ViewServer::Connection {
  int socket = -1;
  std::string in, out;
  std::size_t sent = 0;
  Timer since_start;
  bool is_done = false;
};

namespace {

constexpr std::size_t longest_request = 16 << 10, most_connections = 64;
constexpr double patience = 20;  // seconds for a request, or for taking the answer

std::string make_secret() {
  std::random_device random;
  std::string text;
  for (int k = 0; k < 4; ++k) text += formatted("{:08x}", random());
  return text;
}

[[noreturn]] void fail(int port) {
  throw Error(ExitCode::file,
              formatted("cannot listen on port {}: {}", port, std::generic_category().message(errno)));
}

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Service Unavailable";
  }
}

std::string to_text(const HttpResponse& response, bool has_body) {
  std::string text = formatted(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: "
      "no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
      "img-src "
      "data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\r\n",
      response.status, reason(response.status), response.type, response.body.size());
  if (has_body) text += response.body;
  return text;
}

bool is_equal_without_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

bool parse_request(std::string_view text, Request& request) {
  const std::size_t end = text.find("\r\n");
  const std::string_view line = text.substr(0, end);
  const std::size_t first = line.find(' '), second = line.rfind(' ');
  if (end == text.npos || first == line.npos || second <= first ||
      !line.substr(second + 1).starts_with("HTTP/1."))
    return false;
  request.method = line.substr(0, first);
  request.path = line.substr(first + 1, second - first - 1);
  text.remove_prefix(end + 2);
  while (!text.empty()) {
    const std::size_t stop = std::min(text.find("\r\n"), text.size());
    const std::string_view header = text.substr(0, stop);
    text.remove_prefix(std::min(stop + 2, text.size()));
    const std::size_t colon = header.find(':');
    if (colon == header.npos) continue;
    const std::string_view name = header.substr(0, colon);
    const std::string value(trim(header.substr(colon + 1)));
    if (is_equal_without_case(name, "host")) request.host = value;
    if (is_equal_without_case(name, "origin")) request.origin = value;
    if (is_equal_without_case(name, "sec-fetch-site")) request.site = value;
  }
  return true;
}

ViewServer::ViewServer(std::function<std::vector<ViewedRun>()> open, int port)
    : open_(std::move(open)), runs_(open_()), secret_(make_secret()) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0) fail(port);
  const int yes = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) < 0 || listen(listener_, 32) < 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) < 0) {
    close(listener_);
    fail(port);
  }
  port_ = ntohs(address.sin_port);
}

ViewServer::~ViewServer() {
  for (const Connection& connection : connections_) close(connection.socket);
  close(listener_);
}

std::string ViewServer::address() const { return formatted("http://127.0.0.1:{}/{}/", port_, secret_); }

/// HDF5 sees what a running simulation has added only after the file was closed and opened again. Where
/// opening or reading meets a block that is just being written, the next request tries again.
std::string ViewServer::read_runs(bool is_anew, const std::function<std::string()>& read) {
  constexpr int most_tries = 20;
  for (int tries = 1;; ++tries) {
    try {
      const bool is_running = std::any_of(runs_.begin(), runs_.end(), [](const ViewedRun& run) {
        return run.results->about().status == "running";
      });
      if (runs_.empty() || (is_anew && is_running)) {
        runs_.clear();
        runs_ = open_();
      }
      return read();
    } catch (const Error&) {
      runs_.clear();
      if (tries == most_tries) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
  }
}

HttpResponse ViewServer::content(const std::string& name) {
  constexpr std::string_view data = "data/";
  if (name.empty()) return {200, "text/html; charset=utf-8", std::string(empty_page())};
  if (name == "runs.json")
    return {200, "application/json", read_runs(true, [&] { return describe_runs(runs_); })};
  if (name.starts_with(data)) {
    std::string piece = read_runs(false, [&] { return read_piece(runs_, name.substr(data.size())); });
    if (!piece.empty()) return {200, "application/octet-stream", std::move(piece)};
  }
  return {404, "text/plain", "there is nothing of this name\n"};
}

HttpResponse ViewServer::answer(const Request& request) {
  const std::array hosts{formatted("127.0.0.1:{}", port_), formatted("localhost:{}", port_)};
  const auto is_host = [&](std::string_view text) { return text == hosts[0] || text == hosts[1]; };
  const auto is_origin = [&](std::string_view text) {
    constexpr std::string_view scheme = "http://";
    return text.starts_with(scheme) && is_host(text.substr(scheme.size()));
  };
  if (!is_host(request.host) || (!request.origin.empty() && !is_origin(request.origin)) ||
      (!request.site.empty() && request.site != "same-origin" && request.site != "none"))
    return {403, "text/plain", "this server answers its own page only\n"};
  if (request.method != "GET" && request.method != "HEAD")
    return {405, "text/plain", "only GET is answered\n"};
  const std::string root = '/' + secret_ + '/';
  if (!request.path.starts_with(root))
    return {404, "text/plain", "open the whole address that hooke printed\n"};
  try {
    return content(request.path.substr(root.size()));
  } catch (const Error& error) {
    return {503, "text/plain", std::string(error.what()) + '\n'};
  }
}

void ViewServer::accept_one() {
  const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) return;
  if (connections_.size() >= most_connections) {
    close(socket);
    return;
  }
  connections_.emplace_back().socket = socket;
}

void ViewServer::read(Connection& connection) {
  std::array<char, 4096> block;
  const ssize_t count = recv(connection.socket, block.data(), block.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    connection.is_done = true;
    return;
  }
  connection.in.append(block.data(), static_cast<std::size_t>(count));
  const std::size_t end = connection.in.find("\r\n\r\n");
  if (end == std::string::npos && connection.in.size() <= longest_request) return;
  Request request;
  const bool is_request =
      end != std::string::npos && parse_request(connection.in.substr(0, end + 2), request);
  connection.out = to_text(is_request ? answer(request) : HttpResponse{400, "text/plain", "not a request\n"},
                           request.method != "HEAD");
  connection.since_start.restart();
}

void ViewServer::write(Connection& connection) {
  const ssize_t count = send(connection.socket, connection.out.data() + connection.sent,
                             connection.out.size() - connection.sent, MSG_NOSIGNAL);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0) connection.sent += static_cast<std::size_t>(count), connection.since_start.restart();
  connection.is_done = count <= 0 || connection.sent == connection.out.size();
}

void ViewServer::serve(const std::function<bool()>& stopped) {
  while (!stopped()) {
    std::vector<pollfd> waiting{{listener_, POLLIN, 0}};
    for (const Connection& connection : connections_)
      waiting.push_back(
          {connection.socket, static_cast<short>(connection.out.empty() ? POLLIN : POLLOUT), 0});
    if (poll(waiting.data(), waiting.size(), 200) < 0 && errno != EINTR) fail(port_);
    for (std::size_t k = 1; k < waiting.size(); ++k) {
      Connection& connection = connections_[k - 1];
      if (waiting[k].revents & POLLOUT)
        write(connection);
      else if (waiting[k].revents != 0)
        read(connection);
      if (connection.since_start.seconds() > patience) connection.is_done = true;
    }
    std::erase_if(connections_, [](const Connection& connection) {
      if (connection.is_done) close(connection.socket);
      return connection.is_done;
    });
    if (waiting[0].revents & POLLIN) accept_one();
  }
}

}  // namespace hooke
