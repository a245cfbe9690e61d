// The part of a configuration that every command needs: which text, which tokenizer, which model, how to use the
// machine.
#pragma once

#include <cstdint>
#include <string>

#include "core/processor.h"
#include "data/text_source.h"
#include "model/config.h"
#include "model/ops/ops.h"
#include "tokenizer/registry.h"

namespace tinylm {

/// Options that say how the machine is used; section [machine].
struct MachineOptions {
  std::int64_t threads = 0;        // 0: the physical cores this process may use
  Ops ops = Ops::kAuto;            // or kPlain
  std::string precision = "auto";  // of a training's products: "auto", "fp32" or "bf16"; resolved when a run begins

  /// Adds threads and ops, for every command that computes.
  void describe(OptionTable& table);
  /// Adds precision, for those that train.
  void describe_precision(OptionTable& table);
  void validate(Problems& problems) const;
  /// "auto" becomes what suits the kind of `processor`; --ops plain computes in float32.
  void resolve_precision(const Processor& processor);
  /// What a training computes with.
  Ops training_ops() const { return precision == "bf16" ? Ops::kBfloat16 : ops; }
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
