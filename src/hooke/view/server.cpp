#include "hooke/view/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
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

namespace hooke {

struct ViewServer::Connection {
  int socket = -1;
  std::string in, head;  ///< what came and is not answered yet; the head of the answer
  SharedText body;
  std::size_t sent = 0;  ///< of head and body
  Timer since_progress;  ///< since it was opened, a request was taken or a part of the answer was sent
  bool is_last = false, is_done = false;

  bool is_answering() const { return !head.empty(); }
  bool send_answer();
};

namespace {

constexpr std::size_t longest_request = 16 << 10, most_connections = 256;
constexpr double patience = 20;          // seconds for a request, or for taking the answer
constexpr double short_patience = 0.25;  // where others wait to be let in

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

SharedText share(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

HttpResponse plain(int status, std::string text) {
  return {status, "text/plain; charset=utf-8", share(std::move(text))};
}

constexpr const char* page_type = "text/html; charset=utf-8";

std::string head_of(const HttpResponse& response, bool is_last) {
  return formatted(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n"
      "Content-Security-Policy: {}; frame-ancestors 'none'\r\n\r\n",
      response.status, reason(response.status), response.type, response.body->size(),
      is_last ? "close" : "keep-alive", response.type == page_type ? page_policy() : "default-src 'none'");
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
  request.is_last = line.ends_with("HTTP/1.0");
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
    // What follows a request that has a body would not be the next request.
    if (is_equal_without_case(name, "content-length") || is_equal_without_case(name, "transfer-encoding") ||
        (is_equal_without_case(name, "connection") && is_equal_without_case(value, "close")))
      request.is_last = true;
  }
  return true;
}

ViewServer::ViewServer(std::function<std::vector<ViewedRun>()> open, int port)
    : open_(std::move(open)),
      runs_(open_()),
      page_(share(std::string(empty_page()))),
      secret_(make_secret()) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0) fail(port);
  const int yes = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) < 0 || listen(listener_, SOMAXCONN) < 0 ||
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

bool ViewServer::is_running() const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [](const ViewedRun& run) { return run.results->about().status == "running"; });
}

