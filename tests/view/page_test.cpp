#include "hooke/view/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "hooke/base/error.h"
#include "hooke/view/server.h"
#include "some_results.h"

namespace hooke {
namespace {

using namespace testing_view;
using testing::HasSubstr;
using testing::Not;

struct PageTest : testing::Test {
  Folder folder;
  std::string path = folder("results.h5");
  PageTest() { simulate(crank, path); }
  std::vector<ViewedRun> open() { return {{"crank", std::make_shared<ResultsReader>(path)}}; }
};

TEST_F(PageTest, PiecesAreTheNumbersOfTheFile) {
  const std::vector<ViewedRun> runs = open();
  const std::string bytes = read_piece(runs, "0/1/0");  // bodies/position
  const ResultsReader& results = *runs[0].results;
  ASSERT_EQ(bytes.size(), results.frames() * 9 * sizeof(float));
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  const std::vector<double> y = results.read("body.ball.position.y");
  for (std::size_t frame = 0; frame < y.size(); ++frame)
    EXPECT_FLOAT_EQ(numbers[9 * frame + 4], static_cast<float>(y[frame]));
  EXPECT_EQ(read_piece(runs, "0/0/0").size(), results.frames() * sizeof(double));
}

TEST_F(PageTest, ThereIsNothingElse) {
  const std::vector<ViewedRun> runs = open();
  for (const char* name :
       {"", "0", "0/", "0/0", "0/0/", "0/0/1", "0/0/-1", "0/0/0x0", "1/0/0", "/0/0", "0/999/0", "0/time/0",
        "0/../0/0", "0//0/0", "0/ 0/0", "0/+0/0", "99999999999/0/0", "0/99999999999/0"})
    EXPECT_EQ(read_piece(runs, name), "") << name;
}

/// Coordinates and springs are angles or lengths, each with a unit of its own.
TEST_F(PageTest, EveryColumnHasItsUnit) {
  const std::string text = describe_runs(open());
  const auto units = [&](const std::string& set) {
    const std::size_t at = text.find("[", text.find("\"units\": ", text.find("\"path\": \"" + set + "\"")));
    return text.substr(at, text.find(']', at) + 1 - at);
  };
  EXPECT_THAT(units("coordinates/value"), testing::StartsWith("[\"rad\", "));
  EXPECT_THAT(units("coordinates/value"), testing::EndsWith(", \"m\"]"));
  EXPECT_THAT(units("coordinates/rate"), testing::EndsWith(", \"m/s\"]"));
  EXPECT_EQ(units("springs/length"), "[\"m\"]");
  EXPECT_EQ(units("bodies/position"), "[]");
}

TEST_F(PageTest, ExportedPageIsWhole) {
  const std::string page = folder("sub/page.html");
  export_page(open(), page);
  const std::string text = read_all(page);
  EXPECT_TRUE(text.starts_with("<!doctype html>"));
  EXPECT_TRUE(text.ends_with("</html>\n"));
  EXPECT_THAT(text, HasSubstr("id=\"data/0/2/0\""));
  EXPECT_THAT(text, HasSubstr("A \\u003c/script> crank"));  // a title cannot end the script
  EXPECT_THAT(text, Not(HasSubstr("<!--data-->")));
  EXPECT_THROW(export_page(open(), page + "/no/folder"), Error);
}

struct ServerTest : PageTest {
  ViewServer server{[this] { return open(); }};
  std::string root = server.address().substr(server.address().find('/', 8));
  std::string host = "127.0.0.1:" + std::to_string(server.port());
  int status(Request request) {
    if (request.method.empty()) request.method = "GET";
    if (request.host.empty()) request.host = host;
    return server.answer(request).status;
  }
};

TEST_F(ServerTest, ServesThePageAndItsNumbers) {
  EXPECT_EQ(status({.path = root}), 200);
  EXPECT_EQ(status({.path = root + "runs.json"}), 200);
  EXPECT_EQ(status({.path = root + "data/0/0/0"}), 200);
  EXPECT_EQ(status({.method = "HEAD", .path = root}), 200);
  EXPECT_EQ(status({.path = root, .host = "localhost:" + std::to_string(server.port())}), 200);
  EXPECT_EQ(status({.path = root + "runs.json", .origin = "http://" + host, .site = "same-origin"}), 200);
}

/// Pages that ask for the same get the same text: it is made once.
TEST_F(ServerTest, DescribesAFinishedRunOnce) {
  const Request request{.method = "GET", .path = root + "runs.json", .host = host};
  EXPECT_EQ(server.answer(request).body, server.answer(request).body);
}

TEST_F(ServerTest, RefusesEverybodyElse) {
  EXPECT_EQ(status({.path = root, .host = "evil.example:" + std::to_string(server.port())}), 403);
  EXPECT_EQ(status({.path = root, .host = "127.0.0.1"}), 403);
  EXPECT_EQ(status({.path = root, .origin = "http://evil.example"}), 403);
  EXPECT_EQ(status({.path = root, .origin = "null"}), 403);
  EXPECT_EQ(status({.path = root, .origin = "https://" + host}), 403);
  EXPECT_EQ(status({.path = root + "runs.json", .site = "cross-site"}), 403);
  EXPECT_EQ(status({.path = root + "runs.json", .site = "same-site"}), 403);
  EXPECT_EQ(status({.method = "POST", .path = root}), 405);
  for (const std::string& name :
       {std::string("/"), std::string(""), std::string("/runs.json"), root.substr(0, root.size() - 1),
        "/" + root, root + "..", root + "../", root + "%2e%2e/", root + "data/0/../../etc/passwd",
        root + "data//etc/passwd", root + "results.h5", root + "?",
        std::string("/0123456789abcdef0123456789abcdef/runs.json")})
    EXPECT_EQ(status({.path = name}), 404) << name;
}

TEST(Requests, AreParsedStrictly) {
  Request request;
  EXPECT_TRUE(
      parse_request("GET /a/b HTTP/1.1\r\nHOST:  h:1 \r\nOrigin: o\r\nsec-fetch-site: none\r\n", request));
  EXPECT_EQ(request.method + request.path + request.host + request.origin + request.site, "GET/a/bh:1onone");
  EXPECT_FALSE(request.is_last);
  for (const char* text :
       {"GET / HTTP/1.0\r\n", "GET / HTTP/1.1\r\nConnection: Close\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 5\r\n", "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"}) {
    EXPECT_TRUE(parse_request(text, request)) << text;
    EXPECT_TRUE(request.is_last) << text;
  }
  for (const char* text : {"", "\r\n", "GET\r\n", "GET /\r\n", "GET / FTP/1\r\n", "GET / HTTP/1.1", "\0\r\n"})
    EXPECT_FALSE(parse_request(text, request)) << text;
}

}  // namespace
}  // namespace hooke
