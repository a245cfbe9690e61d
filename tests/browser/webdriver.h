// A browser without a window, driven over the W3C's WebDriver protocol: what a test of a page looks at it with.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tinylm::test {

/// A program of our own started as a child; it is stopped, with all that it started, when this goes.
class Driver {
 public:
  /// Starts chromedriver on a port that the system chooses, `home` its HOME. Throws std::runtime_error where it cannot.
  explicit Driver(const std::filesystem::path& home);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  int port() const { return port_; }

 private:
  void stop();
  int process_ = -1, port_ = 0;
};

/// An empty folder in the system's place for temporary files, removed when this goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// One Chromium, its network switched off. All calls throw std::runtime_error with the driver's message when they fail.
class Browser {
 public:
  Browser();
  ~Browser();

  /// Opens a file by its file:// address, in a window of so many CSS pixels, after forgetting what was logged before.
  void open(const std::filesystem::path& file, const std::string& fragment = "");
  /// The same with any address; the network reaches no further than 127.0.0.1.
  void open_address(const std::string& address);
  /// The place for the page, in CSS pixels.
  void resize(int width, int height);
  /// What the system asks of pages: "light" or "dark".
  void prefer(const std::string& theme);
  /// Where exported files go.
  void save_to(const std::filesystem::path& folder);

  /// The value of a JavaScript expression, seen from the page's own scripts.
  nlohmann::json value(const std::string& expression);
  /// Runs JavaScript; its `return` comes back.
  nlohmann::json run(const std::string& script, const nlohmann::json& arguments = nlohmann::json::array());
  /// Waits until an expression is true, `patience_s` at most. Throws with `what` and the expression otherwise.
  void wait_until(const std::string& expression, double patience_s = 30.0);

  /// The pointer, to a place in the window or to the middle of the first element that a CSS selector finds.
  void move_to(double x, double y);
  void move_to(const std::string& selector);
  void click();
  void click(const std::string& selector);
  /// Presses and lets go a key: a character, or one of the names "ArrowLeft", "Home", "Escape", "Tab", ...
  void press(const std::string& key);

  /// Errors and warnings that the page caused, and addresses that it asked for, since open().
  std::vector<std::string> complaints();
  std::vector<std::string> requests();
  /// Greatest resident memory, in MiB, of any process that draws pages, since the browser started.
  double renderer_peak_mib() const;

 private:
  nlohmann::json call(const std::string& method, const std::string& path, const nlohmann::json& body = nullptr);
  nlohmann::json command(const std::string& name, const nlohmann::json& parameters);
  void act(const std::string& kind, const nlohmann::json& steps);
  nlohmann::json log(const std::string& kind);

  TemporaryFolder home_;
  std::unique_ptr<Driver> driver_;
  std::string session_;
};

/// The one browser of this test program: starting one takes seconds. Where it does not start, every call throws at
/// once.
Browser& browser();

}  // namespace tinylm::test
