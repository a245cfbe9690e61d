// The pages of this room are one text with a place for their data.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace tinylm {

/// A Content-Security-Policy for `page`: of its own <style> and <script> alone, which it names by their SHA-256, and
/// nothing from elsewhere. CSP Level 3, "hash-source".
std::string page_policy(std::string_view page);

/// `page` with {{policy}} replaced by its policy, and {{data}} replaced by `data`, as the content of a <script>
/// element: with no '<', nothing in it can end that element or begin a comment. Bytes that are no UTF-8 become U+FFFD.
std::string filled_page(std::string_view page, const nlohmann::ordered_json& data);

}  // namespace tinylm