/// HDF5 sees what a running simulation has added only after the file was closed and opened again. Where
/// opening or reading meets a block that is just being written, the next request tries again.
std::string ViewServer::read_runs(bool is_anew, const std::function<std::string()>& read) {
  constexpr int most_tries = 20;
  for (int tries = 1;; ++tries) {
    try {
      if (runs_.empty() || (is_anew && is_running())) {
        runs_.clear();
        pieces_.clear();
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

/// Made anew only while a run goes on, and then at most so often, however many pages ask.
SharedText ViewServer::description() {
  constexpr double interval = 0.3;
  if (!description_ || runs_.empty() || (is_running() && since_description_.seconds() > interval)) {
    description_ = share(read_runs(true, [&] { return describe_runs(runs_); }));
    since_description_.restart();
  }
  return description_;
}

/// Several pages ask for the same pieces, and reading one takes longer than sending it: the last ones are kept.
SharedText ViewServer::piece(const std::string& name) {
  constexpr std::size_t most_kept = 32 << 20;  // bytes
  const auto known =
      std::find_if(pieces_.begin(), pieces_.end(), [&](const auto& one) { return one.first == name; });
  if (known != pieces_.end()) {
    std::rotate(pieces_.begin(), known, known + 1);
    return pieces_.front().second;
  }
  SharedText bytes = share(read_runs(false, [&] { return read_piece(runs_, name); }));
  if (bytes->empty()) return bytes;
  pieces_.emplace_front(name, bytes);
  std::size_t kept = 0;
  const auto first_too_much = std::find_if(pieces_.begin(), pieces_.end(), [&](const auto& one) {
    return (kept += one.second->size()) > most_kept;
  });
  pieces_.erase(first_too_much, pieces_.end());
  return bytes;
}

HttpResponse ViewServer::content(const std::string& name) {
  constexpr std::string_view data = "data/";
  if (name.empty()) return {200, page_type, page_};
  if (name == "runs.json") return {200, "application/json", description()};
  if (name.starts_with(data))
    if (const SharedText bytes = piece(name.substr(data.size())); !bytes->empty())
      return {200, "application/octet-stream", bytes};
  return plain(404, "there is nothing of this name\n");
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
    return plain(403, "this server answers its own page only\n");
  if (request.method != "GET" && request.method != "HEAD") return plain(405, "only GET is answered\n");
  const std::string root = '/' + secret_ + '/';
  if (!request.path.starts_with(root)) return plain(404, "open the whole address that hooke printed\n");
  try {
    return content(request.path.substr(root.size()));
  } catch (const Error& error) {
    return plain(503, std::string(error.what()) + '\n');
  }
}

bool ViewServer::has_room() const {
  return connections_.size() < most_connections ||
         std::any_of(connections_.begin(), connections_.end(),
                     [](const Connection& one) { return one.since_progress.seconds() > short_patience; });
}

void ViewServer::close_quietest() {
  const auto quietest = std::max_element(
      connections_.begin(), connections_.end(), [](const Connection& one, const Connection& other) {
        return one.since_progress.seconds() < other.since_progress.seconds();
      });
  if (quietest == connections_.end()) return;
  close(quietest->socket);
  connections_.erase(quietest);
}

void ViewServer::accept_waiting() {
  while (has_room()) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0 && (errno == EMFILE || errno == ENFILE)) close_quietest();
    if (socket < 0) return;
    const int yes = 1;  // the end of an answer does not wait for more to be sent
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connections_.size() == most_connections) close_quietest();
    connections_.emplace_back().socket = socket;
  }
}

void ViewServer::receive(Connection& connection) {
  std::array<char, 4096> block;
  const ssize_t count = recv(connection.socket, block.data(), block.size(), 0);
  if (count > 0)
    connection.in.append(block.data(), static_cast<std::size_t>(count));
  else
    connection.is_done = count == 0 || (errno != EAGAIN && errno != EINTR);
}

/// Begins the answer to the next request; false when there is none yet.
bool ViewServer::take_request(Connection& connection) {
  const std::size_t end = connection.in.find("\r\n\r\n");
  if (connection.is_done || (end == std::string::npos && connection.in.size() <= longest_request))
    return false;
  Request request;
  const bool is_request =
      end != std::string::npos && parse_request(connection.in.substr(0, end + 2), request);
  const HttpResponse response = is_request ? answer(request) : plain(400, "not a request\n");
  connection.is_last = !is_request || request.is_last;
  connection.in.erase(0, connection.is_last ? std::string::npos : end + 4);
  connection.head = head_of(response, connection.is_last);
  connection.body = request.method == "HEAD" ? share("") : response.body;
  connection.sent = 0;
  connection.since_progress.restart();
  return true;
}

/// As far as the socket takes it; true when all of it is sent and another request may come.
bool ViewServer::Connection::send_answer() {
  while (sent < head.size() + body->size()) {
    const bool is_head = sent < head.size();
    const std::string_view rest =
        is_head ? std::string_view(head).substr(sent) : std::string_view(*body).substr(sent - head.size());
    const int more = is_head && !body->empty() ? MSG_MORE : 0;
    const ssize_t count = send(socket, rest.data(), rest.size(), MSG_NOSIGNAL | more);
    if (count <= 0) {
      is_done = errno != EAGAIN && errno != EINTR;
      return false;
    }
    sent += static_cast<std::size_t>(count);
    since_progress.restart();
  }
  head.clear();
  body.reset();
  is_done = is_last;
  return !is_last;
}

void ViewServer::serve(const std::function<bool()>& stopped) {
  while (!stopped()) {
    std::vector<pollfd> waiting;
    for (const Connection& connection : connections_)
      waiting.push_back(
          {connection.socket, static_cast<short>(connection.is_answering() ? POLLOUT : POLLIN), 0});
    waiting.push_back({listener_, static_cast<short>(has_room() ? POLLIN : 0), 0});
    if (poll(waiting.data(), waiting.size(), 200) < 0 && errno != EINTR) fail(port_);
    for (std::size_t k = 0; k < connections_.size(); ++k) {
      Connection& connection = connections_[k];
      if (waiting[k].revents != 0) {
        if (!connection.is_answering()) receive(connection);
        while ((connection.is_answering() || take_request(connection)) && connection.send_answer()) {
        }
      }
      if (connection.since_progress.seconds() > patience) connection.is_done = true;
    }
    std::erase_if(connections_, [](const Connection& connection) {
      if (connection.is_done) close(connection.socket);
      return connection.is_done;
    });
    accept_waiting();
  }
}

}  // namespace hooke
