#include "inspect/json_export.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "inspect/example.h"

namespace tinylm {
namespace {

TEST(JsonExport, ReadsBackToTheSameValues) {
  const Inspection inspection = test::example();
  const nlohmann::json json = nlohmann::json::parse(inspection_json(inspection));
  EXPECT_EQ(json.at("ids"), nlohmann::json({2, 3, 4}));
  EXPECT_EQ(json.at("text"), nlohmann::json({"a", "b", "\n"}));
  EXPECT_EQ(json.at("labels"), nlohmann::json({"a", "b", "\u23CE"}));
  EXPECT_EQ(json.at("losses_nats"), nlohmann::json({nullptr, 0.5, 2.25}));
  const auto weights = json.at("attention").get<std::vector<std::vector<std::vector<std::vector<float>>>>>();
  for (std::size_t head = 0; head < 2; ++head) {
    for (std::size_t q = 0; q < 3; ++q) {
      EXPECT_TRUE(torch::tensor(weights.at(0).at(head).at(q))
                      .equal(inspection.attention[0][static_cast<std::int64_t>(head)][static_cast<std::int64_t>(q)]));
    }
  }
}

TEST(JsonExport, WritesFloatsInTheirShortestFormAndNullForNaN) {
  Inspection inspection = test::example();
  inspection.attention[0][0][1][1] = std::numeric_limits<float>::quiet_NaN();
  const std::string json = inspection_json(inspection);
  EXPECT_NE(json.find("\"attention\":[[[[1,0,0],[0,null,0],[0,0,1]],[[1,0,0],[0.5,0.5,0],[0.1,0.2,0.7]]]]}"),
            std::string::npos)
      << json;
}

TEST(JsonExport, FileIsTheObjectAndANewline) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "json_export_test" / "map.json";
  write_json(test::example(), file);
  EXPECT_EQ(read_file(file), inspection_json(test::example()) + "\n");
}

}  // namespace
}  // namespace tinylm
