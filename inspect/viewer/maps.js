// What heat maps, arcs and thumbnails draw: numbers of query q and key k, for k < end(q). A map knows the scale of its
// colours, how a cell is told in words, and a key that changes whenever its numbers do.

const percent = value => (value >= 0.0005 || value === 0 ? (100 * value).toFixed(1) + '\u00a0%' : '<\u00a00.1\u00a0%');

function attentionMap(view, layer, head) {
  const {attention, T, full} = view, begin = (layer * view.H + head) * view.mapSize;
  return {
    key: 'attention ' + layer + ' ' + head,
    T,
    end: q => (full ? T : q + 1),
    hue: 'blue',
    low: 0,
    high: 1,
    value: (q, k) => attention[begin + rowStart(q, T, full) + k] / wholeWeight,
    write: value => percent(value),
    unit: 'weight',
    tell: (q, k, value) => percent(value) + ' of its attention (chance: ' + percent(1 / (full ? T : q + 1)) + ')',
  };
}

// Kobayashi et al. 2020: how long the vector is that the head moves from k to q.
function valueWeightedMap(view, layer, head) {
  const weights = attentionMap(view, layer, head), begin = (layer * view.H + head) * view.T;
  return {
    ...weights,
    key: 'value_weighted ' + layer + ' ' + head,
    high: greatestValue(view),
    value: (q, k) => weights.value(q, k) * view.valueNorms[begin + k],
    write: shortNumber,
    unit: 'length',
    tell: (q, k, value) =>
        'a vector of length ' + shortNumber(value) + ' (weight ' + percent(weights.value(q, k)) + ')',
  };
}

// The greatest value-weighted number of all heads, so that their colours can be compared.
function greatestValue(view) {
  if (view.greatestValue !== undefined) return view.greatestValue;
  let greatest = 0;
  for (let layer = 0; layer < view.L; ++layer) {
    for (let head = 0; head < view.H; ++head) {
      const weights = attentionMap(view, layer, head), begin = (layer * view.H + head) * view.T;
      for (let q = 0; q < view.T; ++q) {
        for (let k = 0; k < weights.end(q); ++k)
          greatest = Math.max(greatest, weights.value(q, k) * view.valueNorms[begin + k]);
      }
    }
  }
  return view.greatestValue = greatest;
}

// Rollout (Abnar & Zuidema 2020) over that of uniform heads, as a power of two from 1/8 to 8: under causality the first
// tokens collect weight even from uniform heads.
function rolloutMap(view) {
  const {rollout, uniformRollout, T} = view;
  const at = (q, k) => rowStart(q, T, false) + k;
  return {
    key: 'rollout',
    T,
    end: q => q + 1,
    hue: 'both',
    low: -3,
    high: 3,
    value: (q, k) => Math.log2(Math.max(rollout[at(q, k)], 0.5) / Math.max(uniformRollout[at(q, k)], 0.5)),
    write: value => (value <= -3 ? '1/8' : shortNumber(Math.pow(2, value))) + ' ×',
    unit: 'times',
    tell: (q, k, value) => shortNumber(Math.pow(2, value)) + ' times what uniform heads would give it (' +
        percent(rollout[at(q, k)] / wholeWeight) + ' against ' + percent(uniformRollout[at(q, k)] / wholeWeight) + ')',
  };
}

const mapOf = (view, layer, head) =>
    (state.weights === 'value_weighted' && view.valueNorms ? valueWeightedMap : attentionMap)(view, layer, head);

const scaleOf = map => colourScale(map.hue, map.hue === 'both' ? 'linear' : state.curve, map.low, map.high);

// The map in `cells` by `cells` numbers: each the greatest of its part, since an average hides single cells. NaN where
// nothing may be looked at.
function pooled(map, cells) {
  const values = new Float32Array(cells * cells).fill(NaN), column = new Int32Array(map.T);
  for (let t = 0; t < map.T; ++t) column[t] = Math.floor(t * cells / map.T);
  for (let q = 0; q < map.T; ++q) {
    const row = column[q] * cells, end = map.end(q);
    for (let k = 0; k < end; ++k) {
      const value = map.value(q, k), i = row + column[k];
      if (!(values[i] >= value)) values[i] = value;
    }
  }
  return values;
}

// Puts numbers into the pixels of an image, a square whose upper left corner is (left, top).
function putMap(image, values, cells, scale, left, top) {
  for (let row = 0; row < cells; ++row) {
    let at = ((top + row) * image.width + left) * 4;
    for (let i = row * cells; i < (row + 1) * cells; ++i, at += 4) {
      if (Number.isNaN(values[i])) continue;
      const colour = scale.index(values[i]);
      image.data[at] = scale.table[colour];
      image.data[at + 1] = scale.table[colour + 1];
      image.data[at + 2] = scale.table[colour + 2];
      image.data[at + 3] = 255;
    }
  }
}
