// From logits to the chances of the next token, as sample/sampler.cpp computes them.

// Indices of the tokens that may be drawn at all, likeliest first; ties go to the smaller id.
function byLikelihood(logits) {
  const ids = [];
  logits.forEach((logit, id) => {
    if (logit !== null) ids.push(id);
  });
  return ids.sort((a, b) => logits[b] - logits[a] || a - b);
}

// settings: {temperature, topK (0: off), topP}. The chance of each token to be drawn; 0 where it is cut off.
function chancesOf(logits, {temperature, topK, topP}) {
  const chances = logits.map(() => 0);
  let ids = byLikelihood(logits);
  if (ids.length === 0) return chances;
  if (temperature === 0) {
    chances[ids[0]] = 1;
    return chances;
  }
  if (topK > 0) ids = ids.slice(0, topK);
  const weights = ids.map(id => Math.exp((logits[id] - logits[ids[0]]) / temperature));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let kept = 0, reached = 0;
  while (kept < ids.length && reached < topP * (1 - 1e-7) * all) reached += weights[kept++];
  kept = Math.max(kept, 1);
  const total = weights.slice(0, kept).reduce((sum, weight) => sum + weight, 0);
  for (let i = 0; i < kept; ++i) chances[ids[i]] = weights[i] / total;
  return chances;
}

const asDrawn = {temperature: 1, topK: 0, topP: 1};  // the model's own probabilities
