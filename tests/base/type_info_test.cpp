// The table made of a description: fields where they are, members flattened, lists and choices filled.
#include "hooke/base/type_info.h"

#include <gmock/gmock.h>

#include "hooke/base/any.h"
#include "hooke/base/validate.h"

namespace hooke {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = TypeInfo::Kind;

enum class Shape { box, ball };
constexpr auto names(Shape) { return std::array{"box", "ball"}; }

struct Place {
  double x = 1, y = 2;
  static void describe(auto& field) {
    field("x", &Place::x, Doc{.text = "to the right"});
    field("y", &Place::y, Doc{.text = "up", .unit = "m", .required = true});
  }
  void check(const Complain& complain) const {
    if (x > y) complain("x", "must not exceed y");
  }
};

struct Circle {
  static constexpr const char* name = "circle";
  static constexpr const char* shorthand = "radius";
  double radius = 3;
  static void describe(auto& field) { field("radius", &Circle::radius, Doc{}); }
};
struct Square {
  static constexpr const char* name = "square";
  static constexpr const char* definition = "plane-square";
  double side = 4;
  static void describe(auto& field) { field("side", &Square::side, Doc{}); }
};

struct Base {
  int count = 5;
  static void describe(auto& field) { field("count", &Base::count, Doc{}); }
};

struct Part : Base {
  static constexpr const char* example = "{circle: 1, x: 2}";
  std::variant<Circle, Square> section;
  Shape shape = Shape::ball;
  bool visible = true;
  std::string label = "part";
  Place place{.x = 7, .y = 8};
  std::optional<double> damping;
  std::vector<double> stations;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();
  std::array<int, 2> range{0, 1};
  Named<Circle> holes;

