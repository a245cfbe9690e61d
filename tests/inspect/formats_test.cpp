// Every output says the same numbers.
#include "inspect/formats.h"

#include <sodium.h>

#include <cmath>
#include <cstring>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "inspect/csv.h"
#include "inspect/json_export.h"
#include "inspect/npy.h"
#include "inspect/viewer/viewer_data.h"
#include "inspect/views.h"
#include "testing/tensors.h"

namespace tinylm {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

fs::path fresh_place(const std::string& name) {
  const fs::path place = fs::path(::testing::TempDir()) / ("formats_test." + name);
  fs::remove_all(place);
  return place;
}

std::string bytes_of_base64(const std::string& text) {
  std::string bytes(text.size(), '\0');
  std::size_t size = 0;
  EXPECT_EQ(sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(), text.size(),
                              nullptr, &size, nullptr, sodium_base64_VARIANT_ORIGINAL),
            0);
  bytes.resize(size);
  return bytes;
}

torch::Tensor floats_of(const std::string& bytes, const std::vector<std::int64_t>& shape) {
  torch::Tensor values = torch::empty(shape);
  EXPECT_EQ(bytes.size(), static_cast<std::size_t>(4 * values.numel()));
  std::memcpy(values.data_ptr<float>(), bytes.data(), bytes.size());
  return values;
}

/// The array of an NPY file that this program wrote, of known shape.
torch::Tensor npy_of(const fs::path& file, const std::vector<std::int64_t>& shape) {
  const std::string bytes = read_file(file);
  const std::size_t header = 10 + static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
  return floats_of(bytes.substr(header), shape);
}

std::vector<std::vector<std::string>> csv_of(const fs::path& file) {
  std::istringstream lines(read_file(file));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line.substr(0, line.size() - 1));  // CR LF
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

torch::Tensor tensor_of(const json& lists) {
  if (!lists.is_array()) return torch::tensor(lists.is_null() ? std::nanf("") : lists.get<float>());
  std::vector<torch::Tensor> parts;
  for (const json& part : lists) parts.push_back(tensor_of(part));
  return torch::stack(parts);
}

TEST(Formats, EachHasANameOfItsOwnAndWritesToItsPlace) {
  const std::vector<View> views = {test::random_view()};
  std::set<std::string> names;
  for (const Format& format : formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    EXPECT_FALSE(format.help.empty()) << format.name;
    const fs::path place = fresh_place(format.name);
    format.write(views, {}, place);
    EXPECT_EQ(fs::is_directory(place), format.place == "DIR") << format.name;
    EXPECT_TRUE(fs::exists(place)) << format.name;
    if (!format.text) continue;
    EXPECT_EQ(format.text(views) + "\n", read_file(place)) << format.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"html", "json", "npy", "csv", "png", "svg"}));
}

TEST(Formats, GiveTheSameAttentionWeights) {
  const View view = test::random_view();
  const torch::Tensor& weights = view.text.attention;  // [2, 4, 12, 12]
  const fs::path folder = fresh_place("weights");
  write_npy(view, {"attention"}, folder);
  EXPECT_TRUE(testing::tensors_equal(npy_of(folder / "attention.npy", {2, 4, 12, 12}), weights));
  EXPECT_TRUE(testing::tensors_equal(tensor_of(json::parse(inspection_json({view}))["attention"]), weights));

  write_csv(view, folder);
  torch::Tensor of_csv = torch::zeros({2, 4, 12, 12});
  const auto rows = csv_of(folder / "attention.csv");
  ASSERT_EQ(rows.size(), 1U + 8 * 78);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto index = [&](std::size_t cell) { return std::stoll(rows[i][cell]); };
    of_csv[index(0)][index(1)][index(2)][index(3)] = std::stof(rows[i][4]);
  }
  EXPECT_TRUE(testing::tensors_equal(of_csv, weights));

  const json data = json::parse(viewer_data({view}))["views"][0];
  EXPECT_EQ(data["attention_full"], false);
  const std::string packed = bytes_of_base64(data["attention"]);
  std::size_t next = 0;
  for (std::int64_t map = 0; map < 8; ++map)
    for (std::int64_t q = 0; q < 12; ++q)
      for (std::int64_t k = 0; k <= q; ++k, next += 2) {
        const int number =
            static_cast<unsigned char>(packed[next]) + 256 * static_cast<unsigned char>(packed[next + 1]);
        ASSERT_NEAR(number / 65535.0, weights[map / 4][map % 4][q][k].item<double>(), 1.6e-5);
      }
  EXPECT_EQ(next, packed.size());
}

