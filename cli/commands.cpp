#include "cli/command.h"

namespace tinylm {

std::vector<std::unique_ptr<Command>> make_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_train_command());
  commands.push_back(make_sample_command());
  commands.push_back(make_inspect_command());
  commands.push_back(make_serve_command());
  commands.push_back(make_attend_command());
  commands.push_back(make_score_command());
  commands.push_back(make_plan_command());
  commands.push_back(make_compare_command());
  commands.push_back(make_info_command());
  commands.push_back(make_bench_command());
  return commands;
}

}  // namespace tinylm
