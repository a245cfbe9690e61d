// Numbers in JSON, which has neither NaN nor infinity: null stands for them.
#pragma once

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace tinylm {

/// `value`; null when it is not finite.
inline nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

/// The number that `json`, a value of any of nlohmann's types, is; NaN for null. Throws nlohmann::json::exception for
/// anything else.
template <class AnyJson>
double number_or_nan(const AnyJson& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.template get<double>();
}

}  // namespace tinylm
