#include "run/config.h"

#include "core/errors.h"
#include "core/option_table.h"

namespace tinylm {

void MachineOptions::describe(OptionTable& table) {
  table.add(
      "machine", "threads", threads,
      "threads to compute with; 0: the physical cores this process may use (on a busy machine, fewer can be faster)");
  table.add_choice<Ops>("machine", "ops", ops, {{"auto", Ops::kAuto}, {"plain", Ops::kPlain}},
                        "auto: the fast operations where there are some; plain: their definitions alone");
}

void MachineOptions::describe_precision(OptionTable& table) {
  table.add_choice("machine", "precision", precision, {"auto", "fp32", "bf16"},
                   "number format of what the products of a training multiply; auto: what suits the processor");
}

void MachineOptions::validate(Problems& problems) const {
  problems.require(threads >= 0, "threads is " + std::to_string(threads) + ", but must be 0 (automatic) or more");
  problems.require(precision == "auto" || precision == "fp32" || precision == "bf16",
                   "precision is '" + precision + "', but must be auto, fp32 or bf16");
  problems.require(
      precision != "bf16" || ops != Ops::kPlain,
      "precision is bf16, but the plain operations compute in float32: leave out --ops plain or --precision");
}

void MachineOptions::resolve_precision(const Processor& processor) {
  if (precision != "auto") return;
  precision = ops != Ops::kPlain && processor.favours_bfloat16() ? "bf16" : "fp32";
}

void RunConfig::describe(OptionTable& table) {
  text.describe(table);
  tokenizer.describe(table);
  model.describe(table);
  machine.describe(table);
  machine.describe_precision(table);
}

void RunConfig::validate(Problems& problems) const {
  text.validate(problems);
  tokenizer.validate(problems);
  ModelConfig sizes = model;
  if (sizes.vocabulary_size == 0) sizes.vocabulary_size = 1;  // known only once there is a tokenizer
  sizes.validate(problems);
  machine.validate(problems);
}

}  // namespace tinylm