TEST(Formats, GiveTheSameScoresAndEffects) {
  const View view = test::random_view("learned");
  const json page = json::parse(viewer_data({view}))["views"][0], lists = json::parse(inspection_json({view}));
  EXPECT_EQ(page["scores"], lists["scores"]);
  EXPECT_EQ(page["finding"], lists["finding"]);
  ASSERT_EQ(page["scores"].size(), 10U);
  EXPECT_EQ(page["scores"][0]["id"], "previous");
  EXPECT_EQ(page["scores"][9]["id"], "attribution");
  const auto same = [&](const std::string& place, const std::vector<std::int64_t>& shape) {
    const json::json_pointer pointer(place);
    const torch::Tensor found = tensor_of(lists[pointer]), expected = floats_of(bytes_of_base64(page[pointer]), shape);
    EXPECT_TRUE(found.isnan().equal(expected.isnan())) << place;
    EXPECT_TRUE(testing::tensors_close(found.nan_to_num(0.0), expected.nan_to_num(0.0), 0.0)) << place;
  };
  same("/value_norms", {2, 4, 12});
  same("/ablation/zero", {2, 4, 12});
  same("/ablation/mean", {2, 4, 12});
  same("/attribution/values", {12, 12});  // embedding, position, 2 x (4 heads, feed-forward)
  same("/attribution/logits", {12});
  same("/lens/target_probabilities", {3, 12});
  same("/lens/entropy_nats", {3, 12});
  same("/next/logits", {12, 19});
  EXPECT_TRUE(page["next"]["ids"].is_null());
  EXPECT_EQ(page["tokens"]["losses_nats"], lists["losses_nats"]);
  EXPECT_EQ(page["tokens"]["ids"], lists["ids"]);

  const fs::path folder = fresh_place("effects");
  write_csv(view, folder);
  const auto rows = csv_of(folder / "scores.csv");
  ASSERT_EQ(rows.size(), 1U + 10 * 8);
  EXPECT_EQ(rows[1][0], "previous");
  EXPECT_FLOAT_EQ(std::stof(rows[2][3]), lists["scores"][0]["values"][0][1].get<float>());
  EXPECT_EQ(csv_of(folder / "ablation.csv").size(), 1U + 8 * 11);
  EXPECT_EQ(csv_of(folder / "lens.csv").size(), 1U + 3 * 12 * 5);
  EXPECT_EQ(csv_of(folder / "rollout.csv").size(), 1U + 78);
}

TEST(Formats, LeaveNothingOfAnotherTextInTheirFolder) {
  LoadedModel loaded = test::loaded_random(testing::small_config());
  View view = test::view_of(loaded);
  const fs::path folder = fresh_place("another");
  write_csv(view, folder);
  write_npy(view, {"q", "attention"}, folder);
  write_npy(view, {"k"}, folder);
  EXPECT_TRUE(fs::exists(folder / "q.npy")) << "of the same text";
  view.ablation.reset();
  view.text.ids.back() = 4;
  write_csv(view, folder);
  write_npy(view, {"attention"}, folder);
  for (const char* name : {"ablation.csv", "q.npy", "k.npy"}) EXPECT_FALSE(fs::exists(folder / name)) << name;
  for (const char* name : {"rollout.csv", "attention.npy"}) EXPECT_TRUE(fs::exists(folder / name)) << name;
}

TEST(Formats, LeaveAFolderWithoutTablesItsOwnFiles) {
  LoadedModel loaded = test::loaded_random(testing::small_config());
  View view = test::view_of(loaded);
  view.ablation.reset();
  const fs::path folder = fresh_place("own");
  write_atomically(folder / "ablation.csv", "somebody's");
  write_csv(view, folder);
  EXPECT_EQ(read_file(folder / "ablation.csv"), "somebody's");
}

TEST(Formats, OfSomeHeadsHoldThose) {
  LoadedModel loaded = test::loaded_random(testing::small_config());
  View view = test::view_of(loaded);
  view.shown = {{1}, {0, 2}};
  const json lists = json::parse(inspection_json({view})), page = json::parse(viewer_data({view}))["views"][0];
  EXPECT_EQ(lists["layers"], json({1}));
  EXPECT_EQ(lists["heads"], json({0, 2}));
  EXPECT_TRUE(testing::tensors_equal(tensor_of(lists["attention"])[0][1], view.text.attention[1][2]));
  EXPECT_EQ(lists["scores"][0]["values"].size(), 1U);
  EXPECT_EQ(lists["scores"][0]["values"][0].size(), 2U);
  EXPECT_EQ(bytes_of_base64(page["attention"]).size(), 2U * 2 * 78);
  const fs::path folder = fresh_place("some");
  write_npy(view, {"q", "k", "v", "heads", "residual"}, folder);
  EXPECT_TRUE(testing::tensors_equal(npy_of(folder / "q.npy", {1, 2, 12, 8})[0][1], view.heads[1].q[2]));
  EXPECT_TRUE(testing::tensors_equal(npy_of(folder / "heads.npy", {1, 2, 12, 8})[0][0], view.heads[1].output[0]));
  EXPECT_TRUE(testing::tensors_equal(npy_of(folder / "residual.npy", {3, 12, 32})[2], view.residuals[2]));
}

