#include "sample/tasks.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "core/files.h"
#include "core/numbers.h"
#include "core/utf8.h"

namespace tinylm {

const char* const kExampleTask = R"({"prompt": "The ferry", "accepted": [" waits"], "kind": "task"})";

namespace {

using nlohmann::json;

constexpr std::array kKeys = {"prompt", "accepted", "kind"};

/// A text of the file for messages, cut to a length that leaves the message readable.
std::string shown(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return utf8::visible(text);
  const std::string_view beginning = std::string_view(text).substr(0, kLongest);
  return utf8::visible(beginning.substr(0, utf8::complete_prefix(beginning))) + "...";
}

std::string in_quotes(const std::string& key) {
  return "\"" + key + "\"";
}

/// The value of a key that must be there; null, with a problem noted, when it is not. `meaning` says what to give.
const json* value_of(const json& object, const std::string& key, const std::string& meaning, Problems& problems) {
  const auto found = object.find(key);
  if (found != object.end()) return &*found;
  problems.add(in_quotes(key) + " is missing: give " + meaning);
  return nullptr;
}

/// `value` as a text; "", with a problem noted, when it is none.
std::string text_of(const json& value, const std::string& name, Problems& problems) {
  if (value.is_string()) return value.get<std::string>();
  problems.add(name + ": found " + shown(value.dump()) + ", expected a text in double quotes");
  return "";
}

std::vector<std::string> accepted_of(const json& value, Problems& problems) {
  std::vector<std::string> texts;
  if (!value.is_array()) {
    problems.add("\"accepted\": found " + shown(value.dump()) + ", expected a list of texts, such as [\" waits\"]");
    return texts;
  }
  problems.require(!value.empty(), "\"accepted\" is an empty list: give at least one text, the expected one first");
  for (const json& element : value) {
    const std::string name = "\"accepted\", text " + std::to_string(texts.size() + 1);
    texts.push_back(text_of(element, name, problems));
    problems.require(!element.is_string() || !texts.back().empty(),
                     name + " is empty, and every text begins with nothing: give what should follow the prompt");
  }
  return texts;
}

std::string kind_of(const json& value, Problems& problems) {
  std::string kind = text_of(value, in_quotes("kind"), problems);
  problems.require(!value.is_string() || kind.find_first_not_of(" \t\r\n") != std::string::npos,
                   "\"kind\" is empty: give task, fact, source, held-out or a word of your own");
  return kind;
}

void refuse_unknown_keys(const json& object, Problems& problems) {
  for (const auto& item : object.items()) {
    if (std::find(kKeys.begin(), kKeys.end(), item.key()) != kKeys.end()) continue;
    const std::string meant = did_you_mean(item.key(), kKeys);
    problems.add("unknown key \"" + shown(item.key()) + "\"" +
                 (meant.empty() ? "; the keys are prompt, accepted and kind" : meant));
  }
}

Task task_of(const json& object, Problems& problems) {
  refuse_unknown_keys(object, problems);
  Task task;
  if (const json* value = value_of(object, "prompt", "the text to continue, \"\" for none", problems)) {
    task.prompt = text_of(*value, in_quotes("prompt"), problems);
  }
  if (const json* value = value_of(object, "accepted", "a list of texts, the expected one first", problems)) {
    task.accepted = accepted_of(*value, problems);
  }
  if (const json* value = value_of(object, "kind", "task, fact, source, held-out or a word of your own", problems)) {
    task.kind = kind_of(*value, problems);
  }
  return task;
}

Task parse_line(const std::string& line, Problems& problems) {
  if (const auto offset = utf8::find_invalid(line)) {
    problems.add("byte " + utf8::visible(line.substr(*offset, 1)) + " at offset " + std::to_string(*offset) +
                 " of the line belongs to no character: save the file as UTF-8");
    return {};
  }
  const std::string expected = ", expected a JSON object such as " + std::string(kExampleTask);
  try {
    const json object = json::parse(line);
    if (object.is_object()) return task_of(object, problems);
    problems.add("found " + shown(line) + expected);
  } catch (const json::parse_error& error) {
    problems.add("found " + shown(line) + ", which is no JSON at byte " + std::to_string(error.byte) + expected);
  } catch (const json::out_of_range&) {  // a number beyond a double
    problems.add("found " + shown(line) + ", with a number that is too large" + expected);
  }
  return {};
}

void throw_if_any(const std::vector<std::string>& messages) {
  if (messages.empty()) return;
  std::string all = messages.front();
  for (std::size_t i = 1; i < messages.size(); ++i) all += "\n" + messages[i];
  throw BadInput(all);
}

}  // namespace

std::vector<Task> read_tasks(const std::filesystem::path& file, const TaskCheck& check) {
  std::istringstream text(read_file(file));
  std::vector<Task> tasks;
  std::vector<std::string> messages;
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Problems problems;
    tasks.push_back(parse_line(line, problems));
    if (problems.messages().empty()) check(tasks.back(), problems);
    for (const std::string& message : problems.messages()) {
      messages.push_back(file.string() + ":" + std::to_string(number) + ": " + message);
    }
  }
  throw_if_any(messages);
  if (tasks.empty()) {
    throw BadInput(file.string() + " holds no task: write one JSON object a line, such as " + kExampleTask);
  }
  return tasks;
}

}  // namespace tinylm
