// The part of a configuration that every command needs: which text, which tokenizer, which model, how to use the
// machine.
#pragma once

#include <cstdint>
#include <string>

#include "data/text_source.h"
#include "model/config.h"
#include "model/ops/ops.h"
#include "tokenizer/registry.h"

namespace tinylm {

/// Options that say how the machine is used; section [machine].
struct MachineOptions {
  std::int64_t threads = 0;  // 0: the physical cores this process may use
  Ops ops = Ops::kAuto;
  std::string precision = "auto";  // "auto" or "fp32"; resolved to "fp32" when a run begins

  void describe(OptionTable& table);
  void validate(Problems& problems) const;
};

/// The part of a configuration that defines the model, shared by every command.
struct RunConfig {
  TextOptions text;
  TokenizerOptions tokenizer;
  ModelConfig model;
  MachineOptions machine;

  /// Adds all of them, sections [text], [model], [machine].
  void describe(OptionTable& table);
  /// Notes the problems of all of them, and of their combination.
  void validate(Problems& problems) const;
};

}  // namespace tinylm
