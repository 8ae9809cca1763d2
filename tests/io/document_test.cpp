#include "hooke/io/document/document.h"

#include "document_helper.h"
#include "hooke/io/document/yaml.h"

namespace hooke {
namespace {

TEST(Document, KeepsOrderPlacesAndPaths) {
  Diagnostics diagnostics;
  const Document document =
      parse_document("b: 1\na:\n  axis: [x, \"y\", {k: 2}]\nempty:\n", "m.yaml", {}, diagnostics);
  EXPECT_EQ(dump(document.root()), "{b: 1, a: {axis: [x, \"y\", {k: 2}]}, empty: null}");
  const Value& k = document.root().children[1].children[0].children[2].children[0];
  EXPECT_EQ(k.path(), "a.axis[2].k");
  EXPECT_EQ(to_string(k.location()), "m.yaml:3:22");
  EXPECT_EQ(to_string(k.key_location()), "m.yaml:3:19");
  EXPECT_EQ(to_string(document.root().find("empty")->location()), "m.yaml:4:1");
  EXPECT_EQ(document.root().find("c"), nullptr);
  EXPECT_EQ(document.files(), std::vector<std::string>{"m.yaml"});
}

TEST(Document, JsonIsYaml) {
  EXPECT_EQ(resolved("{\"a\": [1, 2.5, true, null], \"b\": {\"c\": \"t\"}}"),
            "{a: [1, 2.5, true, null], b: {c: \"t\"}}");
}

TEST(Document, WordsThatOldYamlTakesForBooleansStayWords) {
  EXPECT_EQ(resolved("y: no\non: y\nnull_: ~"), "{y: no, on: y, null_: null}");
}

TEST(Document, SyntaxErrorsHaveAPlace) {
  EXPECT_EQ(resolved("a: [1, 2\nb: 3\n"), "m.yaml:2:2: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(resolved("a: 1\n\tb: 2\n"),
            "m.yaml:2:1: not valid YAML: illegal tab when looking for indentation");
  EXPECT_EQ(resolved("a: 1\n---\nb: 2\n"),
            "m.yaml:2:1: only one YAML document per file (a second one begins here)");
  EXPECT_EQ(resolved(""), "m.yaml: the file is empty");
  EXPECT_EQ(resolved("[1, 2]"), "m.yaml:1:1: a model is a mapping of keys, not a list of 2");
  EXPECT_EQ(resolved("hello"), "m.yaml:1:1: a model is a mapping of keys, not 'hello'");
  EXPECT_EQ(resolved("? [1]\n: 2"), "m.yaml:1:3: a key must be a word, not a list of 1");
  EXPECT_EQ(resolved("a: *b"), "m.yaml:1:4: not valid YAML: the referenced anchor is not defined");
}

TEST(Document, DuplicateKeysNameBothLines) {
  EXPECT_EQ(resolved("a:\n  k: 1\n  l: 2\n  k: 3\n"),
            "m.yaml:4:3: a.k: the key 'k' stands here and in line 2");
  EXPECT_EQ(resolved("parameters: {n: 1}\nparameters: {m: 1}\n"),
            "m.yaml:2:1: parameters: the key 'parameters' stands here and in line 1");
  EXPECT_EQ(resolved("parameters:\n  n: 1\n  n: 2\n"),
            "m.yaml:3:3: parameters.n: the key 'n' stands here and in line 2");
}

TEST(Document, AliasesAreCopies) {
  EXPECT_EQ(resolved("a: &link {m: 1}\nb: *link\n"), "{a: {m: 1}, b: {m: 1}}");
  EXPECT_EQ(resolved("a: &a [1, *a]\n"), "m.yaml:1:11: this alias stands inside the value it refers to");
}

TEST(Limits, AliasBomb) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i)
    text += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  EXPECT_NE(resolved(text).find("too many values"), std::string::npos);
}

