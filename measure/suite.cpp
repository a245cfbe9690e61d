#include "measure/suite.h"

#include <algorithm>
#include <set>

#include "core/errors.h"
#include "core/numbers.h"

namespace tinylm {
namespace {

/// In order, each once.
void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

void refuse_unknown(const Suite& suite, const std::vector<std::string>& names) {
  std::vector<std::string> sections, known;
  const auto learn = [&](const auto& rules) {
    for (const auto& rule : rules) {
      add_once(sections, rule.section);
      known.push_back(rule.name);
    }
  };
  learn(suite.results);
  learn(suite.ratios);
  known.insert(known.end(), sections.begin(), sections.end());
  std::string listed;
  for (const std::string& section : sections) listed += (listed.empty() ? "" : ", ") + section;
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw WrongUse("--only " + name + " names nothing that is measured" + did_you_mean(name, known) +
                   " (sections: " + listed + "; or a result or ratio by the name that --json gives it)");
  }
}

template <class Rule>
std::vector<Rule> chosen(const std::vector<Rule>& rules, const std::vector<std::string>& names) {
  std::vector<Rule> found;
  for (const Rule& rule : rules) {
    for (const std::string& name : names) {
      if (name != rule.section && name != rule.name) continue;
      found.push_back(rule);
      break;
    }
  }
  return found;
}

std::set<std::string> needed_cases(const Suite& suite) {
  std::set<std::string> needed;
  for (const ResultRule& rule : suite.results) needed.insert(rule.of);
  for (const RatioRule& rule : suite.ratios) needed.insert({rule.over, rule.under});
  return needed;
}

}  // namespace

Suite Suite::only(const std::vector<std::string>& names) const {
  if (names.empty()) return *this;
  refuse_unknown(*this, names);
  Suite part;
  part.results = chosen(results, names);
  part.ratios = chosen(ratios, names);
  const std::set<std::string> needed = needed_cases(part);
  for (const TimedCase& one : cases)
    if (needed.count(one.name) > 0) part.cases.push_back(one);
  return part;
}

std::vector<std::filesystem::path> Suite::leave_out_missing_programs() {
  std::vector<std::filesystem::path> programs;
  std::set<std::string> missing;
  for (const TimedCase& one : cases) {
    if (one.program.empty() || std::filesystem::is_regular_file(one.program)) continue;
    missing.insert(one.name);
    if (std::find(programs.begin(), programs.end(), one.program) == programs.end()) programs.push_back(one.program);
  }
  std::erase_if(results, [&](const ResultRule& rule) { return missing.count(rule.of) > 0; });
  std::erase_if(ratios,
                [&](const RatioRule& rule) { return missing.count(rule.over) + missing.count(rule.under) > 0; });
  const std::set<std::string> needed = needed_cases(*this);
  std::erase_if(cases, [&](const TimedCase& one) { return needed.count(one.name) == 0; });
  return programs;
}

void Suite::require_memory(std::uint64_t available_bytes) const {
  std::uint64_t kept = 0, working = 0;
  for (const TimedCase& one : cases) {
    kept += one.kept_bytes;
    working = std::max(working, one.working_bytes);
  }
  if (kept + working <= available_bytes) return;
  throw MemoryError("what is to be measured needs about " + human_bytes(kept + working) + " of memory, but only " +
                    human_bytes(available_bytes) + " are available; measure one part at a time with --only");
}

Suite make_suite(const BenchShapes& shapes, const BenchPrograms& programs) {
  Suite suite;
  add_machine(suite);
  for (const BenchShape* shape : {&shapes.tiny, &shapes.baby, &shapes.context_1024}) {
    add_training(suite, *shape);
    add_bare_loop(suite, *shape, programs);
  }
  add_training_memory(suite, shapes.baby, programs);
  add_attention(suite, shapes.context_1024);
  for (const BenchShape* shape : {&shapes.tiny, &shapes.baby}) add_costs(suite, *shape);
  for (const BenchShape* shape : {&shapes.tiny, &shapes.baby}) add_generation(suite, *shape);
  add_bare_generation(suite, shapes.tiny, programs);
  add_tokenizing(suite);
  return suite;
}

}  // namespace tinylm
