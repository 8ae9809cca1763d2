// An FMU in a process of its own. Requests and answers go through a pair of sockets, one at a time, as bytes of an Archive
// with their length in front. Whatever the FMU does to its process, here it is an Error.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstring>

#include "hooke/base/archive.h"
#include "hooke/base/error.h"
#include "hooke/fmi/fmu_link.h"

namespace hooke {
namespace {

enum class Request : int { begin, set, get, set_derivatives, step, save, restore, linearise };
constexpr const char* names_of_requests[]{
    "its start", "setting inputs", "reading outputs",   "setting derivatives of inputs",
    "a step",    "saving a state", "restoring a state", "linearising it"};

bool send_all(int socket, const void* bytes, std::size_t count) {
  const auto* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t sent = send(socket, at, count, MSG_NOSIGNAL);
    if (sent <= 0) {
      if (sent < 0 && errno == EINTR) continue;
      return false;
    }
    at += sent, count -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* bytes, std::size_t count) {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t got = recv(socket, at, count, 0);
    if (got <= 0) {
      if (got < 0 && errno == EINTR) continue;
      return false;
    }
    at += got, count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send_message(int socket, const std::string& bytes) {
  const std::uint64_t size = bytes.size();
  return send_all(socket, &size, sizeof size) && send_all(socket, bytes.data(), size);
}

bool receive_message(int socket, std::string& bytes) {
  std::uint64_t size = 0;
  if (!receive_all(socket, &size, sizeof size) || size > (std::uint64_t{1} << 32)) return false;
  bytes.resize(size);
  return receive_all(socket, bytes.data(), size);
}

/// All that a request or an answer may hold.
struct Message {
  int request = 0, order = 0;
  double t = 0, h = 0;
  std::vector<FmuNumber> which, inputs;
  std::vector<double> values, input_values;
  bool is_complete = true, has_ended = false;
  int failed = 0;  ///< the exit code of an Error
  std::string text;

  void archive(auto& a) {
    a(request, order, t, h, which, inputs, values, input_values, is_complete, has_ended, failed, text);
  }
};

std::string packed(Message& message) {
  Archive archive;
  archive(message);
  return archive.bytes();
}

std::vector<FmuLink::Value> joined(const std::vector<FmuNumber>& which, const std::vector<double>& values) {
  std::vector<FmuLink::Value> all;
  for (std::size_t i = 0; i < which.size(); ++i) all.push_back({which[i], values[i]});
  return all;
}

/// One request, in the process of the FMU.
void answer(FmuLink& fmu, Message& message) {
  switch (static_cast<Request>(message.request)) {
    case Request::begin:
      return fmu.begin(message.t, joined(message.which, message.values),
                       joined(message.inputs, message.input_values));
    case Request::set:
      return fmu.set(message.which, message.values);
    case Request::get:
      message.values.resize(message.which.size());
      return fmu.get(message.which, message.values);
    case Request::set_derivatives:
      return fmu.set_derivatives(message.which, message.order, message.values);
    case Request::step: {
      const FmuLink::Step step = fmu.step(message.t, message.h);
      message.t = step.t, message.is_complete = step.is_complete, message.has_ended = step.has_ended;
      message.text = step.text;
      return;
    }
    case Request::save:
      return fmu.save();
    case Request::restore:
      return fmu.restore();
    case Request::linearise: {
      const StateSpace system = fmu.linearise(message.inputs, message.which);
      MatrixX all(system.A.rows() + system.C.rows(), system.A.cols() + system.B.cols());
      all << system.A, system.B, system.C, system.D;
      message.order = static_cast<int>(system.A.rows());
      message.values.assign(all.data(), all.data() + all.size());
      return;
    }
  }
}

/// The life of the process: load it, say whether that worked, then answer until nobody asks any more.
[[noreturn]] void serve(int socket, const FmuFile& file, const std::string& instance,
                        const FmuIntegration& integration) {
  std::unique_ptr<FmuLink> fmu;
  const auto attempt = [&](Message& message, auto&& work) {
    try {
      work();
    } catch (const Error& error) {
      message.failed = static_cast<int>(error.code()), message.text = error.what();
    } catch (const std::exception& error) {
      message.failed = static_cast<int>(ExitCode::step_failed), message.text = error.what();
    }
    return send_message(socket, packed(message));
  };
  Message first;
  bool goes_on = attempt(first, [&] { fmu = load_fmu(file, instance, integration); }) && fmu;
  std::string bytes;
  while (goes_on && receive_message(socket, bytes)) {
    Message message;
    Archive request(bytes);
    request(message);
    goes_on = attempt(message, [&] { answer(*fmu, message); });
  }
  _exit(0);  // without destructors: what is on disk belongs to the other process
}

class FmuProcess final : public FmuLink {
 public:
  FmuProcess(const FmuFile& file, const std::string& instance, const FmuIntegration& integration)
      : path_(file.path) {
    file.library(integration.has_value());  // or the reason why not
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
      throw Error(ExitCode::internal, "cannot make a pair of sockets for an FMU");
    const pid_t parent = getpid();
    child_ = fork();
    if (child_ == 0) {
      close(sockets[0]);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::signal(SIGINT, SIG_IGN);  // the run is told, and ends it
      if (getppid() != parent) _exit(0);
      serve(sockets[1], file, instance, integration);
    }
    close(sockets[1]);
    socket_ = sockets[0];
    if (child_ < 0) throw Error(ExitCode::internal, "cannot start a process for an FMU");
    try {
      receive("loading it");
    } catch (...) {
      end();
      throw;
    }
  }
  ~FmuProcess() override { end(); }

  void begin(double start, std::span<const Value> settings, std::span<const Value> inputs) override {
    message_.t = start;
    message_.which.clear(), message_.values.clear(), message_.inputs.clear(), message_.input_values.clear();
    for (const Value& s : settings) message_.which.push_back(s.of), message_.values.push_back(s.value);
    for (const Value& s : inputs) message_.inputs.push_back(s.of), message_.input_values.push_back(s.value);
    ask(Request::begin);
    message_.inputs.clear(), message_.input_values.clear();
  }
  void set(std::span<const FmuNumber> which, std::span<const double> values) override {
    fill(which, values);
    ask(Request::set);
  }
  void get(std::span<const FmuNumber> which, std::span<double> values) override {
    fill(which, {});
    ask(Request::get);
    std::copy(message_.values.begin(), message_.values.end(), values.begin());
  }
  void set_derivatives(std::span<const FmuNumber> which, int order, std::span<const double> values) override {
    fill(which, values);
    message_.order = order;
    ask(Request::set_derivatives);
  }
  Step step(double t, double h) override {
    fill({}, {});
    message_.t = t, message_.h = h;
    ask(Request::step);
    return {message_.is_complete, message_.has_ended, message_.t, message_.text};
  }
  void save() override { fill({}, {}), ask(Request::save); }
  void restore() override { fill({}, {}), ask(Request::restore); }
  StateSpace linearise(std::span<const FmuNumber> inputs, std::span<const FmuNumber> outputs) override {
    fill(outputs, {});
    message_.inputs.assign(inputs.begin(), inputs.end());
    ask(Request::linearise);
    message_.inputs.clear();
    const auto states = static_cast<Eigen::Index>(message_.order);
    const Eigen::Map<const MatrixX> all(message_.values.data(),
                                        states + static_cast<Eigen::Index>(outputs.size()),
                                        states + static_cast<Eigen::Index>(inputs.size()));
    const auto y = all.rows() - states, u = all.cols() - states;
    return {all.topLeftCorner(states, states), all.topRightCorner(states, u), all.bottomLeftCorner(y, states),
            all.bottomRightCorner(y, u)};
  }

 private:
  void fill(std::span<const FmuNumber> which, std::span<const double> values) {
    message_.which.assign(which.begin(), which.end());
    message_.values.assign(values.begin(), values.end());
  }

  void ask(Request request) {
    message_.request = static_cast<int>(request);
    message_.failed = 0;
    message_.text.clear();
    const char* what = names_of_requests[message_.request];
    if (socket_ < 0 || !send_message(socket_, packed(message_))) crashed(what);
    receive(what);
  }

  void receive(const char* what) {
    if (!receive_message(socket_, bytes_)) crashed(what);
    Message answered;
    try {
      Archive reply(bytes_);
      reply(answered);
    } catch (const std::out_of_range&) {
      crashed(what);
    }
    message_ = std::move(answered);
    if (message_.failed != 0) throw Error(static_cast<ExitCode>(message_.failed), message_.text);
  }

  [[noreturn]] void crashed(const char* what) {
    int status = 0;
    const bool is_known = child_ > 0 && waitpid(child_, &status, 0) == child_;
    child_ = -1;
    const std::string how =
        is_known && WIFSIGNALED(status) ? formatted("crashed ({})", strsignal(WTERMSIG(status)))
        : is_known && WIFEXITED(status) ? formatted("ended its process with status {}", WEXITSTATUS(status))
                                        : "ended its process";
    throw Error(ExitCode::step_failed, formatted("{}: the FMU {} during {}", path_, how, what));
  }

  void end() {
    if (socket_ >= 0) close(std::exchange(socket_, -1));
    if (child_ <= 0) return;
    for (int wait = 0; wait < 200; ++wait) {  // it ends when nobody asks any more
      if (waitpid(child_, nullptr, WNOHANG) != 0) return;
      usleep(1000);
    }
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  std::string path_, bytes_;
  pid_t child_ = -1;
  int socket_ = -1;
  Message message_;
};

}  // namespace

std::unique_ptr<FmuLink> spawn_fmu(const FmuFile& file, const std::string& instance,
                                   const FmuIntegration& integration) {
  return std::make_unique<FmuProcess>(file, instance, integration);
}

}  // namespace hooke
