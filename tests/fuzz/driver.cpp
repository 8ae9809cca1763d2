// Runs a fuzz target where there is no libFuzzer: inputs of a corpus, changed at random, without looking at which code
// they reach. Seeds are taken the more often the shorter they are: all get about the same time. Takes the options of
// libFuzzer that tools/fuzz gives. An input that crashes or takes too long is left in a file.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::string input;                 // the one being tried
std::string crash_name = "crash";  // where it goes

void keep_input(int signal) {
  const int file = open(crash_name.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0666);
  if (file >= 0 && write(file, input.data(), input.size()) < 0) close(file);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The words in quotes.
std::vector<std::string> read_words(const std::string& path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find('"'), last = line.rfind('"');
    if (first < last && line[0] != '#') words.push_back(line.substr(first + 1, last - first - 1));
  }
  return words;
}

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> words) : words_(std::move(words)) {
    for (const char* word :
         {"0", "-1", "1e308", "nan", "1e-320", "99999999999", "2147483648", "{", "]", "\n"})
      words_.emplace_back(word);
  }

  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  std::size_t drawn(std::discrete_distribution<std::size_t>& among) { return among(random_); }

  /// Some changes, here and there.
  std::string changed(std::string text, const std::string& other) {
    for (std::size_t left = 1 + below(6); left > 0; --left) change(text, other);
    constexpr std::size_t longest = 1 << 16;
    text.resize(std::min(text.size(), longest));
    return text;
  }

 private:
  void change(std::string& text, const std::string& other) {
    const std::size_t at = below(text.size()), count = 1 + below(std::min<std::size_t>(text.size() - at, 40));
    switch (below(8)) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        if (!text.empty()) text[at] = static_cast<char>(below(256));
        break;
      case 2:
        text.erase(at, count);
        break;
      case 3:
        text.insert(below(text.size()), text.substr(at, count));
        break;
      case 4:
        text.insert(at, words_[below(words_.size())]);
        break;
      case 5:
        text.replace(at, std::min(number_at(text, at), text.size() - at), words_[below(words_.size())]);
        break;
      case 6: {
        const std::size_t from = below(other.size());
        text.insert(at, other.substr(from, 1 + below(200)));
        break;
      }
      default:
        if (below(8) == 0) text.resize(at);
    }
  }
  static std::size_t number_at(const std::string& text, std::size_t at) {
    return std::min(text.find_first_not_of("0123456789.eE+-", at), text.size()) - at;
  }

  std::mt19937_64 random_{std::random_device()()};
  std::vector<std::string> words_;
};

/// The value of "-name=value", if the argument is that.
bool is_option(const std::string& argument, const std::string& name, std::string& value) {
  if (!argument.starts_with("-" + name + "=")) return false;
  value = argument.substr(name.size() + 2);
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  double seconds = 60;
  unsigned longest = 10;
  std::vector<std::string> corpus, words;
  for (int k = 1; k < count; ++k) {
    const std::string argument = arguments[k];
    std::string value;
    if (is_option(argument, "max_total_time", value)) seconds = std::stod(value);
    if (is_option(argument, "timeout", value)) longest = static_cast<unsigned>(std::stoi(value));
    if (is_option(argument, "artifact_prefix", value))
      crash_name = value + "crash-" + std::to_string(getpid());
    if (is_option(argument, "dict", value)) words = read_words(value);
    if (argument[0] == '-') continue;
    for (const auto& entry : fs::recursive_directory_iterator(argument))
      if (entry.is_regular_file()) corpus.push_back(read_file(entry.path()));
  }
  if (corpus.empty()) corpus.emplace_back();
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM})
    std::signal(signal, keep_input);

  Mutator mutator(std::move(words));
  std::vector<double> weights;
  constexpr double least = 40;  // bytes; what an input costs beside its length
  for (const std::string& seed : corpus) weights.push_back(1 / (least + static_cast<double>(seed.size())));
  std::discrete_distribution<std::size_t> seeds(weights.begin(), weights.end());
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  long tried = 0;
  for (; elapsed() < seconds; ++tried) {
    const std::string& seed = corpus[mutator.drawn(seeds)];
    input = static_cast<std::size_t>(tried) < corpus.size()
                ? corpus[static_cast<std::size_t>(tried)]
                : mutator.changed(seed, corpus[mutator.drawn(seeds)]);
    alarm(longest);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
  alarm(0);
  std::printf("stat::number_of_executed_units: %ld\n", tried);
  return 0;
}
