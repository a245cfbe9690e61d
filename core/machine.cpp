#include "core/machine.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <string>

namespace tinylm {
namespace {

namespace fs = std::filesystem;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Content of one of the kernel's files, "" when there is none: every one of them is optional.
std::string kernel_file(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

/// The number a kernel file consists of; nothing for a missing file or "max".
std::optional<double> kernel_number(const fs::path& path) {
  std::istringstream content(kernel_file(path));
  double value = 0;
  if (content >> value) return value;
  return std::nullopt;
}

/// The number after the word `name` at the start of a line of "name number" or "name: number kB".
std::optional<double> named_number(const fs::path& path, const std::string& name) {
  std::istringstream lines(kernel_file(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string word;
    double value = 0;
    if (fields >> word >> value && word == name) return value;
  }
  return std::nullopt;
}

struct Hierarchy {
  bool version2 = false;
  std::vector<fs::path> groups;  // folders of the own group and of the groups that contain it
};

bool lists_controller(const std::string& controllers, const std::string& controller) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == controller) return true;
  }
  return false;
}

/// The group named in /proc/self/cgroup and its parents, as far as they are visible: inside a container the name may be
/// the one outside, of which only the root of the mount is seen.
std::vector<fs::path> groups_upwards(const fs::path& mount, const fs::path& group) {
  std::vector<fs::path> groups;
  for (fs::path name = group.relative_path(); !name.empty(); name = name.parent_path()) groups.push_back(mount / name);
  groups.push_back(mount);
  return groups;
}

/// Where limits of `controller` may stand. A line of /proc/self/cgroup is "number:controllers:group"; version 2 has no
/// controllers.
std::vector<Hierarchy> hierarchies(const fs::path& root, const std::string& controller) {
  const fs::path mounts = root / "sys/fs/cgroup";
  std::vector<Hierarchy> found;
  std::istringstream lines(kernel_file(root / "proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) {
      const fs::path unified = fs::exists(mounts / "unified") ? mounts / "unified" : mounts;
      found.push_back({true, groups_upwards(unified, group)});
    } else if (lists_controller(controllers, controller)) {
      found.push_back({false, groups_upwards(mounts / controller, group)});
    }
  }
  return found;
}

double group_cores(const fs::path& group, bool version2) {
  std::optional<double> quota, period;
  if (version2) {
    std::istringstream fields(kernel_file(group / "cpu.max"));  // "max 100000" or "150000 100000"
    double quota_us = 0, period_us = 0;
    if (fields >> quota_us >> period_us) quota = quota_us, period = period_us;
  } else {
    quota = kernel_number(group / "cpu.cfs_quota_us");  // -1: no limit
    period = kernel_number(group / "cpu.cfs_period_us");
  }
  return quota && period && *quota > 0 && *period > 0 ? *quota / *period : kNoLimit;
}

double group_memory_left(const fs::path& group, bool version2) {
  const auto limit = kernel_number(group / (version2 ? "memory.max" : "memory.limit_in_bytes"));
  const auto used = kernel_number(group / (version2 ? "memory.current" : "memory.usage_in_bytes"));
  if (!limit || !used) return kNoLimit;
  const auto files = named_number(group / "memory.stat", version2 ? "inactive_file" : "total_inactive_file");
  return std::max(0.0, *limit - std::max(0.0, *used - files.value_or(0.0)));
}

/// The smallest of `measure(group, version2)` over all groups this process is in.
template <class Measure>
double smallest_over_groups(const fs::path& root, const std::string& controller, const Measure& measure) {
  double smallest = kNoLimit;
  for (const Hierarchy& hierarchy : hierarchies(root, controller)) {
    for (const fs::path& group : hierarchy.groups) smallest = std::min(smallest, measure(group, hierarchy.version2));
  }
  return smallest;
}

std::vector<int> allowed_processors() {
  for (int count = CPU_SETSIZE; count <= (1 << 20); count *= 2) {  // the kernel refuses a set smaller than its own
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(count));
    if (set == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(count));
    std::vector<int> allowed;
    const bool done = ::sched_getaffinity(0, size, set) == 0;
    for (int i = 0; done && i < count; ++i) {
      if (CPU_ISSET_S(static_cast<std::size_t>(i), size, set)) allowed.push_back(i);
    }
    CPU_FREE(set);
    if (done || errno != EINVAL) return allowed;
  }
  return {};
}

}  // namespace

int usable_cores() {
  return usable_cores(allowed_processors(), "/");
}

int usable_cores(const std::vector<int>& allowed, const fs::path& root) {
  std::set<std::string> cores;  // hyper-threads of one core list the same siblings
  for (const int number : allowed) {
    const std::string name = "cpu" + std::to_string(number);
    const std::string siblings = kernel_file(root / "sys/devices/system/cpu" / name / "topology/thread_siblings_list");
    cores.insert(siblings.empty() ? name : siblings);
  }
  const double quota = std::ceil(smallest_over_groups(root, "cpu", group_cores));
  return static_cast<int>(std::max(1.0, std::min(static_cast<double>(cores.size()), quota)));
}

std::uint64_t available_memory_bytes(const fs::path& root) {
  const double system = named_number(root / "proc/meminfo", "MemAvailable:").value_or(0.0) * 1024.0;
  return static_cast<std::uint64_t>(std::min(system, smallest_over_groups(root, "memory", group_memory_left)));
}

std::uint64_t resident_bytes() {
  return static_cast<std::uint64_t>(named_number("/proc/self/status", "VmRSS:").value_or(0.0)) * 1024;
}

void forget_peak_resident() {
  std::ofstream("/proc/self/clear_refs") << "5\n";
}

std::vector<std::string> command_line(const fs::path& root) {
  std::vector<std::string> words;
  std::istringstream content(kernel_file(root / "proc/self/cmdline"));
  for (std::string word; std::getline(content, word, '\0');) words.push_back(word);
  return words;
}

std::uint64_t peak_resident_bytes() {
  // getrusage's figure survives exec and may be the parent's, so the kernel's own line comes first.
  if (const auto kilobytes = named_number("/proc/self/status", "VmHWM:")) {
    return static_cast<std::uint64_t>(*kilobytes) * 1024;
  }
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace tinylm