TEST(Limits, DepthOfNestingAlsoByAliases) {
  const auto nested = [](int depth) {
    return "a: " + std::string(depth, '[') + "x" + std::string(depth, ']');
  };
  EXPECT_EQ(resolved(nested(99)).find("nested"), std::string::npos);
  EXPECT_EQ(resolved(nested(200)), "m.yaml:1:103: nested more than 100 levels deep");
  EXPECT_NE(resolved("a: " + std::string(1000000, '[')).find("nested"), std::string::npos);
  EXPECT_NE(resolved("a: " + std::string(1000000, '{')).find("nested"), std::string::npos);
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 200; ++i) text += fmt::format("a{0}: &a{0} [*a{1}]\n", i, i - 1);
  EXPECT_NE(resolved(text).find("nested more than 100 levels deep"), std::string::npos);
}

TEST(Limits, LoopsWithoutEnd) {
  EXPECT_EQ(
      resolved("a: {for i in 1..2e9: {}}"),
      "m.yaml:1:5: too many values, counting those made by loops and aliases: the limit is 5000000, the "
      "environment variable HOOKE_LIMIT_VALUES raises it");
  EXPECT_NE(resolved("a: {for i in 1..1e6: {for j in 1..1e6: {}}}").find("too many values"),
            std::string::npos);
  EXPECT_NE(resolved("a: [{for i in 1..1e5: [" + std::string(100000, 'x') + "]}]").find("too many values"),
            std::string::npos);
}

TEST(Limits, FileSize) {
  EXPECT_EQ(resolved(std::string(65 << 20, ' ')),
            "m.yaml: 65 MiB of a file that is read: the limit is 64, the environment variable "
            "HOOKE_LIMIT_FILE_SIZE raises it; put large tables and meshes into files of their own");
}

TEST(Include, IncludingFileWinsAndMappingsMerge) {
  const Folder folder;
  folder.write("parts/a.yaml", "x: {p: 1, q: [1, 2]}\ny: a\nz: a\n");
  folder.write("parts/b.yaml", "include: a.yaml\nz: b\n");
  folder.write("m.yaml", "include: parts/b.yaml\nx: {q: [3], r: 4}\ny: null\n");
  EXPECT_EQ(folder.load("m.yaml"), "{x: {p: 1, q: [3], r: 4}, z: b}");
}

TEST(Include, ListLaterWins) {
  const Folder folder;
  folder.write("a.yaml", "k: a\nl: a");
  folder.write("b.yaml", "k: b");
  folder.write("m.yaml", "include: [a.yaml, b.yaml]\n");
  EXPECT_EQ(folder.load("m.yaml"), "{k: b, l: a}");
}

TEST(Include, ReachesWhatLoopsMake) {
  const Folder folder;
  folder.write("a.yaml", "parameters: {n: 2}\nbodies: {for i in 1..n: {\"b${i}\": {m: 1, k: \"${n}\"}}}\n");
  folder.write("m.yaml", "include: a.yaml\nparameters: {n: 3}\nbodies: {b2: {m: 5}}\n");
  EXPECT_EQ(
      folder.load("m.yaml"),
      "{parameters: {n: 3}, bodies: {b1: {m: 1, k: \"3\"}, b2: {m: 5, k: \"3\"}, b3: {m: 1, k: \"3\"}}}");
}

TEST(Include, ErrorsPointIntoTheRightFile) {
  const Folder folder;
  folder.write("a.yaml", "x: 1\nk: ${q}\n");
  folder.write("bad.yaml", "k: [\n");
  folder.write("m.yaml", "include: a.yaml\n");
  folder.write("n.yaml", "k: 1\ninclude:\n  - bad.yaml\n");
  EXPECT_EQ(folder.load("m.yaml"), "a.yaml:2:4: k: in 'q': unknown name 'q'");
  EXPECT_EQ(folder.load("n.yaml"), "bad.yaml:2:1: not valid YAML: end of sequence flow not found");
}

TEST(Include, MissingFilesAndCircles) {
  const Folder folder;
  folder.write("m.yaml", "include: none.yaml\n");
  folder.write("a.yaml", "include: [b.yaml]\n");
  folder.write("b.yaml", "include: ./a.yaml\n");
  folder.write("c.yaml", "include: {a: b}\n");
  EXPECT_EQ(folder.load("m.yaml"), "m.yaml:1:10: include: there is no file 'none.yaml'");
  EXPECT_EQ(folder.load("a.yaml"),
            "b.yaml:1:10: include: './a.yaml' includes itself, directly or by way of others");
  EXPECT_EQ(folder.load("c.yaml"), "c.yaml:1:10: include: expected the name of a file, got a mapping");
  EXPECT_EQ(folder.load("none.yaml"), "cannot read the file 'none.yaml'");
}

