#include "core/machine.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/files.h"
#include "test_support.h"

namespace tinylm {
namespace {

/// A folder that looks like the kernel's files of a machine with two cores of two hyper-threads and 8 GB available.
class Machine : public ::testing::Test {
 protected:
  Machine() : root_(test::fresh_folder()) {
    for (const int cpu : {0, 1, 2, 3}) {
      write("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
            cpu % 2 == 0 ? "0,2\n" : "1,3\n");
    }
    write("proc/meminfo", "MemTotal:       16000000 kB\nMemFree:  1000 kB\nMemAvailable:    8000000 kB\n");
    write("proc/self/cgroup", "0::/user/job\n");
  }
  void write(const std::string& name, const std::string& text) { write_atomically(root_ / name, text); }

  int cores(const std::vector<int>& allowed) { return usable_cores(allowed, root_); }
  std::uint64_t memory() { return available_memory_bytes(root_); }

  const std::filesystem::path root_;
};

TEST_F(Machine, CountsHyperThreadsOnce) {
  EXPECT_EQ(cores({0, 1, 2, 3}), 2);
  EXPECT_EQ(cores({0, 2}), 1);
  EXPECT_EQ(cores({3}), 1);
}

TEST_F(Machine, CountsProcessorsWithoutTopologyOneByOne) {
  EXPECT_EQ(cores({10, 11, 12}), 3);
}

TEST_F(Machine, HasAtLeastOneCore) {
  EXPECT_EQ(cores({}), 1);
}

TEST_F(Machine, RoundsTheQuotaOfVersion2Up) {
  write("sys/fs/cgroup/user/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(cores({10, 11, 12}), 1);
  write("sys/fs/cgroup/user/job/cpu.max", "150000 100000\n");
  EXPECT_EQ(cores({10, 11, 12}), 2);
  write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cores({10, 11, 12}), 3);
}

TEST_F(Machine, ObeysTheQuotasOfGroupsAbove) {
  write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/user/cpu.max", "100000 100000\n");
  EXPECT_EQ(cores({10, 11, 12}), 1);
}

TEST_F(Machine, ReadsTheQuotaOfVersion1) {
  write("proc/self/cgroup", "4:memory:/\n3:cpu,cpuacct:/job\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cores({10, 11, 12}), 3);
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "200000\n");
  EXPECT_EQ(cores({10, 11, 12}), 2);
}

// In a container /proc may name the group as it is called outside, while its limits stand at the root of the mount.
TEST_F(Machine, ReadsTheLimitsOfAContainersRoot) {
  write("proc/self/cgroup", "0::/outside/docker-1234\n");
  write("sys/fs/cgroup/cpu.max", "100000 100000\n");
  write("sys/fs/cgroup/memory.max", "2000000000\n");
  write("sys/fs/cgroup/memory.current", "500000000\n");
  EXPECT_EQ(cores({10, 11, 12}), 1);
  EXPECT_EQ(memory(), 1500000000u);
}

TEST_F(Machine, ReadsAMixedSetUpsVersion2BesideVersion1) {
  write("proc/self/cgroup", "1:cpu:/\n0::/job\n");
  write("sys/fs/cgroup/unified/job/cpu.max", "100000 100000\n");
  EXPECT_EQ(cores({10, 11, 12}), 1);
}

TEST_F(Machine, HasTheSystemsAvailableMemory) {
  EXPECT_EQ(memory(), 8192000000u);
}

TEST_F(Machine, HasWhatTheSmallestGroupLeaves) {
  write("sys/fs/cgroup/user/job/memory.max", "max\n");
  write("sys/fs/cgroup/user/job/memory.current", "100\n");
  write("sys/fs/cgroup/user/memory.max", "3000000000\n");
  write("sys/fs/cgroup/user/memory.current", "1000000000\n");
  EXPECT_EQ(memory(), 2000000000u);
}

TEST_F(Machine, CountsDroppableFilePagesAsAvailable) {
  write("sys/fs/cgroup/user/job/memory.max", "3000000000\n");
  write("sys/fs/cgroup/user/job/memory.current", "2500000000\n");
  write("sys/fs/cgroup/user/job/memory.stat", "anon 500000000\ninactive_file 1500000000\n");
  EXPECT_EQ(memory(), 2000000000u);
}

TEST_F(Machine, HasNoMemoryLeftInAFullGroup) {
  write("sys/fs/cgroup/user/job/memory.max", "1000\n");
  write("sys/fs/cgroup/user/job/memory.current", "2000\n");
  EXPECT_EQ(memory(), 0u);
}

TEST_F(Machine, ReadsTheMemoryOfVersion1) {
  write("proc/self/cgroup", "4:memory:/job\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "4000000000\n");
  EXPECT_EQ(memory(), 8192000000u);
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2000000000\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "800000000\n");
  write("sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 300000000\n");
  EXPECT_EQ(memory(), 1500000000u);
}

TEST(ThisMachine, HasCoresAndMemory) {
  EXPECT_GE(usable_cores(), 1);
  EXPECT_GT(available_memory_bytes(), 1000000u);
}

TEST(ThisMachine, KnowsThePeakOfThisProcess) {
  const std::uint64_t before = peak_resident_bytes();
  constexpr std::size_t kBytes = 64 << 20;
  const std::string touched(kBytes, 'x');
  EXPECT_GT(peak_resident_bytes(), kBytes);
  EXPECT_GE(peak_resident_bytes(), before);
  EXPECT_EQ(touched.back(), 'x');
}

TEST_F(Machine, KnowsTheWordsOfTheCommandLine) {
  EXPECT_TRUE(command_line(root_).empty());
  write("proc/self/cmdline", std::string("tinylm\0train\0my text.txt\0\0", 26));
  EXPECT_EQ(command_line(root_), (std::vector<std::string>{"tinylm", "train", "my text.txt", ""}));
}

}  // namespace
}  // namespace tinylm
