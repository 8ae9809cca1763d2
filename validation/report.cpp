#include "validation/report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace hooke::validation {

void Report::heading(const std::string& title) { text("## " + title); }
void Report::subheading(const std::string& title) { text("### " + title); }

void Report::text(const std::string& paragraph) {
  if (in_list_) body_ += '\n';
  in_list_ = false;
  body_ += paragraph + "\n\n";
}

void Report::command(const std::string& line) { text("    " + line); }

void Report::table(const std::vector<std::string>& header,
                   const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& name : header) widths.push_back(std::max<std::size_t>(3, name.size()));
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths.at(i) = std::max(widths[i], row[i].size());

  const auto line = [&](const std::vector<std::string>& cells) {
    std::string result = "|";
    for (std::size_t i = 0; i < widths.size(); ++i)
      result += fmt::format(" {:<{}} |", i < cells.size() ? cells[i] : "", widths[i]);
    return result + "\n";
  };
  std::string result = line(header) + "|";
  for (std::size_t width : widths) result += " " + std::string(width, '-') + " |";
  result += "\n";
  for (const auto& row : rows) result += line(row);
  result.pop_back();
  text(result);
}

void Report::figure(const std::string& name, const std::string& caption) {
  text(fmt::format("![{}](figures/{}.svg)", caption, name));
}

void Report::expect(const std::string& what, double value, double limit) {
  statement(fmt::format("{}: {:.2g}, at most {:.2g}", what, value, limit), value <= limit);
}

void Report::expect(const std::string& what, bool holds) { statement(what, holds); }

void Report::attempt(const std::function<void()>& part) {
  try {
    part();
  } catch (const std::exception& error) {
    std::string why = error.what();
    std::replace(why.begin(), why.end(), '\n', ' ');
    fmt::print(stderr, "{}\n", why);
    expect(fmt::format("the case can be made ({})", why), false);
  }
}

void Report::statement(const std::string& text, bool holds) {
  ++expectations_;
  failures_ += !holds;
  body_ += fmt::format("- {}: {}\n", text, holds ? "holds" : "**does not hold**");
  in_list_ = true;
}

void Report::data(const std::string& name, const std::vector<std::string>& header,
                  const std::vector<std::vector<double>>& columns) const {
  const std::string path = data_ + "/" + name + ".csv";
  std::ofstream file(path);
  if (!file) throw std::runtime_error("cannot write " + path);
  std::size_t rows = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    file << (i ? "," : "") << '"' << header[i] << '"';
    rows = std::max(rows, columns.at(i).size());
  }
  file << '\n';
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i) file << ',';
      if (row < columns[i].size()) file << fmt::format("{:.10g}", columns[i][row]);
    }
    file << '\n';
  }
}

std::string Report::verdict() const {
  return failures_ ? fmt::format("**{} of {} statements do not hold.**", failures_, expectations_)
                   : fmt::format("All {} statements hold.", expectations_);
}

int write_page(int argc, char** argv, std::span<const Section> sections,
               const std::function<std::string(const Report&)>& introduction) {
  if (argc < 3) {
    fmt::print(stderr, "usage: {} DATA_FOLDER PAGE [SECTION...]\n", argv[0]);
    return 2;
  }
  Report report(argv[1]);
  const std::vector<std::string> wanted(argv + 3, argv + argc);
  for (const Section& section : sections) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), section.name) == wanted.end()) continue;
    fmt::print(stderr, "{} ...\n", section.name);
    report.attempt({section.write});
  }
  std::string page = introduction(report) + report.body();
  while (page.ends_with("\n\n")) page.pop_back();
  std::ofstream(argv[2]) << page;
  fmt::print(stderr, "{} of {} statements hold\n", report.expectations() - report.failures(),
             report.expectations());
  return report.failures() ? 1 : 0;
}

}  // namespace hooke::validation
