#include "hooke/io/document/function_reader.h"

#include "document_helper.h"
#include "hooke/catalog/drive_settings.h"
#include "hooke/catalog/force_settings.h"
#include "hooke/io/document/table_file.h"
#include "hooke/io/model/model_file.h"

namespace hooke {
namespace {

/// A model in which a drive follows the function.
std::string driven_by(const std::string& function) {
  return "hooke: 1\nparameters: {a: 3, w: -2}\ndrives:\n  d: {joint: j, function: " + function + "}\n";
}

Function function(const std::string& text, const std::string& name = "m.yaml") {
  Diagnostics diagnostics;
  const Problem file = parse_model(driven_by(text), name, {}, diagnostics);
  diagnostics.throw_if_errors();
  return file.model.drives.at("d").get_if<JointDriveSettings>()->function;
}

std::string errors_of(const std::string& text, const std::string& name = "m.yaml") {
  try {
    function(text, name);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(FunctionReader, Kinds) {
  EXPECT_EQ(function("5")(7).value, 5);
  EXPECT_EQ(function("\"${2*a}\"")(7).value, 6);
  EXPECT_EQ(function("2*t + a")(2).value, 7);
  EXPECT_EQ(function("\"7\"")(2).value, 7);
  EXPECT_EQ(function("w^2*t")(2).value, 8);  // a parameter by name keeps its sign
  EXPECT_EQ(function("{expression: a*t}")(2).d1, 3);
  EXPECT_EQ(function("{polynomial: [1, 0, 2]}")(3).value, 19);
  EXPECT_EQ(function("{polynomial: \"${a}\"}")(3).value, 3);
  EXPECT_EQ(function("{smooth_step: {from: [0, 1], to: [2, 5]}}")(1).value, 3);
  EXPECT_NEAR(function("{harmonic: {amplitude: 2, omega: 3, phase: 0.5, offset: 1}}")(1).value,
              1 + 2 * std::sin(3.5), 1e-15);
  EXPECT_NEAR(function("{harmonic: {amplitude: 2, frequency: 1}}")(0.25).value, 2, 1e-15);
  EXPECT_EQ(function("{table: [[0, 0], [1, 2], [2, 4]]}")(0.5).value, 1);
  EXPECT_EQ(function("{table: {points: [[0, 0], [1, 1]], slopes: [0, 0]}}")(0).d1, 0);
  EXPECT_EQ(function("{sum: [1, 2*t, {sum: [{polynomial: [0, 0, 1]}, 3]}]}")(2).value, 12);
}

TEST(FunctionReader, Errors) {
  EXPECT_EQ(errors_of("sin(t"),
            "m.yaml:4:27: drives.d.function: '(' without a ')' after it (at character 4 of \"sin(t\")");
  EXPECT_EQ(errors_of("2*x"), "m.yaml:4:27: drives.d.function: unknown name 'x' (at character 3 of \"2*x\")");
  EXPECT_EQ(errors_of("{expression: 2*}").substr(0, 53),
            "m.yaml:4:40: drives.d.function.expression: the formul");
  EXPECT_EQ(errors_of("[1, 2]"),
            "m.yaml:4:27: drives.d.function: expected a number, a formula or a mapping such as {harmonic: "
            "...}, got a list of 2");
  EXPECT_EQ(errors_of("{harmonc: 1}"),
            "m.yaml:4:27: drives.d.function: expected one of polynomial, smooth_step, harmonic, table, sum "
            "or expression as the "
            "kind of function (did you mean 'harmonic'?)");
  EXPECT_EQ(errors_of("{harmonic: {amplitude: 1}}"),
            "m.yaml:4:38: drives.d.function.harmonic: give either omega (rad/s) or frequency (Hz)");
  EXPECT_EQ(errors_of("{smooth_step: {from: [1, 0], to: [1, 5]}}"),
            "m.yaml:4:60: drives.d.function.smooth_step.to: the step must end after it starts");
  EXPECT_EQ(errors_of("{table: [[0, 0], [1, 2], [1, 4]]}"),
            "m.yaml:4:35: drives.d.function.table: row 3: x = 1 must be larger than 1 in the row before");
  EXPECT_EQ(errors_of("{table: [[0, 0]]}"),
            "m.yaml:4:35: drives.d.function.table: a table needs at least two rows, not 1");
  EXPECT_EQ(errors_of("{table: {}}"), "m.yaml:4:35: drives.d.function.table: give either points or a file");
  EXPECT_EQ(errors_of("{table: {file: none.csv}}"),
            "m.yaml:4:42: drives.d.function.table.file: cannot read the file 'none.csv'");
  EXPECT_EQ(errors_of("{sum: [1, 2*]}").substr(0, 39), "m.yaml:4:37: drives.d.function.sum[1]: ");
}

TEST(FunctionReader, TheVariableIsCalledByWhatItIs) {
  Diagnostics diagnostics;
  const Problem file = parse_model(
      "hooke: 1\nparameters: {k: 2, x: 100}\nforces:\n  elastic: {spring: [a, b], elastic: {sum: [k*x^3, "
      "1]}, viscous: k*v, "
      "active: k*t}\n"
      "  f: {spring: [a, b], law: k*x + sin(t)*v}\n",
      "m.yaml", {}, diagnostics);
  diagnostics.throw_if_errors();
  const auto law = [&](const std::string& force) {
    return file.model.forces.at(force).get_if<SpringSettings>()->law.make();
  };
  EXPECT_EQ(law("elastic")(2, 3, 4).force, 17 + 6 + 8);
  EXPECT_EQ(law("f")(5, 0, 0).force, 10);
  parse_model("hooke: 1\nforces:\n  f: {spring: [a, b], elastic: 2*t}\n  g: {spring: [a, b], law: 2*q}",
              "m.yaml", {}, diagnostics);
  ASSERT_EQ(diagnostics.errors().size(), 2u);
  EXPECT_EQ(to_string(diagnostics.errors()[0]),
            "m.yaml:3:32: forces.f.elastic: unknown name 't' (at character 3 of \"2*t\")");
  EXPECT_EQ(to_string(diagnostics.errors()[1]),
            "m.yaml:4:28: forces.g.law: unknown name 'q' (at character 3 of \"2*q\")");
}

TEST(FunctionReader, FormulasWithValuesInThem) {
  Diagnostics diagnostics;
  const Problem file = parse_model(
      "hooke: 1\nparameters: {k: -2, k2: 7, e3: 1, min: 5}\nforces:\n"
      "  f: {spring: [a, b], law: \"k*x + 1e3*k2 - min(k, 2)\"}\n",
      "m.yaml", {}, diagnostics);
  diagnostics.throw_if_errors();
  EXPECT_EQ(file.model.forces.at("f").get_if<SpringSettings>()->law.law->text,
            "(-2)*x + 1e3*(7) - min((-2), 2)");
}

std::string table(const std::string& text, const std::array<std::string, 2>& columns = {"1", "2"}) {
  Diagnostics diagnostics;
  const auto found = parse_table(text, "a.csv", columns, "d.table", diagnostics);
  if (!found) return to_string(diagnostics.errors().at(0));
  std::string result;
  for (size_t i = 0; i < found->x.size(); ++i) result += fmt::format("({} {})", found->x[i], found->y[i]);
  return result;
}

TEST(TableFile, Separators) {
  for (const char* text : {"0,1\n1,2\n", "0;1\n1;2", "0\t1\r\n1\t2\r\n", "  0  1 \n\n 1 2\n",
                           "\xef\xbb\xbf# t, x\n0, 1\n1, 2\n"})
    EXPECT_EQ(table(text), "(0 1)(1 2)") << text;
}

TEST(TableFile, Headers) {
  const std::string text = "time,\"x 1\",y\n0,1,2\n1,3,4\n";
  EXPECT_EQ(table(text), "(0 1)(1 3)");
  EXPECT_EQ(table(text, {"time", "y"}), "(0 2)(1 4)");
  EXPECT_EQ(table(text, {"x 1", "3"}), "(1 2)(3 4)");
  EXPECT_EQ(table(text, {"time", "z"}), "a.csv:1:1: d.table: no column 'z' among time, x 1 and y");
  EXPECT_EQ(table(text, {"tme", "y"}),
            "a.csv:1:1: d.table: no column 'tme' (did you mean 'time'?) among time, x 1 and y");
  EXPECT_EQ(table("0,1\n1,2", {"1", "x"}),
            "a.csv:1:1: d.table: no column 'x': there are 2, without a header");
  EXPECT_EQ(table("0,1\n1,2", {"1", "3"}),
            "a.csv:1:1: d.table: no column '3': there are 2, without a header");
}

TEST(TableFile, Errors) {
  EXPECT_EQ(table("0,1\n1,2\n2,abc\n"), "a.csv:3:3: d.table: expected a number, got 'abc'");
  EXPECT_EQ(table("0,1\n1\n"), "a.csv:2:1: d.table: this row has 1 columns, but column 2 is wanted");
  EXPECT_EQ(table("0,1\n2,1\n# back\n1,1\n"),
            "a.csv:4:1: d.table: must be larger than 2 in the row before, got 1");
  EXPECT_EQ(table("0,1\n1,nan\n"), "a.csv:2:3: d.table: expected a number, got 'nan'");
  EXPECT_EQ(table("t,x\n0,1\n"), "a.csv: d.table: a table needs at least two rows of numbers");
  EXPECT_EQ(table(""), "a.csv: d.table: a table needs at least two rows of numbers");
}

TEST(TableFile, IsLookedForNextToTheModel) {
  const Folder folder;
  folder.write("data/motion.csv", "t,x\n0,0\n1,2\n2,4\n");
  const std::string model = folder.write("m.yaml", "");
  EXPECT_EQ(function("{table: {file: data/motion.csv, columns: [t, x]}}", model)(1.5).value, 3);
  EXPECT_EQ(function("{table: {file: data/motion.csv, columns: [1, 2]}}", model)(1.5).value, 3);
  const std::string csv = folder.write("data/motion.csv", "t,x\n0,0\n1,?\n");
  EXPECT_EQ(errors_of("{table: {file: data/motion.csv}}", model),
            csv + ":3:3: drives.d.function.table: expected a number, got '?'");
}

}  // namespace
}  // namespace hooke
