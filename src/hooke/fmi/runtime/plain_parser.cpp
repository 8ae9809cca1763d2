// What parse_yaml is inside an FMU, which carries its model as JSON (fmi/plain_text.h): the same tree, without a library.
#include <cctype>

#include "hooke/base/error.h"
#include "hooke/io/document/yaml.h"

namespace hooke {
namespace {

class PlainParser {
 public:
  PlainParser(std::string_view text, const std::string& name, Budget& budget)
      : text_(text), file_(std::make_shared<const std::string>(name)), budget_(budget) {}

  Value parse() {
    skip_blanks();
    Value root = at_end() ? Value() : value(0);
    skip_blanks();
    if (!at_end()) fail("something follows the end of the document");
    return root;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  Location here() const { return {*file_, line_, static_cast<int>(at_ - line_start_) + 1}; }
  [[noreturn]] void fail(const std::string& what) const { throw ModelError({{here(), "", what}}); }

  void skip_blanks() {
    for (; !at_end() && std::isspace(static_cast<unsigned char>(peek())) != 0; ++at_)
      if (peek() == '\n') ++line_, line_start_ = at_ + 1;
  }
  void expect(char c) {
    skip_blanks();
    if (peek() != c) fail(formatted("expected '{}'", c));
    ++at_;
  }

  Value value(int depth) {
    if (!limits::nesting.holds(depth))
      fail(formatted("nested more than {} levels deep", limits::nesting.most));
    skip_blanks();
    Value result;
    const Location place = here();
    result.line = place.line, result.column = place.column, result.file = file_;
    if (peek() == '{' || peek() == '[') {
      children(result, depth);
    } else {
      result.kind = Value::Kind::scalar;
      result.quoted = peek() == '"';
      result.text = result.quoted ? quoted() : bare();
      if (!result.quoted && result.text == "null") result.kind = Value::Kind::null;
    }
    budget_.spend(Budget::cost_of_text(result.text.size()), place);
    return result;
  }

  void children(Value& parent, int depth) {
    const bool is_mapping = peek() == '{';
    const char end = is_mapping ? '}' : ']';
    parent.kind = is_mapping ? Value::Kind::mapping : Value::Kind::sequence;
    ++at_;
    skip_blanks();
    while (peek() != end) {
      const Location place = here();
      std::string key;
      if (is_mapping) {
        key = peek() == '"' ? quoted() : bare();
        expect(':');
      }
      Value child = value(depth + 1);
      child.key = std::move(key), child.key_line = place.line, child.key_column = place.column;
      parent.children.push_back(std::move(child));
      skip_blanks();
      if (peek() == end) break;
      expect(',');
      skip_blanks();
    }
    ++at_;
  }

  std::string bare() {
    const std::size_t from = at_;
    while (!at_end() && std::string_view(" \t\r\n,:{}[]\"").find(peek()) == std::string_view::npos) ++at_;
    if (at_ == from) fail("expected a value");
    return std::string(text_.substr(from, at_ - from));
  }

  std::string quoted() {
    std::string out;
    for (++at_; peek() != '"'; ++at_) {
      if (at_end()) fail("a text does not end");
      if (peek() == '\n') ++line_, line_start_ = at_ + 1;
      if (peek() != '\\') {
        out += peek();
        continue;
      }
      ++at_;
      constexpr std::string_view letters = "nrtbf", meanings = "\n\r\t\b\f";
      if (const std::size_t found = letters.find(peek()); found != letters.npos && !at_end())
        out += meanings[found];
      else if (peek() == 'u')
        unicode(out);
      else
        out += peek();
    }
    ++at_;
    return out;
  }

  /// \u0041 as UTF-8; pairs of surrogates are left as two characters, since Hooke writes none.
  void unicode(std::string& out) {
    unsigned code = 0;
    for (int i = 0; i < 4; ++i) {
      ++at_;
      if (std::isxdigit(static_cast<unsigned char>(peek())) == 0) fail("expected four hexadecimal digits");
      code = 16 * code + static_cast<unsigned>(std::stoi(std::string(1, peek()), nullptr, 16));
    }
    const auto byte = [&](unsigned bits) { out += static_cast<char>(bits); };
    if (code < 0x80) {
      byte(code);
    } else if (code < 0x800) {
      byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f));
    } else {
      byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f));
    }
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  Budget& budget_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
};

}  // namespace

Value parse_yaml(const std::string& text, const std::string& name, Budget& budget) {
  return PlainParser(text, name, budget).parse();
}

}  // namespace hooke
