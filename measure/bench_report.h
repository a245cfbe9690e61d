// The figures of `tinylm bench`, and how they are shown.
#pragma once

#include <string>
#include <vector>

#include "measure/machine_report.h"
#include "measure/rounds.h"
#include "measure/suite.h"

namespace tinylm {

struct BenchResult {
  std::string section, name, unit;
  double value = 0.0;
  int kept = 0, rounds = 0;  // of its case; none kept: the machine was slow throughout
};

struct BenchRatio {
  std::string section, name, meaning;
  double value = 0.0;
};

struct BenchReport {
  MachineReport machine;
  Ops ops = Ops::kAuto;  // of the trainings, where nothing else is said
  std::vector<BenchResult> results;
  std::vector<BenchRatio> ratios;
};

/// What `rounds` of the cases of `suite` give; figures whose cases were not timed are left out.
BenchReport bench_report(const MachineReport& machine, Ops ops, const Suite& suite, const Rounds& rounds);

/// One object: machine, precision ("fp32" or "bf16"), formula (of a training's operations), results (list of name,
/// value, unit, kept, rounds), ratios (object).
std::string to_json(const BenchReport& report);
/// Tables, a section each.
std::string to_text(const BenchReport& report);

}  // namespace tinylm
