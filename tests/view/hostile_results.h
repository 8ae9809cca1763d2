#pragma once
// Results whose texts want to be more than text: markup, scripts, paths, formulas, commands of a terminal.
#include "hooke/base/format.h"
#include "some_results.h"

namespace hooke::testing_view {

inline const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts{"\"><script>document.title='owned'</script>",
                                              "</script><script>document.title='owned'</script>",
                                              "<!--<script>",
                                              "<img src=x onerror=\"document.title='owned'\">",
                                              "' onmouseover='document.title=1' x='",
                                              "</style></title></svg><img src=x onerror=document.title=1>",
                                              "javascript:document.title=1",
                                              "=1+1",
                                              "@SUM(A1)",
                                              "+1",
                                              "-1",
                                              "\t=1+1",
                                              "\r=1+1",
                                              "../../etc/passwd",
                                              "..",
                                              "a/b.c?d#e%41&amp;",
                                              "__proto__",
                                              "constructor",
                                              "x",
                                              "\x1b[31m\x07\x01",
                                              "line\nbreak\r\n",
                                              "\xff\xfe\xc0\xaf",
                                              "\u2028\u2029\u202e\u009b",
                                              "Μηχανισμός 机构 آلية",
                                              "",
                                              std::string(10'000, 'n')};
  return texts;
}

/// A body on a hinge and a spring for each of the texts, which then are the names of everything.
inline void write_hostile_results(const std::string& path) {
  const std::vector<std::string>& texts = hostile_texts();
  const std::string loop = formatted("  for i in 1..{}:\n", texts.size());
  simulate("hooke: 1\ntitle: Hostile\ngravity: [0, 0, -9.81]\nbodies:\n" + loop +
               "    b${i}: {rigid: {mass: 1, shape: {sphere: 0.1}}, at: [\"${i}\", 0, -1]}\njoints:\n" +
               loop +
               "    j${i}: {revolute: [ground, \"b${i}\"], at: [\"${i}\", 0, 0], axis: x, start: {angle: "
               "{rate: 1}}}\n"
               "forces:\n" +
               loop +
               "    f${i}: {spring: [ground, \"b${i}\"], points: [[\"${i}\", 1, 0], null], stiffness: 4, "
               "free: 1}\n"
               "run: {step: 0.01, end: 0.1}\noutputs: {every: 0.02}\n",
           path);
  add_rod(path, "\"><img src=x onerror=document.title=1>?#%41", 3, 0.05);
  add_solid(path, "x\"><img src=x onerror=document.title=1>", "x\"><img src=x onerror=document.title=1>",
            "\"><script>document.title='owned'</script>");
  add_solid(path, "__proto__", "constructor", "=1+1");

  const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  const auto rename = [&](const char* name, const std::string& before, const std::string& after) {
    std::vector<std::string> named;
    for (const std::string& text : texts) named.push_back(before + text + after);
    H5Ldelete(file, name, H5P_DEFAULT);
    hdf5::write_texts(file, name, named);
  };
  rename("bodies/labels", "body.", "");
  rename("joints/labels", "joint.", "");
  rename("forces/labels", "force.", "");
  rename("coordinates/labels", "", ".angle");
  for (const char* name : {"coordinates/units", "joints/types", "forces/types", "shapes/types", "facts/names",
                           "facts/values", "facts/notes", "facts/warnings", "model"})
    rename(name, "", "");
  int k = 0;
  for (const char* name :
       {"title", "status", "message", "created", "integrator", "solver", "hooke", "wall_time"})
    hdf5::write_text(file, name, texts[static_cast<std::size_t>(k++) % 4]);
}

}  // namespace hooke::testing_view
