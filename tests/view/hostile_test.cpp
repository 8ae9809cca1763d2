// What is read is data: no text of a results file becomes markup, whatever it looks like.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hooke/view/chart.h"
#include "hooke/view/gltf.h"
#include "hooke/view/markup.h"
#include "hooke/view/page.h"
#include "hooke/view/report.h"
#include "hooke/view/vtk.h"
#include "hostile_results.h"

namespace hooke {
namespace {

using namespace testing_view;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Markup, TextStaysText) {
  EXPECT_EQ(escape_xml("<a b=\"c\" d='e'>&\x01\x1b\r\n"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\n");
  EXPECT_EQ(escape_json("{\"a\": \"</script><!--\"}"), "{\"a\": \"\\u003c/script>\\u003c!--\"}");
}

TEST(Markup, WhatIsNotUtf8IsReplaced) {
  const std::string good = "a ä 机 \U0001F600";
  EXPECT_EQ(valid_utf8(good), good);
  for (const std::string bad : {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80",
                                "\xef\xbf\xbf", "\xf5\x80\x80\x80", "\xf0\x80\x80\xaf", "\xf9\xbf\xbf\xbf"})
    EXPECT_THAT(valid_utf8("<" + bad + ">"),
                AllOf(HasSubstr("<\uFFFD"), HasSubstr(">"), Not(HasSubstr(bad))));
}

TEST(Markup, ClipsCharactersNotBytes) {
  EXPECT_EQ(clipped("机构机构", 4), "机构机构");
  EXPECT_EQ(clipped("机构机构机", 4), "机构机…");
  EXPECT_EQ(count_characters("机构"), 2u);
}

struct HostileTest : testing::Test {
  Folder folder;
  std::string path = folder("results.h5");
  HostileTest() { write_hostile_results(path); }
};

/// In an exported page, between its own head and its own script.
TEST_F(HostileTest, PageHoldsNothingButItsOwnElements) {
  const std::string file = folder("page.html");
  export_page({{"<label>", std::make_shared<ResultsReader>(path)}}, file);
  const std::string text = read_all(file);
  const std::string_view page = empty_page();
  const std::size_t begin = page.find("<!--data-->"), tail = page.size() - begin - 11;
  ASSERT_EQ(text.substr(0, begin), page.substr(0, begin));
  ASSERT_EQ(text.substr(text.size() - tail), page.substr(begin + 11));
  std::string_view data = std::string_view(text).substr(begin, text.size() - tail - begin);
  constexpr std::string_view about = "<script type=\"application/json\" id=\"runs\">",
                             piece = "<script type=\"text/plain\" id=\"data/";
  int elements = 0;
  for (; !data.empty(); ++elements) {
    const std::size_t close = data.find('<', 1);
    const std::string_view id = data.substr(piece.size(), data.find('>') - 1 - piece.size());
    ASSERT_TRUE(data.starts_with(about) ||
                (data.starts_with(piece) && id.find_first_not_of("/0123456789") == id.npos))
        << data.substr(0, 100);
    ASSERT_TRUE(data.substr(close).starts_with("</script>\n")) << data.substr(close, 100);
    data.remove_prefix(close + 10);
  }
  EXPECT_GT(elements, 20);
}

TEST_F(HostileTest, PolicyKnowsItsScriptByHash) {
  EXPECT_THAT(std::string(page_policy()),
              AllOf(HasSubstr("default-src 'none'"), HasSubstr("script-src 'sha256-"),
                    HasSubstr("style-src 'sha256-"), Not(HasSubstr("unsafe"))));
}

TEST_F(HostileTest, ReportHasNoElementsOfOthers) {
  const std::string html = make_report(ResultsReader(path), "<label>", {});
  EXPECT_THAT(html, AllOf(HasSubstr("http-equiv=\"Content-Security-Policy\""), HasSubstr("&lt;img src=x"),
                          Not(HasSubstr("<script")), Not(HasSubstr("<img")), Not(HasSubstr("<label")),
                          Not(HasSubstr("' onmouseover='"))));
  EXPECT_EQ(valid_utf8(html), html);
}

TEST_F(HostileTest, PlotsAreAsWideAsTheyShouldBe) {
  const ResultsReader results(path);
  const std::string svg =
      draw_chart(read_curves({{"", &results}}, {"*.angle"}), {.title = hostile_texts()[0]});
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<img")), HasSubstr("nnn…")));
  EXPECT_EQ(valid_utf8(svg), svg);
}

TEST_F(HostileTest, OtherFormatsAreWritten) {
  const ResultsReader results(path);
  export_vtk(results, folder("a<b&\"c.pvd"));
  export_gltf(results, folder("motion.glb"));
  EXPECT_THAT(read_all(folder("a<b&\"c.pvd")),
              HasSubstr("file=\"a&lt;b&amp;&quot;c/a&lt;b&amp;&quot;c_000000.vtu\""));
  EXPECT_THAT(read_all(folder("a<b&\"c/a<b&\"c_000000.vtu")), HasSubstr("Name=\"x&quot;&gt;&lt;img "));
}

}  // namespace
}  // namespace hooke
