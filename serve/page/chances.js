// The chances of the next token, by id.

// Indices of the tokens that may be drawn at all, likeliest first; ties go to the smaller id.
function byLikelihood(logits) {
  const ids = [];
  logits.forEach((logit, id) => {
    if (logit !== null) ids.push(id);
  });
  return ids.sort((a, b) => logits[b] - logits[a] || a - b);
}

// The chance of each token to be drawn under settings {temperature, topK (0: off), topP}.
function chancesOf(logits, settings) {
  const chances = logits.map(() => 0), ids = byLikelihood(logits);
  drawnChances(ids.map(id => logits[id]), settings).forEach((chance, i) => {
    chances[ids[i]] = chance;
  });
  return chances;
}

// The model's own probabilities.
const asDrawn = {
  temperature: 1,
  topK: 0,
  topP: 1
};
