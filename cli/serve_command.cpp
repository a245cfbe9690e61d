// tinylm serve: the model in a local web page, and for programs that speak the OpenAI interface.
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <cstdlib>

#include "cli/command.h"
#include "cli/machine_setup.h"
#include "cli/open_run.h"
#include "core/option_table.h"
#include "core/signals.h"
#include "serve/server.h"

namespace tinylm {
namespace {

class ServeCommand : public Command {
 public:
  std::string name() const override { return "serve"; }
  std::string summary() const override { return "the model in a local web page"; }
  std::string introduction() const override {
    return "Serves a page and POST /v1/completions (OpenAI's shape) to this machine alone, until Ctrl-C. Without "
           "arguments\n"
           "it takes the newest run.";
  }
  std::string examples() const override {
    return "  tinylm serve\n"
           "  tinylm serve runs/mine --port 0\n"
           "  curl http://127.0.0.1:8080/v1/completions -d '{\"prompt\": \"The ferry\", \"max_tokens\": 50}'";
  }
  void describe(CLI::App& app) override;
  ExitCode run() override;

 private:
  RunArgument run_;
  ServeOptions serve_;
  MachineOptions machine_;
  OptionTable table_;
};

void ServeCommand::describe(CLI::App& app) {
  run_.describe(app);
  serve_.describe(table_);
  machine_.describe(table_);
  table_.add_to(app);
}

ExitCode ServeCommand::run() {
  table_.apply_command_line();
  const char* const token = std::getenv("TINYLM_TOKEN");  // which a list of processes does not show
  if (serve_.token.empty() && token != nullptr) serve_.token = token;
  Problems problems;
  serve_.validate(problems);
  machine_.validate(problems);
  problems.throw_if_any();
  set_up_machine(machine_);
  const Run run = run_.open();
  LoadedModel loaded = load_model(run, run_.checkpoint(), machine_.ops);
  catch_stop_signals();
  Server server(loaded, std::filesystem::absolute(run.folder()).lexically_normal().filename().string(), serve_);
  spdlog::info("serving {} at {} (Ctrl-C ends it)", run.folder().string(), server.address());
  server.run([] { return stop_signal() != 0; });
  return static_cast<ExitCode>(128 + stop_signal());
}

}  // namespace

std::unique_ptr<Command> make_serve_command() {
  return std::make_unique<ServeCommand>();
}

}  // namespace tinylm
