// What the reader has chosen. change() alone alters it, and every change leads to one render of the whole page. The
// choices stand in the address too, so that they outlive a reload and can be handed on.

const state = {
  layer: 0,
  head: 0,
  query: 0,
  key: -1,      // what is pinned, as counted on the page; key -1: none
  hover: null,  // those of the four that the pointer previews
  score: '',
  step: -1,  // of the map of heads; step -1: as the model is
  view: 'matrix',
  weights: 'attention',
  curve: 'sqrt',
  strip: 'loss',
  lens: 'target',
  temperature: 0.8,
  topK: 0,
  topP: 1,
};

const choices = {
  view:
      [['matrix', 'Matrix'], ['arcs', 'Arcs'], ['heads', 'All heads'], ['rollout', 'Rollout'], ['lens', 'Logit lens']],
  weights: [['attention', 'weights'], ['value_weighted', 'value-weighted']],
  curve: [['linear', 'linear'], ['sqrt', 'square root'], ['log', 'log']],
  strip: [
    ['loss', 'loss'], ['zero', 'removing the head (zero)'], ['mean', 'removing the head (mean)'],
    ['looks', 'what the chosen token looks at']
  ],
  lens: [['target', 'true next token'], ['top', 'likeliest token'], ['entropy', 'entropy']],
};

const limits = {
  temperature: [0, 2],
  topP: [0.01, 1]
};

// Takes over from `given`, texts by name, what is a value that its choice can have.
function takeChoices(given) {
  for (const [name, text] of given) {
    if (!Object.hasOwn(state, name) || name === 'hover') continue;
    const value = typeof state[name] === 'number' ? Number(text) : text;
    const fits = limits[name] ? Number.isFinite : Number.isInteger;
    if (typeof value === 'number' && (text === '' || !fits(value))) continue;
    if (choices[name] && !choices[name].some(([id]) => id === value)) continue;
    const [low, high] = limits[name] || [-1, 1e9];
    state[name] = typeof value === 'number' ? Math.min(high, Math.max(low, value)) : value;
  }
}

let renderAsked = false;

// Renders before the next picture, once however often it is asked.
function askToRender() {
  if (renderAsked) return;
  renderAsked = true;
  requestAnimationFrame(() => {
    renderAsked = false;
    render();
  });
}

function change(changes) {
  Object.assign(state, changes);
  if (!('hover' in changes)) {
    state.hover = null;
    const {hover, ...lasting} = state;
    history.replaceState(null, '', '#' + new URLSearchParams(lasting));
  }
  askToRender();
}

// What the pointer is on, a part of the state, or null; it moves more often than it comes to another part.
function hover(part) {
  if (JSON.stringify(part) !== JSON.stringify(state.hover)) change({hover: part});
}

const within = (value, least, most) => Math.max(least, Math.min(most, value));

// The head, query and key that a view shows: what is pinned, or what the pointer is on; within the view's own sizes.
function selectionOf(view) {
  const {layer, head, query, key} = {...state, ...state.hover};
  const q = within(query, 0, view.T - 1), last = view.full ? view.T - 1 : q;
  return {
    layer: within(layer, 0, view.L - 1),
    head: within(head, 0, view.H - 1),
    query: q,
    key: key > last ? -1 : key,
    previewed: state.hover !== null,
  };
}

// Makes a value anew only when its key is another than the last time.
function remembered() {
  let last = null, value = null;
  return (key, make) => {
    if (key !== last) value = make();
    last = key;
    return value;
  };
}
