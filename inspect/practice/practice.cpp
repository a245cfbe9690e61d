#include "inspect/practice/practice.h"

#include <algorithm>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "inspect/practice/boundary_questions.h"
#include "inspect/practice/exercise_text.h"
#include "inspect/practice/judgement.h"
#include "inspect/practice/mistakes.h"
#include "inspect/practice/typed_numbers.h"

namespace tinylm {
namespace {

constexpr std::size_t kQuestionsAtATime = 3;

/// A line that was read.
struct Reply {
  enum Kind { kEnd, kShow, kText };  // stop; show the solution; an answer
  Kind kind = kEnd;
  std::string text = {};
  torch::Tensor numbers = {};  // of an answer, where numbers are asked for
};

class Practice {
 public:
  Practice(std::istream& in, std::ostream& out, std::uint64_t seed) : in_(in), out_(out), seed_(seed) {}
  void run(std::int64_t exercises);

 private:
  Reply read();
  /// These say whether to go on.
  bool set_exercise(std::int64_t number, std::int64_t exercises);
  bool ask_step(const Exercise& exercise, Step step, EarlierAnswers& earlier);
  bool ask_questions();
  bool ask_question(const BoundaryQuestion& question);
  /// Reads until the reply is numbers, or no text.
  Reply read_numbers(const Exercise& exercise, Step step);
  void count(bool right);

  std::istream& in_;
  std::ostream& out_;
  std::uint64_t seed_;
  std::int64_t right_ = 0, answered_ = 0;  // at the first try
};

void Practice::run(std::int64_t exercises) {
  out_ << "Attention by hand: softmax(q . k / sqrt(d_k)) v, step by step.\n"
          "Give two decimals, with a point (an answer may be off by 0.006 or by 1%), and calculate on with more.\n"
          "An empty line or \"?\" shows the solution of a step, \"q\" ends.\n";
  bool goes_on = true;
  for (std::int64_t i = 0; goes_on && i < exercises; ++i) goes_on = set_exercise(i, exercises);
  if (!goes_on || !ask_questions()) out_ << "Ended early.\n";
  out_ << '\n'
       << (answered_ == 0 ? "Nothing was answered."
                          : fmt::format("{} of {} right at the first try.", right_, answered_))
       << fmt::format(" The same again: tinylm attend --practice --seed {} --exercises {}\n", seed_, exercises)
       << std::flush;
}

Reply Practice::read() {
  out_ << std::flush;
  std::string line;
  if (!std::getline(in_, line)) return {};
  const std::vector<std::string> words = words_of(line);
  if (words.empty() || (words.size() == 1 && words[0] == "?")) return {.kind = Reply::kShow};
  if (words.size() == 1 && (words[0] == "q" || words[0] == "quit")) return {};
  return {.kind = Reply::kText, .text = line};
}

Reply Practice::read_numbers(const Exercise& exercise, Step step) {
  for (;;) {
    Reply reply = read();
    if (reply.kind != Reply::kText) return reply;
    const std::int64_t needed = right_answer(exercise, step).size(0);
    const std::optional<torch::Tensor> parsed = parse_numbers(reply.text);
    if (parsed && (parsed->size(0) == needed || is_usual_mistake(exercise, step, *parsed))) {
      reply.numbers = *parsed;
      return reply;
    }
    out_ << fmt::format("Expected {}; \"?\" shows the solution, \"q\" ends. Again:\n",
                        needed == 1 ? "one number, such as 0.71"
                                    : fmt::format("{} numbers with spaces between them, such as 0.71 or -1", needed));
  }
}

void Practice::count(bool right) {
  ++answered_;
  if (right) ++right_;
}

bool Practice::ask_step(const Exercise& exercise, Step step, EarlierAnswers& earlier) {
  constexpr int kTries = 2;
  out_ << '\n' << question_text(exercise, step) << '\n';
  for (int attempt = 1; attempt <= kTries; ++attempt) {
    const Reply reply = read_numbers(exercise, step);
    if (reply.kind == Reply::kEnd) return false;
    const Verdict verdict = reply.kind == Reply::kShow ? Verdict{} : judge(exercise, step, reply.numbers, earlier);
    if (attempt == 1) count(verdict.right);
    if (reply.kind == Reply::kShow) break;
    if (step == Step::kScores) earlier.scores = reply.numbers;
    if (step == Step::kWeights) earlier.weights = reply.numbers;
    if (verdict.right) {
      out_ << "Right.\n";
      return true;
    }
    out_ << "Not yet. " << verdict.why << '\n' << (attempt < kTries ? "Once more:\n" : "");
  }
  out_ << "The solution, rounded to three decimals:\n" << solution_text(exercise, step) << '\n';
  return true;
}

bool Practice::set_exercise(std::int64_t number, std::int64_t exercises) {
  const Exercise exercise = make_exercise(seed_, static_cast<std::uint64_t>(number));
  out_ << fmt::format("\nExercise {} of {}\n", number + 1, exercises) << given_text(exercise) << '\n';
  EarlierAnswers earlier;
  for (const Step step : {Step::kScores, Step::kWeights, Step::kOutput}) {
    if (!ask_step(exercise, step, earlier)) return false;
  }
  out_ << "\nAll of it, rounded to three decimals:\n" << summary_text(exercise) << '\n';
  return true;
}

bool Practice::ask_question(const BoundaryQuestion& question) {
  out_ << '\n' << question.text << '\n';
  for (;;) {
    const Reply reply = read();
    if (reply.kind == Reply::kEnd) return false;
    const std::optional<bool> right = reply.kind == Reply::kShow ? false : is_right(question, reply.text);
    if (!right) {
      out_ << "Expected " << expected_answer(question) << "; \"?\" shows the answer, \"q\" ends. Again:\n";
      continue;
    }
    count(*right);
    out_ << (*right ? "Right.\n" : "The answer is " + right_answer_text(question) + ".\n") << question.reason << '\n';
    return true;
  }
}

bool Practice::ask_questions() {
  const std::vector<BoundaryQuestion> questions = boundary_questions(seed_, kQuestionsAtATime);
  out_ << fmt::format("\n{} questions on special cases; positions are counted from 1.\n", questions.size());
  return std::all_of(questions.begin(), questions.end(),
                     [this](const BoundaryQuestion& question) { return ask_question(question); });
}

}  // namespace

void run_practice(std::istream& in, std::ostream& out, std::uint64_t seed, std::int64_t exercises) {
  Practice(in, out, seed).run(exercises);
}

}  // namespace tinylm
