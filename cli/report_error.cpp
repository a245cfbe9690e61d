#include <c10/util/Exception.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <filesystem>
#include <new>
#include <string>

#include "cli/program.h"

namespace tinylm {
namespace {

constexpr const char* kSaveMemory = "lower --batch, --context or --width, or raise --accumulate";

/// libtorch's messages carry a stack of its own sources after the first line; people get the first line.
Failure describe(const c10::Error& error) {
  const std::string message = error.what_without_backtrace();
  if (message.find("alloc") != std::string::npos || message.find("out of memory") != std::string::npos)
    return {ExitCode::kMemory, "not enough memory: " + message + "\n" + kSaveMemory};
  return {ExitCode::kCheckFailed, "libtorch failed: " + message};
}

}  // namespace

Failure describe_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const c10::Error& error) {
    return describe(error);
  } catch (const std::bad_alloc&) {
    return {ExitCode::kMemory, std::string("not enough memory; ") + kSaveMemory};
  } catch (const std::filesystem::filesystem_error& error) {
    return {ExitCode::kFile, error.what()};
  } catch (const std::exception& error) {
    return {ExitCode::kCheckFailed, std::string("unexpected failure: ") + error.what()};
  }
}

ExitCode report_current_exception() {
  const Failure failure = describe_current_exception();
  spdlog::error("{}", failure.message);
  return failure.code;
}

}  // namespace tinylm
