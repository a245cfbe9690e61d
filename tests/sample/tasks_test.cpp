#include "sample/tasks.h"

#include <gtest/gtest.h>

#include "core/files.h"
#include "test_support.h"

namespace tinylm {
namespace {

using test::message_of;

void accept_all(const Task&, Problems&) {}

class Tasks : public ::testing::Test {
 protected:
  std::vector<Task> read(const std::string& text, const TaskCheck& check = accept_all) const {
    write_atomically(file_, text);
    return read_tasks(file_, check);
  }
  std::string refusal(const std::string& text, const TaskCheck& check = accept_all) const {
    return message_of<BadInput>([&] { read(text, check); });
  }
  /// "FILE:1: " + message, the refusal of a file with one bad line.
  std::string in_first_line(const std::string& message) const { return file_.string() + ":1: " + message; }

  std::filesystem::path file_ = test::fresh_folder() / "tasks.jsonl";
  const std::string good_ = std::string(kExampleTask) + "\n";
};

TEST_F(Tasks, AreReadInTheOrderOfTheFile) {
  const std::vector<Task> tasks = read(
      "{\"prompt\": \"a\\n\", \"accepted\": [\"b\", \"\\u00e9\"], \"kind\": \"fact\"}\r\n"
      "{\"kind\": \"my own\", \"accepted\": [\"c\"], \"prompt\": \"\"}");
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].prompt, "a\n");
  EXPECT_EQ(tasks[0].accepted, (std::vector<std::string>{"b", "\u00E9"}));
  EXPECT_EQ(tasks[0].kind, "fact");
  EXPECT_EQ(tasks[1].prompt, "");
  EXPECT_EQ(tasks[1].kind, "my own");
}

TEST_F(Tasks, MayHaveEmptyLinesBetweenThem) {
  EXPECT_EQ(read("\n" + good_ + " \t\r\n" + good_ + "\n").size(), 2U);
}

TEST_F(Tasks, OfAMissingFileAreAFileError) {
  const std::string message =
      message_of<FileError>([&] { read_tasks(file_.parent_path() / "nothing.jsonl", accept_all); });
  EXPECT_NE(message.find("nothing.jsonl"), std::string::npos) << message;
}

TEST_F(Tasks, AreMissedInAnEmptyFile) {
  EXPECT_EQ(refusal(" \n\n"), file_.string() + " holds no task: write one JSON object a line, such as " + kExampleTask);
}

TEST_F(Tasks, RefuseALineThatIsNoJson) {
  EXPECT_EQ(refusal("{\"prompt\": waits}\n"),
            in_first_line("found {\"prompt\": waits}, which is no JSON at byte 12, expected a JSON object such as ") +
                kExampleTask);
}

TEST_F(Tasks, RefuseALineThatIsNoObject) {
  EXPECT_EQ(refusal("[\"The ferry\"]\n"),
            in_first_line("found [\"The ferry\"], expected a JSON object such as ") + kExampleTask);
}

TEST_F(Tasks, CutALongLineInTheMessage) {
  const std::string message = refusal("[\"" + std::string(57, 'x') + "\u00E9" + std::string(500, 'y') + "\"]\n");
  EXPECT_NE(message.find("found [\"" + std::string(57, 'x') + "..., expected"), std::string::npos) << message;
}

TEST_F(Tasks, RefuseMissingKeysAllAtOnce) {
  EXPECT_EQ(refusal("{}\n"),
            in_first_line("\"prompt\" is missing: give the text to continue, \"\" for none\n") +
                in_first_line("\"accepted\" is missing: give a list of texts, the expected one first\n") +
                in_first_line("\"kind\" is missing: give task, fact, source, held-out or a word of your own"));
}

TEST_F(Tasks, RefuseUnknownKeysAndNameTheNearest) {
  EXPECT_EQ(refusal(R"({"prompt": "a", "accepted": ["b"], "kind": "task", "kin": "fact"})"),
            in_first_line("unknown key \"kin\"; did you mean 'kind'?"));
  EXPECT_EQ(refusal(R"({"prompt": "a", "accepted": ["b"], "kind": "task", "temperature": 1})"),
            in_first_line("unknown key \"temperature\"; the keys are prompt, accepted and kind"));
}

TEST_F(Tasks, RefuseValuesOfAWrongType) {
  EXPECT_EQ(refusal(R"({"prompt": 3, "accepted": "b", "kind": null})"),
            in_first_line("\"prompt\": found 3, expected a text in double quotes\n") +
                in_first_line("\"accepted\": found \"b\", expected a list of texts, such as [\" waits\"]\n") +
                in_first_line("\"kind\": found null, expected a text in double quotes"));
  EXPECT_EQ(refusal(R"({"prompt": "a", "accepted": ["b", 7], "kind": "task"})"),
            in_first_line("\"accepted\", text 2: found 7, expected a text in double quotes"));
}

TEST_F(Tasks, RefuseAnEmptyListOfAcceptedTexts) {
  EXPECT_EQ(refusal(R"({"prompt": "a", "accepted": [], "kind": "task"})"),
            in_first_line("\"accepted\" is an empty list: give at least one text, the expected one first"));
}

TEST_F(Tasks, RefuseAnEmptyAcceptedText) {
  EXPECT_EQ(refusal(R"({"prompt": "a", "accepted": ["b", ""], "kind": "task"})"),
            in_first_line("\"accepted\", text 2 is empty, and every text begins with nothing: give what should follow "
                          "the prompt"));
}

TEST_F(Tasks, RefuseAnEmptyKind) {
  EXPECT_EQ(refusal(R"({"prompt": "a", "accepted": ["b"], "kind": ""})"),
            in_first_line("\"kind\" is empty: give task, fact, source, held-out or a word of your own"));
}

TEST_F(Tasks, RefuseBytesThatAreNoUtf8) {
  EXPECT_EQ(refusal("{\"prompt\": \"caf\xE9\", \"accepted\": [\"b\"], \"kind\": \"task\"}"),
            in_first_line("byte <E9> at offset 15 of the line belongs to no character: save the file as UTF-8"));
}

TEST_F(Tasks, GoThroughTheCheckWhenTheyRead) {
  std::vector<std::string> seen;
  const TaskCheck check = [&](const Task& task, Problems& problems) {
    seen.push_back(task.prompt);
    problems.add("no");
  };
  const std::string message = refusal(R"({"prompt": "bad", "accepted": [], "kind": "task"})"
                                      "\n" +
                                          good_,
                                      check);
  EXPECT_EQ(seen, std::vector<std::string>{"The ferry"});
  EXPECT_NE(message.find(file_.string() + ":2: no"), std::string::npos) << message;
}

TEST_F(Tasks, NameTheLineOfEachProblem) {
  EXPECT_EQ(refusal(good_ + "\n" + R"({"prompt": "a", "accepted": [], "kind": "task"})" + "\n" + good_ +
                    R"({"prompt": "a", "accepted": ["b"], "kind": ""})"),
            file_.string() + ":3: \"accepted\" is an empty list: give at least one text, the expected one first\n" +
                file_.string() + ":5: \"kind\" is empty: give task, fact, source, held-out or a word of your own");
}

}  // namespace
}  // namespace tinylm
