// Nastran bulk data: cards of fields with 8 or 16 characters, or separated by commas, continued over several
// lines.
#include <algorithm>

#include "hooke/base/text.h"
#include "hooke/io/mesh/solid_mesh_builder.h"

namespace hooke {
namespace {

/// From Nastran's order (bottom, uprights, top) to ours.
constexpr int nastran_hex20[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 12, 13, 14, 15};

class NastranReader {
 public:
  NastranReader(std::string_view text, const std::string& path) : text_(text), path_(path), builder_(path) {}

  SolidMeshFile read() {
    int number = 0;
    for (std::string_view rest = text_; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      ++number;
      take_line(rest.substr(0, end), number);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    finish_card();
    for (std::size_t e = 0; e < builder_.elements(); ++e) {
      const auto property = properties_.find(property_of_[e]);
      builder_.material_of(e) = property == properties_.end() ? "" : "mat" + std::to_string(property->second);
    }
    return builder_.finish();
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    fail_mesh(path_, formatted("line {}: {}", line_, why));
  }

  void take_line(std::string_view line, int number) {
    line = line.substr(0, line.find('$'));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
    if (line.empty()) return;
    std::vector<std::string> fields;
    if (line.find(',') != line.npos) {
      for (std::size_t start = 0; start <= line.size();) {
        const std::size_t end = std::min(line.find(',', start), line.size());
        fields.emplace_back(trim(line.substr(start, end - start)));
        start = end + 1;
      }
    } else {
      fields.emplace_back(trim(line.substr(0, 8)));
      const std::size_t width = fields[0].ends_with("*") || fields[0].starts_with("*") ? 16 : 8, last = 72;
      for (std::size_t start = 8; start < std::min(line.size(), last); start += width)
        fields.emplace_back(trim(line.substr(start, std::min(width, last - start))));
    }
    const bool goes_on = fields[0].empty() || fields[0][0] == '+' || fields[0][0] == '*';
    if (!goes_on) finish_card(), line_ = number;
    if (goes_on && card_.empty()) return;
    const bool wide = !card_.empty() ? card_[0].ends_with("*") : fields[0].ends_with("*");
    const std::size_t per_line = wide ? 5 : 9;  // with the name; the last field of a line is a mark
    if (fields.size() > per_line) fields.resize(per_line);
    if (goes_on) {
      pad(fields, per_line);
      card_.insert(card_.end(), fields.begin() + 1, fields.end());
    } else {
      pad(fields, per_line);
      card_ = fields;
    }
  }
  static void pad(std::vector<std::string>& fields, std::size_t count) {
    if (fields.size() < count) fields.resize(count);
  }

  /// Also 1.5-3 for 1.5e-3.
  double number(std::size_t field, double otherwise) const {
    if (field >= card_.size() || card_[field].empty()) return otherwise;
    std::string text = card_[field];
    for (std::size_t k = 1; k < text.size(); ++k) {
      const auto before = static_cast<unsigned char>(text[k - 1]);
      if ((text[k] == '+' || text[k] == '-') && (std::isdigit(before) || before == '.')) {
        text.insert(k, "e");
        break;
      }
    }
    std::replace(text.begin(), text.end(), 'D', 'e');
    const auto value = parse_number(text);
    if (!value || !std::isfinite(*value))
      fail(formatted("field {} of {} should be a number, not '{}'", field, card_[0], card_[field]));
    return *value;
  }
  long integer(std::size_t field) const {
    const auto whole = whole_number(number(field, 0));
    if (!whole)
      fail(formatted("field {} of {} should be a whole number, not '{}'", field, card_[0], card_[field]));
    return *whole;
  }

  void finish_card() {
    if (card_.empty()) return;
    std::string name = card_[0];
    if (name.ends_with("*")) name.pop_back();
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    if (name == "GRID") {
      if (integer(2) != 0) fail("GRID in a coordinate system of its own: write the mesh in the basic one");
      builder_.add_node(integer(1), {number(3, 0), number(4, 0), number(5, 0)});
    } else if (name == "CTETRA" || name == "CHEXA") {
      add_element(name == "CHEXA");
    } else if (name == "CPENTA" || name == "CPYRAM") {
      fail(formatted("{} is not known; CTETRA and CHEXA are", name));
    } else if (name == "PSOLID") {
      properties_[integer(1)] = integer(2);
    } else if (name == "MAT1") {
      const double E = number(2, 0), G = number(3, 0);
      const double nu = card_.size() > 4 && !card_[4].empty() ? number(4, 0) : G > 0 ? E / (2 * G) - 1 : 0.3;
      if (const double density = number(5, 0); E > 0 && density > 0)
        builder_.set_material("mat" + std::to_string(integer(1)), SolidMaterial::isotropic({E, nu, density}));
    } else if (name == "SPC1") {
      for (std::size_t k = 3; k < card_.size(); ++k) {
        if (card_[k].empty()) continue;
        if (card_[k] == "THRU" && k + 1 < card_.size()) {
          builder_.add_to_set("spc" + card_[1], NumberRange{integer(k - 1), integer(k + 1)});
        } else {
          builder_.add_to_set("spc" + card_[1], integer(k));
        }
      }
    }
    card_.clear();
  }

  void add_element(bool hex) {
    std::vector<long> nodes;
    for (std::size_t k = 3; k < card_.size() && nodes.size() < 20; ++k)
      if (!card_[k].empty()) nodes.push_back(integer(k));
    property_of_.push_back(integer(2));
    const std::size_t n = nodes.size();
    if (hex && n == 20) {
      std::vector<long> ordered;
      for (int k : nastran_hex20) ordered.push_back(nodes[static_cast<std::size_t>(k)]);
      return builder_.add_element(ElementType::hex20, ordered, "");
    }
    if (hex && n == 8) return builder_.add_element(ElementType::hex8, nodes, "");
    if (!hex && n == 4) return builder_.add_element(ElementType::tet4, nodes, "");
    if (!hex && n == 10) return builder_.add_element(ElementType::tet10, nodes, "");
    fail(formatted("{} has {} nodes; it must have {}", card_[0], n, hex ? "8 or 20" : "4 or 10"));
  }

  std::string_view text_;
  std::string path_;
  int line_ = 0;
  SolidMeshBuilder builder_;
  std::vector<std::string> card_;
  std::vector<long> property_of_;
  std::map<long, long> properties_;
};

}  // namespace

SolidMeshFile parse_nastran(std::string_view text, const std::string& path) {
  return NastranReader(text, path).read();
}

}  // namespace hooke
