#include <zip.h>

#include "support/fmu_mutations.h"

namespace hooke {
namespace {

void expect_refused(const std::string& archive, const std::string& words) {
  try {
    const FmuFile fmu(archive);
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Archives, NamesThatLeadOutAreRefused) {
  TemporaryFolder work;
  const std::string archive = (work.path() / "bad.fmu").string();
  for (const auto& [name, words] :
       std::vector<std::pair<std::string, std::string>>{{"../evil", "leads out"},
                                                        {"a/../../evil", "leads out"},
                                                        {"/evil", "no relative path"},
                                                        {"C:evil", "no relative path"},
                                                        {"a\\..\\evil", "no relative path"},
                                                        {"a\nb", "control character"},
                                                        {std::string(2000, 'a'), "more than 1000"}}) {
    write_zip(archive, {{"modelDescription.xml", "<a/>"}, {name, "evil"}});
    expect_refused(archive, words);
  }
  EXPECT_FALSE(fs::exists(fs::temp_directory_path() / "evil"));
  write_zip(archive, {{"modelDescription.xml", "<a/>"}, {"b", "1"}, {"./b", "2"}});
  expect_refused(archive, "leads out");
}

TEST(Archives, LinksAndBombsAreRefused) {
  TemporaryFolder work;
  const std::string archive = (work.path() / "bad.fmu").string();
  write_zip(archive, {{"modelDescription.xml", "<a/>"}, {"link", "/etc"}});
  zip_t* zip = zip_open(archive.c_str(), 0, nullptr);
  zip_file_set_external_attributes(zip, 1, 0, ZIP_OPSYS_UNIX, 0120777u << 16);
  zip_close(zip);
  expect_refused(archive, "is a link");

  write_zip(archive, {{"modelDescription.xml", "<a/>"}, {"zeros", std::string(60 << 20, '\0')}});
  std::string bytes = bytes_of(archive);  // it says that it is small
  const std::string size("\x00\x00\xc0\x03", 4);
  for (std::size_t at = bytes.find(size); at != bytes.npos; at = bytes.find(size, at + 4))
    bytes.replace(at, 4, "\x09\0\0\0", 4);
  put_bytes(archive, bytes);
  expect_refused(archive, "");
}

/// Sizes follow the data, and local headers say less than the directory.
TEST(Archives, ThoseWrittenAsStreamsAreRead) {
  TemporaryFolder work;
  const std::string archive = (work.path() / "stream.fmu").string();
  write_zip(archive, {{"a.txt", "some words"}});
  std::string bytes = bytes_of(archive);
  bytes[6] |= 8;
  std::fill(bytes.begin() + 14, bytes.begin() + 22, '\0');  // checksum and compressed size
  bytes[bytes.find("PK\1\2") + 8] |= 8;
  put_bytes(archive, bytes);
  unpack_zip(archive, work.path() / "there");
  EXPECT_EQ(bytes_of((work.path() / "there/a.txt").string()), "some words");
}

TEST(Archives, DescriptionsAreChecked) {
  const std::string head = R"(<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g">)",
                    kind = R"(<CoSimulation modelIdentifier="m"/>)", tail = "</fmiModelDescription>";
  const auto expect_words = [&](const std::string& text, const std::string& words) {
    try {
      read_fmu_description(text, "x.xml");
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  expect_words("", "is no XML");
  expect_words("<a/>", "no element fmiModelDescription");
  expect_words(R"(<fmiModelDescription fmiVersion="1.0"/>)", "2.0 and 3.0 are understood");
  expect_words(head + tail, "neither co-simulation nor model exchange");
  expect_words(head + R"(<CoSimulation modelIdentifier="../m"/>)" + tail, "no name of a library");
  expect_words(head + kind + "<ModelVariables/>" + tail, "no ModelStructure");
  const auto with = [&](const std::string& variable, const std::string& structure) {
    return head + kind + "<ModelVariables>" + variable + "</ModelVariables><ModelStructure>" + structure +
           "</ModelStructure>" + tail;
  };
  expect_words(with(R"(<ScalarVariable name="a" valueReference="-1"><Real/></ScalarVariable>)", ""),
               "no value reference");
  expect_words(with(R"(<ScalarVariable name="a" valueReference="1"><Complex/></ScalarVariable>)", ""),
               "no type");
  expect_words(
      with(R"(<ScalarVariable name="a" valueReference="1" causality="in"><Real/></ScalarVariable>)", ""),
      "causality cannot be 'in'");
  expect_words(with("", R"(<Outputs><Unknown index="7"/></Outputs>)"), "which is not there");
  const std::string twice = R"(<ScalarVariable name="a" valueReference="1"><Real/></ScalarVariable>)";
  expect_words(with(twice + twice, ""), "two variables are called 'a'");
}

TEST(Archives, WhatIsWrittenIsRead) {
  TemporaryFolder work;
  for (const int version : {2, 3}) {
    const FmuFile fmu(small_fmu(work.path(), version));
    EXPECT_EQ(fmu.description.version, version);
    EXPECT_TRUE(fmu.description.warnings.empty()) << fmu.description.warnings.front();
    EXPECT_EQ(fmu.description.with_causality("input").size(), 3u);
    EXPECT_TRUE(fmu.description.saves_states && fmu.description.co_simulation &&
                fmu.description.model_exchange);
    EXPECT_EQ(fmu.description.states, 24u);
    EXPECT_EQ(fmu.number("torque", "input").width, 1u);
    EXPECT_THROW(fmu.number("torqe", "input"), Error);
  }
  EXPECT_EQ(bytes_of(small_fmu(work.path(), 2)), bytes_of(small_fmu(work.path(), 2)));
}

TEST(Archives, DamagedOnesEndInWords) { expect_all_are_met(400, 1); }

}  // namespace
}  // namespace hooke
