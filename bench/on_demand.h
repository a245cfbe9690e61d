// How a bare program is used by `tinylm bench`: it makes its model, warms up, and then works as often as a line of
// stdin says, until stdin ends. While it waits for a line it takes no processor time.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "core/machine.h"
#include "core/stop_watch.h"
#include "core/torch_compat.h"

namespace tinylm::bench {

/// PROGRAM --on-demand THREADS gelu|relu2 tied|own NUMBER...
struct Demand {
  /// Sets the threads. Ends the program with exit code 2 when the words are not these.
  Demand(int argc, char** argv, int count) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (static_cast<int>(words.size()) < 4 + count) {
      std::fprintf(stderr, "usage: %s --on-demand THREADS gelu|relu2 tied|own and %d numbers\n", argv[0], count);
      std::exit(2);
    }
    use_threads(std::stoi(words[1]));
    gelu = words[2] == "gelu";
    tied = words[3] == "tied";
    for (std::size_t i = 4; i < words.size(); ++i) numbers.push_back(std::stoll(words[i]));
  }

  /// Does work(n) for each line n of stdin, and writes the seconds that it took and the most memory so far above that
  /// of the started program.
  template <class Work>
  int answer(const Work& work) const {
    for (std::string line; std::getline(std::cin, line);) {
      const std::int64_t count = std::stoll(line);
      const double seconds = seconds_of([&] { work(count); });
      std::printf("seconds %.9f memory_bytes %llu\n", seconds,
                  static_cast<unsigned long long>(peak_resident_bytes() - started_bytes));
      std::fflush(stdout);
    }
    return 0;
  }

  bool gelu = false, tied = false;
  std::vector<std::int64_t> numbers;
  std::uint64_t started_bytes = peak_resident_bytes();
};

}  // namespace tinylm::bench
