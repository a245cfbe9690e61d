#include "sample/comparison_report.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/json_numbers.h"
#include "core/numbers.h"
#include "core/text_table.h"

namespace tinylm {
namespace {

using Json = nlohmann::ordered_json;

TableRow row_of_run(const std::string& name, const ComparedRun& run) {
  return {name,
          run.run + ", " + run.checkpoint,
          grouped(run.score.tokens),
          fixed(run.score.total_loss_nats, 4),
          fixed(run.score.mean_loss_nats(), 4),
          fixed(run.score.bits_per_byte(), 4)};
}

std::string with_sign(double value) {
  return (value < 0.0 ? "" : "+") + fixed(value, 4);
}

std::string verdict(const Difference& difference) {
  if (difference.highest < 0.0) return "A predicts texts like this one better.";
  if (difference.lowest > 0.0) return "B predicts texts like this one better.";
  return "The interval holds 0: this text does not show which predicts better.";
}

std::string places_table(const RunComparison& comparison) {
  std::vector<TableRow> rows = {
      {"position", "A nats", "B nats", "A - B", comparison.same_tokens ? "token" : "text", "after"}};
  for (const DifferentPlace& place : comparison.places) {
    rows.push_back({grouped(place.position), fixed(place.a_nats, 4), fixed(place.b_nats, 4),
                    with_sign(place.a_nats - place.b_nats), "\"" + place.text + "\"", "\"" + place.before + "\""});
  }
  return text_table(rows, {Side::kRight, Side::kRight, Side::kRight, Side::kRight, Side::kLeft, Side::kLeft});
}

Json json_of(const ComparedRun& run) {
  return {{"run", run.run},
          {"checkpoint", run.checkpoint},
          {"tokens", run.score.tokens},
          {"total_loss_nats", number_or_null(run.score.total_loss_nats)},
          {"mean_loss_nats", number_or_null(run.score.mean_loss_nats())},
          {"bits_per_byte", number_or_null(run.score.bits_per_byte())}};
}

}  // namespace

std::string to_text(const RunComparison& comparison) {
  const std::vector<TableRow> runs = {{"", "run", "tokens", "total nats", "nats/token", "bits/byte"},
                                      row_of_run("A", comparison.a),
                                      row_of_run("B", comparison.b)};
  const Difference& difference = comparison.difference;
  const std::string unit = comparison.same_tokens ? "" : "The tokenizers differ, so nats/token do not compare.\n";
  return text_table(runs, {Side::kLeft, Side::kLeft, Side::kRight}) + "\n" + unit +
         "A - B: " + with_sign(difference.bits_per_byte) + " bits/byte over the " + grouped(difference.bytes) +
         " bytes that both predict; 95 % interval " + with_sign(difference.lowest) + " to " +
         with_sign(difference.highest) + "\n(bootstrap over " + grouped(comparison.pieces) + " pieces of text, " +
         grouped(comparison.bootstrap.replicates) + " times, seed " + std::to_string(comparison.bootstrap.seed) +
         "). " + verdict(difference) + "\n\nWhere they differ most:\n" + places_table(comparison);
}

std::string to_json(const RunComparison& comparison) {
  Json object;
  object["runs"] = {json_of(comparison.a), json_of(comparison.b)};
  object["difference_bits_per_byte"] = number_or_null(comparison.difference.bits_per_byte);
  object["interval_bits_per_byte"] = {number_or_null(comparison.difference.lowest),
                                      number_or_null(comparison.difference.highest)};
  object["confidence"] = 0.95;
  object["bytes"] = comparison.difference.bytes;
  object["pieces"] = comparison.pieces;
  object["replicates"] = comparison.bootstrap.replicates;
  object["seed"] = comparison.bootstrap.seed;
  object["same_tokens"] = comparison.same_tokens;
  object["most_different"] = Json::array();
  for (const DifferentPlace& place : comparison.places)
    object["most_different"].push_back({{"position", place.position},
                                        {"text", place.text},
                                        {"a_nats", number_or_null(place.a_nats)},
                                        {"b_nats", number_or_null(place.b_nats)}});
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tinylm
