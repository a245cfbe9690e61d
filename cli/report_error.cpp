#include <c10/util/Exception.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>

#include "cli/program.h"

namespace tinylm {
namespace {

ExitCode say(ExitCode code, const std::string& message) {
  spdlog::error("{}", message);
  return code;
}

/// libtorch's messages carry a stack of its own sources after the first line; people get the first line.
ExitCode say_torch_error(const c10::Error& error) {
  const std::string message = error.what_without_backtrace();
  if (message.find("alloc") != std::string::npos || message.find("out of memory") != std::string::npos) {
    return say(ExitCode::kMemory,
               "not enough memory: " + message + "\nlower --batch, --context or --width, or raise --accumulate");
  }
  return say(ExitCode::kCheckFailed, "libtorch failed: " + message);
}

}  // namespace

ExitCode report_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return say(error.code(), error.what());
  } catch (const c10::Error& error) {
    return say_torch_error(error);
  } catch (const std::bad_alloc&) {
    return say(ExitCode::kMemory, "not enough memory; lower --batch, --context or --width, or raise --accumulate");
  } catch (const std::filesystem::filesystem_error& error) {
    return say(ExitCode::kFile, error.what());
  } catch (const std::exception& error) {
    return say(ExitCode::kCheckFailed, std::string("unexpected failure: ") + error.what());
  }
}

}  // namespace tinylm
