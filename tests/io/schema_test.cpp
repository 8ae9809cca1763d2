#include "hooke/io/document/schema.h"

#include <gtest/gtest.h>

namespace hooke {
namespace {

enum class Shape { box, ball };
constexpr auto names(Shape) { return std::array{"box", "ball"}; }

struct Part {
  double mass = 0;
  Shape shape = Shape::ball;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();
  double step = 0;

  template <class Visitor>
  static void describe(Visitor& field) {
    field("mass", &Part::mass, Doc{.text = "total mass", .unit = "kg", .required = true, .check = positive});
    field("shape", &Part::shape, Doc{.text = "how it is drawn"});
    field("axis", &Part::axis, Doc{.text = "main axis"});
    field("step", &Part::step,
          Doc{.text = "step", .unit = "s", .check = non_negative, .default_text = "automatic"});
  }
};

struct Sum;
struct Constant {
  static constexpr const char* name = "constant";
  static constexpr const char* shorthand = "value";
  double value = 0;
  static void describe(auto& field) {
    field("value", &Constant::value, Doc{.text = "the value", .required = true});
  }
};
struct Sum {
  static constexpr const char* name = "sum";
  std::vector<std::variant<Constant, Sum>> terms;
  static void describe(auto& field) {
    field("terms", &Sum::terms, Doc{.text = "what to add", .required = true});
  }
};

std::string property(const Json& schema, const char* key) {
  return schema.find("properties")->find(key)->dump();
}

TEST(Json, IsWrittenOnOneLineOrIndented) {
  Json json = Json::Object{{"a", 1}, {"b", Json::List{true, 0.5, "x\"\n"}}};
  json["c"]["d"] = Json();
  EXPECT_EQ(json.dump(), "{\"a\": 1, \"b\": [true, 0.5, \"x\\\"\\u000a\"], \"c\": {\"d\": null}}");
  EXPECT_EQ(Json(Json::Object{{"a", Json::List{1, 2}}}).dump(2), "{\n  \"a\": [\n    1,\n    2\n  ]\n}");
  EXPECT_EQ(Json(Json::List{}).dump(2), "[]");
}

TEST(Schema, Fields) {
  const TypeCatalog none;
  Schema schema(none);
  const Json part = schema.of<Part>();
  EXPECT_EQ(part.find("required")->dump(), "[\"mass\"]");
  EXPECT_EQ(part.find("additionalProperties")->dump(), "false");
  EXPECT_EQ(
      property(part, "mass"),
      "{\"anyOf\": [{\"type\": \"number\", \"exclusiveMinimum\": 0}, {\"$ref\": \"#/$defs/expression\"}], "
      "\"description\": \"total mass [kg]\"}");
  EXPECT_EQ(property(part, "shape"),
            "{\"enum\": [\"box\", \"ball\"], \"description\": \"how it is drawn\", \"default\": \"ball\"}");
  EXPECT_NE(property(part, "axis").find("\"minItems\": 3, \"maxItems\": 3"), std::string::npos);
  EXPECT_NE(property(part, "axis").find("{\"enum\": [\"x\", \"y\", \"z\", \"-x\", \"-y\", \"-z\"]}"),
            std::string::npos);
  EXPECT_NE(property(part, "axis").find("\"default\": [1, 0, 0]"), std::string::npos);
  EXPECT_NE(property(part, "step").find("\"description\": \"step [s] (default: automatic)\"}"),
            std::string::npos);
}

TEST(Schema, DefinitionsMayContainThemselves) {
  const TypeCatalog none;
  Schema schema(none);
  Json root = schema.of<std::variant<Constant, Sum>>();
  const Json document = schema.document(root, "test");
  EXPECT_EQ(document.find("$schema")->dump(), "\"https://json-schema.org/draft/2020-12/schema\"");
  const Json* definitions = document.find("$defs");
  ASSERT_TRUE(definitions->find("constant") && definitions->find("sum") && definitions->find("expression"));
  EXPECT_NE(definitions->find("sum")->dump().find("{\"$ref\": \"#/$defs/sum\"}"), std::string::npos);
  EXPECT_NE(definitions->find("constant")->dump().find("anyOf"), std::string::npos);
}

TEST(Schema, NamedThingsAndKinds) {
  const TypeCatalog none;
  Schema schema(none);
  EXPECT_NE(schema.of<Named<bool>>().dump().find(
                "\"additionalProperties\": {\"anyOf\": [{\"type\": \"boolean\"}, {\"type\": \"null\"}]}"),
            std::string::npos);
  const Json kinds = Schema::one_of({{"a", true}, {"b", true}});
  EXPECT_EQ(kinds.find("oneOf")->dump(),
            "[{\"required\": [\"a\"], \"properties\": {\"a\": {\"not\": {\"type\": \"null\"}}}}, "
            "{\"required\": [\"b\"], \"properties\": {\"b\": {\"not\": {\"type\": \"null\"}}}}]");
}

TEST(Schema, TableForTheDocumentation) {
  EXPECT_EQ(table_of<Part>(),
            "| key | meaning | unit | default | allowed |\n"
            "| --- | --- | --- | --- | --- |\n"
            "| `mass` | total mass | kg | required | positive |\n"
            "| `shape` | how it is drawn |  | \"ball\" | box or ball |\n"
            "| `axis` | main axis |  | [1, 0, 0] |  |\n"
            "| `step` | step | s | automatic | zero or positive |\n");
}

}  // namespace
}  // namespace hooke
