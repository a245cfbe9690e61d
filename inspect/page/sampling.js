// From logits to the chances of the next token, by the rules of `tinylm sample`: temperature, then top-k, then top-p of
// what is left; the rest is scaled to sum to one.

// Logits are float32: a probability this little below top-p has reached it.
const rounding = 1e-7;

// The chance of each token to be drawn, 0 where it is cut off. logits: likeliest first. known: the share of all
// probability that they have, where they are only a part of the vocabulary.
function drawnChances(logits, {temperature, topK, topP}, known = 1) {
  if (temperature === 0) return logits.map((logit, i) => i === 0 ? 1 : 0);
  const left = topK > 0 ? logits.slice(0, topK) : logits;
  const weights = left.map(logit => Math.exp((logit - logits[0]) / temperature));
  const sumOf = numbers => numbers.reduce((sum, number) => sum + number, 0);
  const total = sumOf(weights) / known;
  if (topP >= 1) return logits.map((logit, i) => i < weights.length ? weights[i] / total : 0);
  let count = 0;
  for (let reached = 0; count < weights.length && reached < topP * (1 - rounding) * total; ++count)
    reached += weights[count];
  const kept = weights.slice(0, Math.max(count, 1)), keptTotal = sumOf(kept);
  return logits.map((logit, i) => i < kept.length ? kept[i] / keptTotal : 0);
}
