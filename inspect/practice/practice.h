// Attention exercises as a dialogue in plain lines, for a terminal or a pipe.
#pragma once

#include <cstdint>
#include <iosfwd>

namespace tinylm {

/// Sets `exercises` exercises and three boundary questions, all chosen by `seed`: reads an answer a line from `in`,
/// says on `out` which step is off and why, shows solutions, and counts what was right at the first try. Nothing a
/// person types is an error; the end of input and "q" end it early, with the count so far.
void run_practice(std::istream& in, std::ostream& out, std::uint64_t seed, std::int64_t exercises);

}  // namespace tinylm