  static void describe(auto& field) {
    field("", &Part::section, Doc{.text = "section"});
    Base::describe(field);
    field("shape", &Part::shape, Doc{});
    field("visible", &Part::visible, Doc{});
    field("label", &Part::label, Doc{});
    field.flat(&Part::place);
    field("damping", &Part::damping, Doc{});
    field("stations", &Part::stations, Doc{});
    field("axis", &Part::axis, Doc{});
    field("range", &Part::range, Doc{});
    field("holes", &Part::holes, Doc{});
  }
  void check(const Complain& complain) const {
    if (count < 0) complain("count", "must not be negative");
  }
};

struct Doubtful {
  double mass = 0;
  static void describe(auto& field) { field("mass", &Doubtful::mass, Doc{.check = non_negative}); }
  void doubt(const Complain& warn) const {
    if (mass == 0) warn("mass", "is zero");
    if (mass > 10) warn("", "is heavy");
  }
};
struct Holder {
  double before = 0;
  Doubtful own;
  std::vector<Doubtful> more;
  static void describe(auto& field) {
    field("before", &Holder::before, Doc{});
    field.flat(&Holder::own);
    field("more", &Holder::more, Doc{});
  }
};

/// A structure with a flattened member that has one itself.
struct Whole {
  double before = 0;
  Part part;
  static void describe(auto& field) {
    field("before", &Whole::before, Doc{});
    field.flat(&Whole::part);
  }
};

std::vector<std::string> complaints(const TypeInfo& type, const void* object) {
  std::vector<std::string> all;
  const Complain complain = [&](const char* key, const std::string& message) {
    all.push_back(std::string(key) + " " + message);
  };
  for (const TypeInfo::Check& check : type.checks)
    check.run(static_cast<const char*>(object) + check.offset, complain);
  return all;
}

TEST(TypeInfo, IsMadeOnceForEachType) {
  EXPECT_EQ(&type_of<Part>(), &type_of<Part>());
  EXPECT_NE(&type_of<Circle>(), &type_of<Square>());
  EXPECT_TRUE(type_of<Part>().find("shape")->type == &type_of<Shape>);
}

TEST(TypeInfo, KindsOfFields) {
  const TypeInfo& type = type_of<Part>();
  EXPECT_EQ(type.kind, Kind::structure);
  EXPECT_STREQ(type.example, "{circle: 1, x: 2}");
  EXPECT_THAT(type.keys(), ElementsAre("count", "shape", "visible", "label", "x", "y", "damping", "stations",
                                       "axis", "range", "holes"));
  const auto kind = [&](const char* key) { return type.find(key)->type().kind; };
  EXPECT_EQ(kind(""), Kind::choice);
  EXPECT_EQ(kind("count"), Kind::whole);
  EXPECT_EQ(kind("shape"), Kind::word);
  EXPECT_EQ(kind("visible"), Kind::boolean);
  EXPECT_EQ(kind("label"), Kind::text);
  EXPECT_EQ(kind("x"), Kind::number);
  EXPECT_EQ(kind("damping"), Kind::optional);
  EXPECT_EQ(kind("stations"), Kind::list);
  EXPECT_EQ(kind("axis"), Kind::list);
  EXPECT_EQ(kind("holes"), Kind::named);
  EXPECT_EQ(type.find("nothing"), nullptr);
  EXPECT_TRUE(type.find("y")->doc.required);
  EXPECT_STREQ(type.find("y")->doc.unit, "m");
}

TEST(TypeInfo, FieldsAreWhereTheyAre) {
  const TypeInfo& type = type_of<Part>();
  Part part;
  EXPECT_EQ(type.find("")->in(&part), &part.section);
  EXPECT_EQ(type.find("count")->in(&part), &part.count) << "of a base";
  EXPECT_EQ(type.find("shape")->in(&part), &part.shape);
  EXPECT_EQ(type.find("label")->in(&part), &part.label);
  EXPECT_EQ(type.find("x")->in(&part), &part.place.x) << "of a member";
  EXPECT_EQ(type.find("y")->in(&part), &part.place.y);
  EXPECT_EQ(type.find("holes")->in(&part), &part.holes);
  const Part& constant = part;
  EXPECT_EQ(type.find("axis")->in(&constant), &part.axis);
}

TEST(TypeInfo, MembersOfMembersAreFlattened) {
  const TypeInfo& type = type_of<Whole>();
  Whole whole;
  EXPECT_EQ(type.find("before")->in(&whole), &whole.before);
  EXPECT_EQ(type.find("")->in(&whole), &whole.part.section);
  EXPECT_EQ(type.find("count")->in(&whole), &whole.part.count);
  EXPECT_EQ(type.find("y")->in(&whole), &whole.part.place.y);
  EXPECT_EQ(type.fields.size(), 1 + type_of<Part>().fields.size());
}

TEST(TypeInfo, DefaultsAreThoseOfAFreshObject) {
  const TypeInfo& type = type_of<Part>();
  const auto number = [&](const char* key) {
    return *static_cast<const double*>(type.find(key)->in(type.defaults.get()));
  };
  EXPECT_EQ(number("x"), 7);
  EXPECT_EQ(number("y"), 8);
  EXPECT_EQ(*static_cast<const std::string*>(type.find("label")->in(type.defaults.get())), "part");
}

TEST(TypeInfo, ChecksOfFlattenedMembersRunToo) {
  Part part;
  EXPECT_THAT(complaints(type_of<Part>(), &part), IsEmpty());
  part.place.x = 9;
  EXPECT_THAT(complaints(type_of<Part>(), &part), ElementsAre("x must not exceed y"));
  part.count = -1;
  EXPECT_THAT(complaints(type_of<Part>(), &part),
              ElementsAre("x must not exceed y", "count must not be negative"));
  Whole whole;
  EXPECT_THAT(complaints(type_of<Whole>(), &whole), IsEmpty());
  whole.part = part;
  EXPECT_THAT(complaints(type_of<Whole>(), &whole),
              ElementsAre("x must not exceed y", "count must not be negative"));
}

TEST(TypeInfo, DoubtsAreFoundWhereverTheyAreAndAreNoErrors) {
  Holder holder;
  holder.more = {{5}, {11}, {0}};
  std::vector<std::string> said;
  const auto note = [&](const std::string& path, const std::string& message) {
    said.push_back(path + " " + message);
  };
  doubt(type_of<Holder>(), &holder, "it", note);
  EXPECT_THAT(said, ElementsAre("it.more[1] is heavy", "it.more[2].mass is zero", "it.mass is zero"));
  said.clear();
  validate(type_of<Holder>(), &holder, "it", note);
  EXPECT_THAT(said, IsEmpty());
}

TEST(TypeInfo, Words) {
  const TypeInfo& type = type_of<Shape>();
  EXPECT_THAT(type.words, ElementsAre("box", "ball"));
  Shape shape = Shape::box;
  type.set_word(&shape, 1);
  EXPECT_EQ(shape, Shape::ball);
  EXPECT_EQ(type.get_word(&shape), 1);
}

TEST(TypeInfo, ListsOfAnyLength) {
  const TypeInfo& type = type_of<std::vector<double>>();
  std::vector<double> list{1, 2, 3};
  EXPECT_EQ(type.count, -1);
  EXPECT_EQ(type.size(&list), 3u);
  EXPECT_EQ(type.item(&list, 2), &list[2]);
  type.resize(&list, 2);
  EXPECT_THAT(list, ElementsAre(0, 0)) << "fresh items";
  *static_cast<double*>(type.item(&list, 1)) = 5;
  EXPECT_EQ(*static_cast<const double*>(type.item_of(&list, 1)), 5);
}

TEST(TypeInfo, ListsOfFixedLength) {
  Eigen::Vector3d vector(1, 2, 3);
  EXPECT_EQ(type_of<Eigen::Vector3d>().count, 3);
  EXPECT_EQ(type_of<Eigen::Vector3d>().size(&vector), 3u);
  EXPECT_EQ(type_of<Eigen::Vector3d>().item(&vector, 1), &vector[1]);
  std::array<int, 2> range{};
  EXPECT_EQ((type_of<std::array<int, 2>>().count), 2);
  EXPECT_EQ((type_of<std::array<int, 2>>().item(&range, 1)), &range[1]);
  EXPECT_EQ((type_of<std::array<int, 2>>().item_type().kind), Kind::whole);
}

TEST(TypeInfo, ThingsByName) {
  const TypeInfo& type = type_of<Named<Circle>>();
  Named<Circle> holes;
  holes["b"].radius = 1;
  holes["a"].radius = 2;
  ASSERT_EQ(type.size(&holes), 2u);
  EXPECT_EQ(type.key_of(&holes, 0), "b");
  EXPECT_EQ(type.item(&holes, 1), &holes["a"]);
  EXPECT_EQ(&type.item_type(), &type_of<Circle>());
  type.resize(&holes, 1);
  *type.key(&holes, 0) = "c";
  EXPECT_EQ(holes.at("c").radius, 3);
  EXPECT_EQ(holes.find("a"), nullptr);
}

TEST(TypeInfo, Optionals) {
  const TypeInfo& type = type_of<std::optional<double>>();
  std::optional<double> value = 4;
  EXPECT_EQ(type.size(&value), 1u);
  EXPECT_EQ(type.item(&value, 0), &*value);
  type.resize(&value, 0);
  EXPECT_FALSE(value);
  type.resize(&value, 1);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(type.item_type().kind, Kind::number);
}

TEST(TypeInfo, Choices) {
  using Section = std::variant<Circle, Square>;
  const TypeInfo& type = type_of<Section>();
  Section section;
  ASSERT_EQ(type.alternatives.size(), 2u);
  EXPECT_STREQ(type.alternatives[1]().name, "square");
  EXPECT_STREQ(type.alternatives[1]().definition, "plane-square");
  EXPECT_STREQ(type.alternatives[0]().definition, "circle") << "its name, unless it says otherwise";
  EXPECT_STREQ(type.alternatives[0]().shorthand, "radius");
  EXPECT_EQ(type.chosen(&section), &type_of<Circle>());
  std::get<Circle>(section).radius = 9;
  auto* square = static_cast<Square*>(type.choose(&section, 1));
  EXPECT_EQ(square, &std::get<Square>(section));
  EXPECT_EQ(square->side, 4);
  EXPECT_EQ(type.chosen(&section), &type_of<Square>());
  EXPECT_EQ(type.chosen_of(&section), square);
  type.choose(&section, 0);
  EXPECT_EQ(std::get<Circle>(section).radius, 3) << "with its defaults";
}

// ---- settings of any type ----

struct AreaContract {
  static constexpr const char* group = "area";
  static constexpr const char* example = "{circle: 1}";
  struct Operations {
    double (*size)(const void*);
  };
  template <class T>
  static constexpr bool accepts = requires(const T& s) {
    s.area();
  };
  template <class T>
  static Operations operations_of() {
    return {[](const void* s) { return static_cast<const T*>(s)->area(); }};
  }
};
struct Disc : Circle {
  static constexpr const char* name = "disc";
  double area() const { return 3 * radius * radius; }
};
struct Tile {
  static constexpr const char* name = "tile";
  double side = 2;
  static void describe(auto& field) { field("side", &Tile::side, Doc{}); }
  double area() const { return side * side; }
};
using AnyArea = Any<AreaContract>;
static_assert(std::is_constructible_v<AnyArea, Tile>);
static_assert(!std::is_constructible_v<AnyArea, Square>, "it has no area()");

TEST(Any, HoldsSettingsOfAnyTypeByValue) {
  AnyArea area;
  EXPECT_FALSE(area.has_value());
  EXPECT_EQ(area.name(), "");
  area = Tile{.side = 5};
  EXPECT_EQ(area.name(), "tile");
  EXPECT_EQ(area->size(area.data()), 25);
  AnyArea copy = area;
  copy.get_if<Tile>()->side = 1;
  EXPECT_EQ(area->size(area.data()), 25) << "a copy is a copy of what is inside";
  EXPECT_EQ(area.get_if<Disc>(), nullptr);
  area = Disc{};
  EXPECT_EQ(area->size(area.data()), 27);
  EXPECT_EQ(&area.type(), &type_of<Disc>());
}

TEST(Any, IsAnOpenChoiceThatACatalogFills) {
  const TypeInfo& type = type_of<AnyArea>();
  EXPECT_EQ(type.kind, Kind::open);
  EXPECT_STREQ(type.name, "area");
  EXPECT_STREQ(type.example, "{circle: 1}");
  TypeCatalog catalog;
  EXPECT_THAT(catalog.names("area"), IsEmpty());
  catalog.add<AreaContract, Tile>();
  catalog.add<AreaContract, Disc>();
  EXPECT_THAT(catalog.names("area"), ElementsAre("tile", "disc"));
  AnyArea area;
  EXPECT_EQ(type.chosen(&area), nullptr);
  void* made = catalog.of("area")[0].choose(&area);
  EXPECT_EQ(made, area.get_if<Tile>());
  EXPECT_EQ(type.chosen(&area), &type_of<Tile>());
  EXPECT_EQ(type.chosen_of(&area), made);
  const TypeCatalog copy = catalog;
  catalog.add<AreaContract, Tile>();
  EXPECT_EQ(catalog.names("area").size(), 2u) << "the same name takes the same place";
  EXPECT_THAT(copy.names("area"), ElementsAre("tile", "disc"));
}

}  // namespace
}  // namespace hooke
