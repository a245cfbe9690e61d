// An inspection for the terminal: the sentence, a score of every head, the map of one head, the tokens by their loss,
// and what the model expects next.
#pragma once

#include <cstddef>
#include <string>

#include "inspect/terminal.h"
#include "inspect/view.h"

namespace tinylm {

/// A score of the heads shown, a row a layer and a column a head, "n/a" for NaN; as many heads side by side as
/// `columns` hold.
std::string score_table(const HeadScores& scores, const HeadSelection& shown, std::size_t columns);

/// The tokens in lines of at most `columns`, each on a colour that says how much it surprised the model (the brightest:
/// ln V or more, no better than an even guess); without colours, with a mark for that below each.
std::string token_strip(const Inspection& text, std::size_t columns, ColorDepth depth);

/// The five likeliest tokens after the last one, with their probabilities, on one line.
std::string next_tokens_line(const View& view);

/// All of it, with the map of `head`, a head of the model.
std::string term_view(const View& view, const HeadPlace& head, std::size_t columns, ColorDepth depth);

}  // namespace tinylm
