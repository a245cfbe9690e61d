#include "inspect/npy.h"

#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "inspect/example.h"

namespace tinylm {
namespace {

TEST(Npy, HasTheBytesOfTheFormat) {
  const std::string bytes = npy_bytes(torch::tensor({{1.0F, -2.0F}}));
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);  // 0x76 = 118 = 128 - 10
  expected += dictionary + std::string(118 - dictionary.size() - 1, ' ') + "\n";
  expected += std::string("\x00\x00\x80\x3F\x00\x00\x00\xC0", 8);  // IEEE 754, little-endian
  EXPECT_EQ(bytes, expected);
}

TEST(Npy, DataBeginsAtAMultipleOf64ForEveryShape) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{}, {3}, {1, 12, 256, 2}, {100, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
    const torch::Tensor values = torch::zeros(shape);
    const std::string bytes = npy_bytes(values);
    const std::size_t data = static_cast<std::size_t>(values.numel()) * 4;
    EXPECT_EQ((bytes.size() - data) % 64, 0U);
    const std::size_t length = static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
    EXPECT_EQ(10 + length, bytes.size() - data);
    EXPECT_EQ(bytes[9 + length], '\n');
  }
}

TEST(Npy, ShapeIsAPythonTuple) {
  EXPECT_NE(npy_bytes(torch::zeros({})).find("'shape': ()"), std::string::npos);
  EXPECT_NE(npy_bytes(torch::zeros({3})).find("'shape': (3,)"), std::string::npos);
  EXPECT_NE(npy_bytes(torch::zeros({2, 3, 4, 5})).find("'shape': (2, 3, 4, 5)"), std::string::npos);
}

TEST(Npy, DataIsInCOrderWhateverTheStrides) {
  const torch::Tensor values = torch::arange(6, torch::kFloat32).view({2, 3});
  EXPECT_EQ(npy_bytes(values.t()), npy_bytes(values.t().contiguous()));
}

TEST(Npy, FolderHoldsTheWeightsAndTheTokens) {
  View view;
  view.text = test::example();
  view.shown = {{0}, {0, 1}};
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "npy_test" / "made";
  write_npy(view, {"attention"}, folder);
  const std::string bytes = read_file(folder / "attention.npy");
  ASSERT_EQ(bytes.size(), 128 + 18 * sizeof(float));
  EXPECT_NE(bytes.find("'shape': (1, 2, 3, 3)"), std::string::npos);
  std::vector<float> values(18);
  std::memcpy(values.data(), bytes.data() + 128, 18 * sizeof(float));
  EXPECT_TRUE(torch::tensor(values).view({1, 2, 3, 3}).equal(view.text.attention));
  const nlohmann::json tokens = nlohmann::json::parse(read_file(folder / "tokens.json"));
  EXPECT_EQ(tokens.at("ids"), nlohmann::json({2, 3, 4}));
  EXPECT_EQ(tokens.at("text"), nlohmann::json({"a", "b", "\n"}));
  EXPECT_EQ(tokens.at("losses_nats"), nlohmann::json({nullptr, 0.5, 2.25}));
}

}  // namespace
}  // namespace tinylm
