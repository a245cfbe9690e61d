// The next token: what the model believes, and what sampling makes of it.

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

// Adds the chance with which sampling takes each token, `sampled`. Where the page holds only the likeliest of a large
// vocabulary, the others count at temperature 1, as nothing more is known of them.
function sampledChances(tokens, settings) {
  const whole = settings.temperature === 1 && !(settings.topK > 0);
  const known = whole ? tokens.reduce((sum, token) => sum + token.model, 0) : 1;
  const drawn = drawnChances(tokens.map(token => token.logit), settings, known);
  return tokens.map((token, i) => ({...token, sampled: drawn[i]}));
}

// What the sampling column leaves out, in words; null when it is exact.
function samplingCaveat(view) {
  const {kept, vocabulary} = view.next;
  const exact = kept === vocabulary || state.temperature === 0 || state.temperature === 1 ||
      (state.topK > 0 && state.topK <= kept);
  return exact ? null : 'sampling counts the ' + kept + ' likeliest of ' + shortNumber(vocabulary) + ' tokens';
}
