// The keyboard: one table from which keys act and which `?` shows.

const turn = (key, ids, by) => change({[key]: ids[(ids.indexOf(state[key]) + by + ids.length) % ids.length]});
const idsOf = key => choices[key].map(([id]) => id);

// Moves a number of the selection within what the largest view has; each shows what lies within its own.
function step(name, by) {
  const largest = view =>
      ({layer: view.L, head: view.H, query: view.T, key: view.full ? view.T : selectionOf(view).query + 1});
  const chosen = {...state, ...state.hover}, most = Math.max(...views.map(view => largest(view)[name])) - 1;
  change({key: -1, [name]: within(within(chosen[name], -1, most) + by, 0, most)});
}

const keyTable = [
  {keys: ['ArrowLeft', 'ArrowRight'], show: '← →', text: 'previous, next token', run: by => step('query', by)},
  {keys: ['ArrowUp', 'ArrowDown'], show: '↑ ↓', text: 'previous, next layer', run: by => step('layer', by)},
  {keys: ['[', ']'], show: '[ ]', text: 'previous, next head', run: by => step('head', by)},
  {keys: [',', '.'], show: ', .', text: 'what the chosen token looks at: back, forth', run: by => step('key', by)},
  {keys: ['Home', 'End'], show: 'Home End', text: 'first, last token', run: by => step('query', by * 1e6)},
  {
    keys: ['S', 's'],
    show: 'S s',
    text: 'previous, next score of the map',
    run: by => turn('score', views[0].scores.map(score => score.id), by)
  },
  {keys: ['V', 'v'], show: 'V v', text: 'previous, next view', run: by => turn('view', idsOf('view'), by)},
  {
    keys: ['C', 'c'],
    show: 'C c',
    text: 'linear, square-root, log colour',
    run: by => turn('curve', idsOf('curve'), by)
  },
  {keys: ['w'], show: 'w', text: 'weights, value-weighted', run: () => turn('weights', idsOf('weights'), 1)},
  {
    keys: ['T', 't'],
    show: 'T t',
    text: 'what colours the tokens',
    run: by => turn('strip', stripChoices(views[0]).map(([id]) => id), by)
  },
  {keys: ['-', '+'], show: '- +', text: 'temperature down, up', run: by => warm(by)},
  {keys: ['<', '>'], show: '< >', text: 'back, forth in training', run: by => age(by)},
  {keys: ['n'], show: 'n', text: 'the head that the first line names', run: () => change(openingOf(views[0]))},
  {keys: ['?'], show: '?', text: 'these keys', run: () => showHelp()},
];

const warm = by =>
    change({temperature: Number(within(state.temperature + by * 0.05, ...limits.temperature).toFixed(2))});

function age(by) {
  const {training} = views[0];
  if (!training) return;
  const last = training.steps.length - 1;
  change({step: within((state.step < 0 ? last : state.step) + by, 0, last)});
}

function showHelp() {
  const rows = keyTable.map(
      ({show, text}) =>
          html('tr', {}, html('td', {}, ...show.split(' ').map(key => html('kbd', {}, key))), html('td', {}, text)));
  byId('help').replaceChildren(
      html('h2', {}, 'Keys'), html('table', {}, html('tbody', {}, ...rows)),
      html(
          'p', {},
          'Tab reaches every menu, slider and button. Moving the pointer previews, clicking pins. Esc closes.'),
      html('form', {method: 'dialog'}, html('button', {}, 'Close')));
  byId('help').showModal();
}

// On the map of heads, the arrows move among heads as they lie there.
function onGrid(event) {
  const by = {ArrowLeft: ['head', -1], ArrowRight: ['head', 1], ArrowUp: ['layer', -1], ArrowDown: [
                'layer', 1
              ]}[event.key];
  if (!by || !event.target.closest('[role=grid]')) return false;
  step(...by);
  return true;
}

// Whether a slider or a menu that has the focus wants the key for itself: arrows and the ends; a menu the letters too.
const belongsTo = (element, key) => element.closest('select') ? key !== '?' :
    element.closest('input')                                  ? key.length > 1 :
                                                                false;

function listenToKeys() {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || byId('help').open) return;
    const found = keyTable.find(({keys}) => keys.includes(event.key));
    if (belongsTo(event.target, event.key)) return;
    if (!onGrid(event)) {
      if (!found) return;
      const place = found.keys.indexOf(event.key);
      found.run(found.keys.length === 1 || place === 1 ? 1 : -1);
    }
    event.preventDefault();
  });
}
