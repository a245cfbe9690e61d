#include "cli/progress_line.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/numbers.h"

namespace tinylm {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastBar = 10, kMostBar = 30;  // with its ends

struct Part {
  int importance;  // what has less is left out first
  std::string text;
};

/// Three significant digits, or fewer where they say the same: 0.001, 5.25e-05.
std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

/// How far it is. In the order in which they stand; all ASCII, a byte a column.
std::vector<Part> progress_parts(const Progress& progress) {
  std::vector<Part> parts = {{9, "step " + std::to_string(progress.step) + "/" + std::to_string(progress.total_steps)},
                             {2, grouped(std::llround(progress.tokens_per_s)) + " tokens/s"}};
  if (progress.share_of_peak > 0.0)
    parts.push_back({1, std::to_string(std::lround(100.0 * progress.share_of_peak)) + " % of peak"});
  parts.push_back({7, human_seconds(progress.left_s) + " left"});
  return parts;
}

/// How well it learns.
std::vector<Part> learning_parts(const Progress& progress) {
  std::vector<Part> parts = {{8, "loss " + fixed(progress.loss_nats, 3)}};
  if (!std::isnan(progress.val_loss_nats)) parts.push_back({6, "val " + fixed(progress.val_loss_nats, 3)});
  if (!std::isnan(progress.best_val_loss_nats)) parts.push_back({5, "best " + fixed(progress.best_val_loss_nats, 3)});
  parts.push_back({3, "rate " + short_number(progress.learning_rate)});
  parts.push_back({4, "norm " + short_number(progress.gradient_norm)});
  return parts;
}

std::size_t width_of(const std::vector<Part>& parts) {
  std::size_t width = 0;
  for (const Part& part : parts) width += part.text.size() + kGap;
  return parts.empty() ? 0 : width - kGap;
}

void drop_least_important(std::vector<Part>& parts) {
  parts.erase(std::min_element(parts.begin(), parts.end(),
                               [](const Part& a, const Part& b) { return a.importance < b.importance; }));
}

std::string bar(const Progress& progress, std::size_t width) {
  const std::size_t cells = width - 2;
  const double share =
      static_cast<double>(progress.step) / static_cast<double>(std::max<std::int64_t>(1, progress.total_steps));
  const auto done = std::min(cells, static_cast<std::size_t>(std::max(0.0, share) * static_cast<double>(cells)));
  return "[" + std::string(done, '#') + std::string(cells - done, '.') + "]";
}

void drop_to_fit(std::vector<Part>& parts, std::size_t columns) {
  while (parts.size() > 1 && width_of(parts) > columns) drop_least_important(parts);
}

std::string joined(const std::vector<Part>& parts) {
  std::string line;
  for (const Part& part : parts) line += (line.empty() ? "" : std::string(kGap, ' ')) + part.text;
  return line;
}

/// With a bar before them in the room that is left of `columns`, where that is enough.
std::string with_bar(const Progress& progress, const std::vector<Part>& parts, std::size_t columns) {
  const std::size_t used = width_of(parts) + kGap;
  if (columns < used + kLeastBar) return joined(parts);
  return bar(progress, std::min(kMostBar, columns - used)) + std::string(kGap, ' ') + joined(parts);
}

}  // namespace

std::string progress_line(const Progress& progress, std::size_t columns) {
  std::vector<Part> first = progress_parts(progress), second = learning_parts(progress);
  const std::size_t all = width_of(first) + kGap + width_of(second);
  if (columns == 0 || columns >= all + kGap + kLeastBar) {  // one line
    std::vector<Part> parts = {first.front()};
    parts.insert(parts.end(), second.begin(), second.end());
    parts.insert(parts.end(), first.begin() + 1, first.end());
    return with_bar(progress, parts, columns);
  }
  drop_to_fit(first, columns);
  drop_to_fit(second, columns);
  return with_bar(progress, first, columns) + "\n" + joined(second);
}

}  // namespace tinylm
