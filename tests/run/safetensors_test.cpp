#include "run/safetensors.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include <fstream>

#include "core/checksum.h"
#include "core/errors.h"
#include "core/files.h"
#include "test_support.h"

namespace tinylm {
namespace {

namespace fs = std::filesystem;

class Safetensors : public ::testing::Test {
 protected:
  void SetUp() override { file_ = test::fresh_folder() / "some.safetensors"; }
  void TearDown() override { fs::remove_all(file_.parent_path()); }

  /// A file made by hand: the header's length, the header, the data.
  void write(const std::string& header, const std::string& data) {
    std::string length(8, '\0');
    length[0] = static_cast<char>(header.size() & 0xff);
    length[1] = static_cast<char>(header.size() >> 8);
    write_bytes(length + header + data);
  }
  void write_bytes(const std::string& bytes) { std::ofstream(file_, std::ios::binary) << bytes; }

  std::string refusal() {
    const std::string message = test::message_of<FileError>([&] { SafetensorsFile opened(file_); });
    EXPECT_NE(message.find(file_.string() + " is damaged: "), std::string::npos) << message;
    return message;
  }
  void expect_refused(const std::string& header, const std::string& data, const std::string& reason) {
    write(header, data);
    const std::string message = refusal();
    EXPECT_NE(message.find(reason), std::string::npos) << message;
  }

  fs::path file_;
};

TEST_F(Safetensors, WritesTheBytesOfTheFormat) {
  const torch::Tensor pair = torch::tensor({1.0F, -2.0F});
  write_safetensors(file_, {{"ab", pair}}, {});
  std::string header = R"({"ab":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  header.resize(56, ' ');                                         // 55 characters, padded to a multiple of 8
  const std::string data("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8);  // IEEE 754, little-endian: 1 and -2
  EXPECT_EQ(read_file(file_), std::string("\x38\0\0\0\0\0\0\0", 8) + header + data);
}

TEST_F(Safetensors, ReadsBytesWrittenByHand) {
  write(R"({"b":{"dtype":"U8","shape":[3],"data_offsets":[4,7]},)"
        R"("a":{"dtype":"I32","shape":[1,1],"data_offsets":[0,4]},"__metadata__":{"format":"pt"}})",
        std::string("\x02\x01\x00\x00\x07\x08\x09", 7));
  const SafetensorsFile opened(file_);
  EXPECT_EQ(opened.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(torch::equal(opened.tensor("a"), torch::full({1, 1}, 258, torch::kInt32)));
  EXPECT_TRUE(torch::equal(opened.tensor("b"), torch::tensor({7, 8, 9}, torch::kUInt8)));
  EXPECT_EQ(opened.metadata(), (Metadata{{"format", "pt"}}));
}

TEST_F(Safetensors, GivesBackEveryTypeAndShape) {
  const torch::Tensor values = torch::arange(6).reshape({2, 3}).to(torch::kFloat64) / 7;
  NamedTensors written;
  for (const auto dtype : {torch::kFloat32, torch::kFloat64, torch::kFloat16, torch::kBFloat16, torch::kInt32,
                           torch::kInt64, torch::kUInt8}) {
    written.emplace_back(std::string(c10::toString(dtype)), (values * 100).to(dtype));
  }
  written.emplace_back("scalar", torch::tensor(3.5F).reshape({}));
  written.emplace_back("empty", torch::empty({0, 4}));
  written.emplace_back("transposed", values.t());
  write_safetensors(file_, written, {{"step", "7"}});
  const SafetensorsFile opened(file_);
  for (const auto& [name, tensor] : written) {
    const torch::Tensor read = opened.tensor(name);
    EXPECT_EQ(read.scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(torch::equal(read, tensor)) << name;
  }
  EXPECT_EQ(opened.metadata().at("step"), "7");
}

TEST_F(Safetensors, PadsTheHeaderToAMultipleOfEight) {
  for (std::size_t length = 1; length <= 9; ++length) {
    write_safetensors(file_, {{std::string(length, 'x'), torch::zeros({1})}}, {});
    EXPECT_EQ(static_cast<unsigned char>(read_file(file_)[0]) % 8, 0);
    EXPECT_TRUE(SafetensorsFile(file_).contains(std::string(length, 'x')));
  }
}

TEST_F(Safetensors, ReturnsTheChecksumOfItsBytes) {
  const std::uint64_t checksum = write_safetensors(file_, {{"a", torch::ones({100})}}, {{"k", "v"}});
  EXPECT_EQ(checksum, checksum_of_file(file_));
}

TEST_F(Safetensors, RefusesAFileThatIsTooShort) {
  write_bytes("abc");
  EXPECT_NE(refusal().find("has 3 bytes"), std::string::npos);
  write_bytes(std::string("\x50\0\0\0\0\0\0\0{}", 10));
  EXPECT_NE(refusal().find("header should have 80 bytes, but the file has 10"), std::string::npos);
  write_bytes(std::string(8, '\xff') + "{}");
  EXPECT_NE(refusal().find("header should have 18446744073709551615 bytes"), std::string::npos);
}

TEST_F(Safetensors, RefusesAHeaderThatIsNoJsonObject) {
  expect_refused("{\"a\":", "", "not a JSON object");
  expect_refused("[1]", "", "not a JSON object");
}

TEST_F(Safetensors, RefusesEntriesThatLackSomething) {
  expect_refused(R"({"a":{"dtype":"F32","shape":[1]}})", "1234", "entry a lacks");
  expect_refused(R"({"a":7})", "1234", "entry a lacks");
  expect_refused(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "1234", "not a whole number");
  expect_refused(R"({"a":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}})", "1234", "unknown type F33");
  expect_refused(R"({"__metadata__":{"a":1}})", "", "entry __metadata__ lacks");
}

TEST_F(Safetensors, RefusesOffsetsThatDoNotFitTheShape) {
  expect_refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "1234", "a of shape [2] does not fit");
  expect_refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", "1234", "a of shape [1] does not fit");
  expect_refused(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,0]}})", "", "does not fit");
}

TEST_F(Safetensors, RefusesHolesAndOverlaps) {
  expect_refused(
      R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})",
      "1234", "hole before tensor b");
  expect_refused(
      R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}})",
      "1234", "b overlaps");
}

