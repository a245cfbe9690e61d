// What tests of every room share.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tinylm::test {

/// An empty folder of the running test's own.
inline std::filesystem::path fresh_folder() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "tinylm_tests" /
                                       (std::string(test->test_suite_name()) + "." + test->name());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

/// The message of the Error that `call` throws; a failure when it throws nothing. Other exceptions pass through.
template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace tinylm::test

namespace tinylm {

inline void expect_contains(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
}

}  // namespace tinylm