TEST(Include, ExponentiallyManyFilesAreRefused) {
  const Folder folder;
  for (int i = 0; i < 40; ++i)
    folder.write(fmt::format("f{}.yaml", i), fmt::format("include: [f{0}.yaml, f{0}.yaml]\n", i + 1));
  folder.write("f40.yaml", "k: 1\n");
  EXPECT_NE(folder.load("f0.yaml").find("1001 files that a model includes: the limit is 1000"),
            std::string::npos);
}

TEST(Override, SetsValuesByPath) {
  const std::string text = "gravity: [0, 0, -9.81]\nbodies: {a: {mass: 1}}\nrun:\n";
  EXPECT_EQ(resolved(text, {"bodies.a.mass=2", "gravity[2]=-1.62"}),
            "{gravity: [0, 0, -1.62], bodies: {a: {mass: 2}}, run: null}");
  EXPECT_EQ(resolved(text, {"run.solver={sparse: {pivot: 1e-3}}", "gravity=null"}),
            "{bodies: {a: {mass: 1}}, run: {solver: {sparse: {pivot: 1e-3}}}}");
  EXPECT_EQ(resolved(text, {"new.deep.key=[1, x]", "bodies=null", "gravity=z"}),
            "{gravity: z, run: null, new: {deep: {key: [1, x]}}}");
  EXPECT_EQ(resolved("t: [[1, 2], [3, 4]]", {"t[1][0]=5"}), "{t: [[1, 2], [5, 4]]}");
  EXPECT_EQ(resolved("b: [{m: 1}]", {"b[0].m=x=y"}), "{b: [{m: x=y}]}");
}

TEST(Override, ParametersAreSetBeforeAnythingIsComputed) {
  EXPECT_EQ(resolved("parameters: {l1: 1, l2: \"${2*l1}\"}\nk: ${l2}", {"parameters.l1=0.1"}),
            "{parameters: {l1: 0.1, l2: \"0.2\"}, k: 0.2}");
  EXPECT_EQ(resolved("parameters: {n: 1}\nk: ${n}", {"parameters.n=${2*3}"}), "{parameters: {n: 6}, k: 6}");
  EXPECT_EQ(resolved("parameters: {n: 3}\nk: 1", {"k=${n}"}), "{parameters: {n: 3}, k: 3}");
}

TEST(Override, ReachesWhatLoopsMake) {
  EXPECT_EQ(resolved("b: {for i in 1..2: {\"l${i}\": {m: 1}}}", {"b.l2.m=7"}),
            "{b: {l1: {m: 1}, l2: {m: 7}}}");
}

TEST(Override, SaysWhatIsWrong) {
  EXPECT_EQ(
      resolved("parameters: {length: 1}\nk: 1", {"parameters.lenght=2"}),
      "--set parameters.lenght=2: parameters: the model has no parameter 'lenght' (did you mean 'length'?)");
  EXPECT_EQ(resolved("a: [1]", {"a[1]=2"}), "--set a[1]=2: a: has 1 items, counted from 0");
  EXPECT_EQ(resolved("a: b", {"a.k=2"}), "--set a.k=2: a: is 'b', not a mapping");
  EXPECT_EQ(resolved("a: b", {"a[0]=2"}), "--set a[0]=2: a: is 'b', not a list");
  EXPECT_EQ(resolved("a: b", {"a=[1"}), "--set a=[1:1:1: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(resolved("a: b", {"a=${q}"}), "--set a=${q}: in 'q': unknown name 'q'");
  EXPECT_EQ(resolved("a: b", {"parameters={n: 1}"}),
            "--set parameters={n: 1}: parameters: name one parameter, as in --set parameters.n=8");
  for (const char* wrong : {"a", "=1", "a..b=1", "a[x]=1", "a[1=1", "[0]=1", "a[0]b=1", "a.=1"})
    EXPECT_EQ(resolved("a: b", {wrong}),
              fmt::format("--set wants key.path=value, such as bodies.crank.rigid.mass=2 "
                          "or gravity[2]=-1.62, not '{}'",
                          wrong));
}

}  // namespace
}  // namespace hooke