TEST_F(Safetensors, RefusesDataThatIsMissingOrLeftOver) {
  const std::string header = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})";
  expect_refused(header, "123", "its tensors take 4 bytes, but 3 follow");
  expect_refused(header, "12345", "its tensors take 4 bytes, but 5 follow");
}

TEST_F(Safetensors, SaysWhatItCannotWrite) {
  const std::string message = test::message_of<FileError>(
      [&] { write_safetensors(file_.parent_path() / "missing" / "a.safetensors", {}, {}); });
  EXPECT_NE(message.find("cannot write"), std::string::npos);
  EXPECT_NE(message.find("No such file"), std::string::npos);
  EXPECT_THROW(write_safetensors(file_, {{"a", torch::ones({1}, torch::kBool)}}, {}), std::invalid_argument);
}

TEST_F(Safetensors, RefusesATensorThatIsNotThere) {
  write("{}", "");
  const std::string message = test::message_of<FileError>([&] { SafetensorsFile(file_).tensor("x"); });
  EXPECT_EQ(message, file_.string() + " has no tensor x");
}

TEST_F(Safetensors, LoadsTheParametersOfAModule) {
  torch::nn::Linear saved(3, 2), loaded(3, 2);
  write_safetensors(file_, parameters_of(*saved), {});
  load_parameters(*loaded, SafetensorsFile(file_));
  EXPECT_TRUE(torch::equal(loaded->weight, saved->weight));
  EXPECT_TRUE(torch::equal(loaded->bias, saved->bias));
  EXPECT_TRUE(loaded->weight.requires_grad());
}

TEST_F(Safetensors, NamesEveryParameterThatDoesNotFit) {
  torch::nn::Linear linear(3, 2);
  const torch::Tensor before = linear->weight.clone();
  write_safetensors(file_, {{"weight", torch::zeros({2, 4})}, {"other", torch::zeros({1})}}, {});
  const std::string message = test::message_of<FileError>([&] { load_parameters(*linear, SafetensorsFile(file_)); });
  EXPECT_NE(message.find("weight has shape [2, 4], the model needs [2, 3]"), std::string::npos) << message;
  EXPECT_NE(message.find("bias is missing"), std::string::npos) << message;
  EXPECT_NE(message.find("other is unknown to the model"), std::string::npos) << message;
  EXPECT_TRUE(torch::equal(linear->weight, before));
}

}  // namespace
}  // namespace tinylm
