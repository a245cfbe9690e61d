#include "webdriver.h"

#include <httplib.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace tinylm::test {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// The protocol's numbers for keys that are no characters.
const std::vector<std::pair<std::string, std::string>> kKeys = {
    {"Tab", "\uE004"},     {"Enter", "\uE007"},      {"Escape", "\uE00C"},
    {"End", "\uE010"},     {"Home", "\uE011"},       {"ArrowLeft", "\uE012"},
    {"ArrowUp", "\uE013"}, {"ArrowRight", "\uE014"}, {"ArrowDown", "\uE015"}};

std::string key_value(const std::string& key) {
  for (const auto& [name, value] : kKeys) {
    if (name == key) return value;
  }
  return key;
}

fs::path on_path(const std::string& program) {
  std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return fs::path(folder) / program;
  }
  throw std::runtime_error("there is no " + program + ". Install it with: scripts/setup.sh --tests");
}

/// No name is found and no address reached, so that nothing but files can be loaded. Pictures of equal pixels anywhere.
Json wishes(const fs::path& home) {
  const Json arguments = {"--headless=new",
                          "--no-sandbox",
                          "--disable-dev-shm-usage",
                          "--disable-gpu",
                          "--user-data-dir=" + (home / "profile").string(),
                          "--no-first-run",
                          "--disable-background-networking",
                          "--disable-component-update",
                          "--disable-sync",
                          "--disable-breakpad",
                          "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                          "--proxy-server=http://127.0.0.1:9",
                          "--force-device-scale-factor=1",
                          "--force-color-profile=srgb",
                          "--lang=en"};
  const Json chrome = {{"binary", on_path("chromium").string()},
                       {"args", arguments},
                       {"perfLoggingPrefs", {{"enableNetwork", true}, {"enablePage", false}}}};
  const Json logs = {{"browser", "ALL"}, {"performance", "ALL"}};
  return {{"capabilities", {{"alwaysMatch", {{"goog:chromeOptions", chrome}, {"goog:loggingPrefs", logs}}}}}};
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "tinylm-browser-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the browser can be made: " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Browser::Browser() : driver_(std::make_unique<Driver>(home_.path())) {
  session_ = "/session/" + call("POST", "/session", wishes(home_.path())).at("sessionId").get<std::string>();
}

Browser::~Browser() {
  try {
    call("DELETE", session_);
  } catch (const std::exception&) {
    // It has ended already, or ends with its driver.
  }
}

Json Browser::call(const std::string& method, const std::string& path, const Json& body) {
  httplib::Client client("127.0.0.1", driver_->port());
  client.set_read_timeout(120, 0);
  const httplib::Result result = method == "DELETE"
                                     ? client.Delete(path)
                                     : client.Post(path, body.is_null() ? "{}" : body.dump(), "application/json");
  if (!result) throw std::runtime_error(method + " " + path + ": no answer from the browser's driver");
  const Json value = Json::parse(result->body).at("value");
  if (result->status != 200) {
    throw std::runtime_error(method + " " + path + ": " + value.value("error", "") + ": " + value.value("message", ""));
  }
  return value;
}

Json Browser::command(const std::string& name, const Json& parameters) {
  return call("POST", session_ + "/goog/cdp/execute", {{"cmd", name}, {"params", parameters}});
}

void Browser::open(const fs::path& file, const std::string& fragment) {
  open_address("file://" + fs::absolute(file).string() + fragment);
}

void Browser::open_address(const std::string& address) {
  call("POST", session_ + "/url", {{"url", "about:blank"}});
  log("browser");
  log("performance");
  call("POST", session_ + "/url", {{"url", address}});
}

void Browser::resize(int width, int height) {
  command("Emulation.setDeviceMetricsOverride",
          {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::prefer(const std::string& theme) {
  const Json feature = {{"name", "prefers-color-scheme"}, {"value", theme}};
  command("Emulation.setEmulatedMedia", {{"features", Json::array({feature})}});
}

void Browser::save_to(const fs::path& folder) {
  command("Browser.setDownloadBehavior", {{"behavior", "allow"}, {"downloadPath", folder.string()}});
}

Json Browser::run(const std::string& script, const Json& arguments) {
  return call("POST", session_ + "/execute/sync", {{"script", script}, {"args", arguments}});
}

Json Browser::value(const std::string& expression) {
  return run("return " + expression + ";");
}

void Browser::wait_until(const std::string& expression, double patience_s) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_s);
  while (!value("Boolean(" + expression + ")").get<bool>()) {
    if (std::chrono::steady_clock::now() > end)
      throw std::runtime_error("in vain waited for " + std::to_string(patience_s) + " s until " + expression);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void Browser::act(const std::string& kind, const Json& steps) {
  Json source = {{"type", kind}, {"id", kind}, {"actions", steps}};
  if (kind == "pointer") source["parameters"] = {{"pointerType", "mouse"}};
  call("POST", session_ + "/actions", {{"actions", Json::array({source})}});
}

void Browser::move_to(double x, double y) {
  act("pointer", {{{"type", "pointerMove"}, {"duration", 0}, {"x", static_cast<int>(x)}, {"y", static_cast<int>(y)}}});
}

void Browser::move_to(const std::string& selector) {
  const Json place =
      run("const element = document.querySelector(arguments[0]); if (!element) return null;"
          "element.scrollIntoView({block: 'center', inline: 'center'}); const box = element.getBoundingClientRect();"
          "return [box.x + box.width / 2, box.y + box.height / 2];",
          {selector});
  if (place.is_null()) throw std::runtime_error("the page has no " + selector);
  move_to(place[0].get<double>(), place[1].get<double>());
}

void Browser::click() {
  act("pointer", {{{"type", "pointerDown"}, {"button", 0}}, {{"type", "pointerUp"}, {"button", 0}}});
}

void Browser::click(const std::string& selector) {
  move_to(selector);
  click();
}

void Browser::press(const std::string& key) {
  act("key", {{{"type", "keyDown"}, {"value", key_value(key)}}, {{"type", "keyUp"}, {"value", key_value(key)}}});
}

Json Browser::log(const std::string& kind) {
  return call("POST", session_ + "/se/log", {{"type", kind}});
}

std::vector<std::string> Browser::complaints() {
  std::vector<std::string> found;
  for (const Json& entry : log("browser")) {
    if (entry.at("level") == "SEVERE" || entry.at("level") == "WARNING") found.push_back(entry.at("message"));
  }
  return found;
}

std::vector<std::string> Browser::requests() {
  std::vector<std::string> addresses;
  for (const Json& entry : log("performance")) {
    const Json message = Json::parse(entry.at("message").get<std::string>()).at("message");
    if (message.at("method") != "Network.requestWillBeSent") continue;
    addresses.push_back(message.at("params").at("request").at("url"));
  }
  return addresses;
}

double Browser::renderer_peak_mib() const {
  double peak = 0.0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream command_line(entry.path() / "cmdline"), status(entry.path() / "status");
    const std::string arguments{std::istreambuf_iterator<char>(command_line), {}};
    // Other browsers of this machine are none of ours: ours names its profile.
    if (arguments.find("--type=renderer") == std::string::npos ||
        arguments.find(home_.path().string()) == std::string::npos)
      continue;
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("VmHWM:", 0) == 0) peak = std::max(peak, std::stod(line.substr(6)) / 1024.0);
    }
  }
  return peak;
}

Browser& browser() {
  static std::unique_ptr<Browser> one;
  static std::string problem;
  try {
    if (!one && problem.empty()) one = std::make_unique<Browser>();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  if (!one) throw std::runtime_error(problem);
  return *one;
}

}  // namespace tinylm::test
