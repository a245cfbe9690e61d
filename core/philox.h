// Counter-based random numbers: every draw is a function of (seed, purpose, sample, place), so nothing has to be saved
// to continue a run, and the result does not depend on threads, micro-batches or the order of calls.
// Source: Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), Philox4x32-10.
#pragma once

#include <array>
#include <cstdint>

namespace tinylm {

/// What a random number is drawn for; different purposes never share a number.
enum class Purpose : std::uint32_t {
  kInitialisation = 1,   // sample: index of the parameter, place: element
  kWindow = 2,           // sample: number of the training sample
  kDropout = 3,          // sample: number of the training sample, place: site and element
  kSampling = 4,         // sample: number of the generated text, place: position
  kTokenizerSample = 5,  // sample: number of the line
  kPractice = 6,         // sample: 0 for the questions, else 1 + number of the exercise; place: number of the draw
  kRepeats = 7,          // sample: number of the sequence, place: number of the draw
  kBootstrap = 8,        // sample: number of the replicate, place: number of the draw
};

/// Philox4x32-10 keyed by a seed and a purpose. Values only; copying is free.
class Philox {
 public:
  using Block = std::array<std::uint32_t, 4>;

  Philox(std::uint64_t seed, Purpose purpose)
      : key0_(static_cast<std::uint32_t>(seed)),
        key1_(static_cast<std::uint32_t>(seed >> 32)),
        purpose_(static_cast<std::uint32_t>(purpose) << 24) {}

  /// Four independent 32-bit words for (sample, place). `sample` must be below 2^56.
  Block block(std::uint64_t sample, std::uint64_t place) const { return rounds(counter(sample, place), key0_, key1_); }

  /// What block() does the rounds on, for loops that do those of many blocks at once.
  Block counter(std::uint64_t sample, std::uint64_t place) const {
    return {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32),
            static_cast<std::uint32_t>(sample), purpose_ | static_cast<std::uint32_t>(sample >> 32)};
  }
  std::array<std::uint32_t, 2> key() const { return {key0_, key1_}; }

  /// A double in [0, 1) with 53 random bits.
  double uniform(std::uint64_t sample, std::uint64_t place) const {
    const Block words = block(sample, place);
    const std::uint64_t bits = (static_cast<std::uint64_t>(words[0]) << 32) | words[1];
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
  }

  /// A whole number in [0, limit), limit > 0; the bias of the multiplication is below limit / 2^64.
  std::uint64_t below(std::uint64_t limit, std::uint64_t sample, std::uint64_t place) const {
    const Block words = block(sample, place);
    const std::uint64_t bits = (static_cast<std::uint64_t>(words[0]) << 32) | words[1];
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * limit) >> 64);
  }

  /// Two independent draws from the standard normal distribution (Box-Muller) for (sample, place).
  std::array<double, 2> normal_pair(std::uint64_t sample, std::uint64_t place) const;

  static constexpr int kRounds = 10;
  static constexpr std::uint64_t kMultipliers[2] = {0xD2511F53, 0xCD9E8D57};
  static constexpr std::uint32_t kKeySteps[2] = {0x9E3779B9, 0xBB67AE85};

  /// The bare ten rounds on a counter and a key, as in the paper; known-answer tests use it.
  static Block rounds(Block counter, std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < kRounds; ++round) {
      const std::uint64_t product0 = kMultipliers[0] * counter[0];
      const std::uint64_t product1 = kMultipliers[1] * counter[2];
      counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(product1),
                 static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(product0)};
      key0 += kKeySteps[0];
      key1 += kKeySteps[1];
    }
    return counter;
  }

 private:
  std::uint32_t key0_, key1_, purpose_;
};

}  // namespace tinylm