// Query heads 0, 1 use key/value head 0; 2, 3 use 1.
TEST(Npy, HasTheKeyValueHeadsThatTheShownHeadsUse) {
  ModelConfig config = testing::small_config();
  config.kv_heads = 2;
  LoadedModel loaded = test::loaded_random(config);
  View view = test::view_of(loaded);
  const fs::path folder = fresh_place("grouped");
  view.shown.heads = {2, 3};
  write_npy(view, {"k", "v"}, folder);
  EXPECT_TRUE(testing::tensors_equal(npy_of(folder / "k.npy", {2, 1, 12, 8})[1][0], view.heads[1].k[1]));
  EXPECT_TRUE(testing::tensors_equal(npy_of(folder / "v.npy", {2, 1, 12, 8})[0][0], view.heads[0].v[1]));
}

TEST(Npy, SaysWhichArraysThereAre) {
  try {
    write_npy(test::random_view(), {"atention"}, fresh_place("none"));
    FAIL() << "expected WrongUse";
  } catch (const WrongUse& error) {
    EXPECT_STREQ(
        error.what(),
        "--what names \"atention\", expected some of attention, q, k, v, heads, residual; did you mean 'attention'?");
  }
}

TEST(Json, OfSeveralViewsIsAList) {
  const View view = test::random_view();
  const json both = json::parse(inspection_json({view, view}));
  ASSERT_EQ(both["views"].size(), 2U);
  EXPECT_EQ(both["views"][1], json::parse(inspection_json({view})));
}

TEST(Json, NumbersAreInTheirShortestFormAndNullWhereThereIsNone) {
  View view = test::random_view();
  view.text.attention[0][0][1][0] = 0.1F;
  view.text.attention[0][0][1][1] = std::nanf("");
  const std::string text = inspection_json({view});
  EXPECT_NE(text.find("\"attention\":[[[[1,0,0,0,0,0,0,0,0,0,0,0],[0.1,null,0,"), std::string::npos);
  EXPECT_EQ(json::parse(text)["losses_nats"][0], nullptr);
}

TEST(Views, OfAModelWithoutMaskLeaveOutWhatHasNoMeaning) {
  ModelConfig config = testing::small_config();
  config.attention_mask = MaskKind::kNone;
  LoadedModel loaded = test::loaded_random(config);
  const json page = json::parse(viewer_data({test::view_of(loaded)}))["views"][0];
  EXPECT_EQ(page["model"]["causal"], false);
  EXPECT_EQ(page["attention_full"], true);
  EXPECT_EQ(bytes_of_base64(page["attention"]).size(), 2U * 8 * 144);
  EXPECT_TRUE(page["rollout"].is_null());
  EXPECT_TRUE(page["ablation"].is_null());
  EXPECT_EQ(page["scores"].size(), 8U);
}

TEST(Views, OfOneTokenHaveNoScores) {
  LoadedModel loaded = test::loaded_random(testing::small_config());
  const json page = json::parse(viewer_data({test::view_of(loaded, {5})}))["views"][0];
  EXPECT_TRUE(page["scores"][0]["values"][0][0].is_null());
  EXPECT_EQ(page["scores"][0]["rows"], 0);
  EXPECT_FALSE(page["scores"][4]["values"][0][0].is_null()) << "random repeats need no text";
  EXPECT_TRUE(page["mean_loss_nats"].is_null());
  EXPECT_EQ(bytes_of_base64(page["attention"]),
            std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"));
}

TEST(NextTokens, KeepTheLikeliestOfALargeVocabularyAndTheRestInOneNumber) {
  torch::manual_seed(2);
  const torch::Tensor logits = torch::randn({3, 400'000});
  const NextTokens next = next_tokens(logits);
  ASSERT_EQ(next.logits.sizes(), (std::vector<std::int64_t>{3, 256}));
  EXPECT_EQ(next.ids[1][0].item<std::int64_t>(), logits[1].argmax().item<std::int64_t>());
  const torch::Tensor both = torch::cat({next.logits, next.rest.unsqueeze(1)}, 1);
  EXPECT_TRUE(testing::tensors_close(both.logsumexp(1), logits.logsumexp(1), 1e-4));
  EXPECT_FALSE(next_tokens(logits.slice(1, 0, 100)).ids.defined());
}

}  // namespace
}  // namespace tinylm
