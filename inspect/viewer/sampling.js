// The next token: what the model believes, and what sampling makes of it. The rules are those of `tinylm sample`:
// temperature, then top-k, then top-p of what is left; the rest is scaled to sum to one.

// The likeliest tokens at position q, likeliest first, equal ones by id: [{id, logit, model}]. model: the probability
// at temperature 1 with nothing cut off.
function modelChances(view, q) {
  const {kept, ids, logits, rest} = view.next;
  const tokens = [];
  for (let i = q * kept; i < (q + 1) * kept; ++i)
    tokens.push({id: ids ? ids[i] : i - q * kept, logit: logits[i], model: 0});
  tokens.sort((a, b) => b.logit - a.logit || a.id - b.id);
  const largest = tokens[0].logit;
  let total = rest ? Math.exp(rest[q] - largest) : 0;
  for (const token of tokens) total += Math.exp(token.logit - largest);
  for (const token of tokens) token.model = Math.exp(token.logit - largest) / total;
  return tokens;
}

// Logits are float32: a probability this little below top-p has reached it.
const rounding = 1e-7;

// Adds the chance with which sampling takes each token, `sampled`. Where the page holds only the likeliest of a large
// vocabulary, the others count at temperature 1, as nothing more is known of them.
function sampledChances(tokens, {temperature, topK, topP}) {
  if (temperature === 0) return tokens.map((token, i) => ({...token, sampled: i === 0 ? 1 : 0}));
  const largest = tokens[0].logit;
  const left = topK > 0 ? tokens.slice(0, topK) : tokens;
  const weights = left.map(token => Math.exp((token.logit - largest) / temperature));
  const sumOf = numbers => numbers.reduce((sum, number) => sum + number, 0);
  const seen = temperature === 1 && !(topK > 0) ? sumOf(tokens.map(token => token.model)) : 1;
  const total = sumOf(weights) / seen;
  let count = 0;
  for (let reached = 0; count < weights.length && (topP >= 1 || reached < topP * (1 - rounding) * total); ++count)
    reached += weights[count];
  const divisor = topP >= 1 ? total : sumOf(weights.slice(0, Math.max(count, 1)));
  return tokens.map((token, i) => ({...token, sampled: i < Math.max(count, 1) ? weights[i] / divisor : 0}));
}

// What the sampling column leaves out, in words; null when it is exact.
function samplingCaveat(view) {
  const {kept, vocabulary} = view.next;
  const exact = kept === vocabulary || state.temperature === 0 || state.temperature === 1 ||
      (state.topK > 0 && state.topK <= kept);
  return exact ? null : 'sampling counts the ' + kept + ' likeliest of ' + shortNumber(vocabulary) + ' tokens';
}
