// Decodes what the program wrote into the page. The letters: L layers, H heads, T tokens; q the token that looks
// (query), k the token it looks at (key). Layers and heads are counted here as they are shown; names give the model's
// own numbers.

// The bytes of base64, decoded in pieces, since the whole as a text takes as much memory again. Numbers in it are
// little-endian, as is every machine that runs a browser.
function bytesOf(text) {
  const piece = 1 << 16, padding = text.slice(-2).split('=').length - 1;
  const bytes = new Uint8Array(text.length / 4 * 3 - padding);
  for (let from = 0, at = 0; from < text.length; from += piece) {
    const packed = atob(text.slice(from, from + piece));
    for (let i = 0; i < packed.length; ++i) bytes[at++] = packed.charCodeAt(i);
  }
  return bytes;
}

const orNull = (text, decode) => (text === null || text === undefined ? null : decode(text));
const wordsOf = text => orNull(text, given => new Uint16Array(bytesOf(given).buffer));
const integersOf = text => orNull(text, given => new Int32Array(bytesOf(given).buffer));
const floatsOf = text => orNull(text, given => new Float32Array(bytesOf(given).buffer));

// A weight of 1 as it is packed; each row of attention sums to exactly this.
const wholeWeight = 65535;

// Where row q begins in a packed triangle, or in a full square of T columns.
const rowStart = (q, T, full) => (full ? q * T : q * (q + 1) / 2);

function decodeView(given) {
  const T = given.tokens.ids.length, L = given.layers.length, H = given.heads.length;
  const full = given.attention_full === true;
  const {ablation, attribution, lens, next, training} = given;
  return {
    ...given,
    T,
    L,
    H,
    full,
    mapSize: rowStart(T, T, full),
    attention: wordsOf(given.attention),
    valueNorms: floatsOf(given.value_norms),
    rollout: wordsOf(given.rollout),
    uniformRollout: wordsOf(given.uniform_rollout),
    next: {...next, logits: floatsOf(next.logits), ids: integersOf(next.ids), rest: floatsOf(next.rest)},
    lens: lens && {
      top: integersOf(lens.top),
      chances: floatsOf(lens.top_probabilities),
      target: floatsOf(lens.target_probabilities),
      entropy: floatsOf(lens.entropy_nats),
      rows: given.model.layers + 1,
      kept: integersOf(lens.top).length / ((given.model.layers + 1) * T),  // the likeliest, in their order
    },
    ablation: ablation && {zero: floatsOf(ablation.zero), mean: floatsOf(ablation.mean)},
    attribution: attribution && {
      components: attribution.components,
      values: floatsOf(attribution.values),
      logits: floatsOf(attribution.logits)
    },
    training: training && {
      steps: training.steps,
      scores: Object.fromEntries(Object.entries(training.scores).map(([id, text]) => [id, floatsOf(text)])),
    },
  };
}

const headName = (view, layer, head) => 'L' + view.layers[layer] + 'H' + view.heads[head];
const labelOf = (view, id) => view.token_labels[id] ?? '#' + id;

// A token within a sentence; the marks around it keep its direction of writing from turning the sentence around.
const tokenName = (view, t) => '“\u2068' + view.tokens.labels[t] + '\u2069”';

// The true next token after position q, or null at the end of the text.
const targetOf = (view, q) => (q + 1 < view.T ? view.tokens.ids[q + 1] : null);
