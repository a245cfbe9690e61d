// What comes next after the chosen token: the model's own probabilities and those that sampling would draw from, side
// by side; the true next token is marked.

const shownTokens = 10;

function makeNext(view) {
  const {kept} = view.next;
  const sliders = [
    sliderFor(
        'temperature', 'temperature', {min: 0, max: 2, step: 0.05},
        value => (value === 0 ? '0: greedy' : value.toFixed(2))),
    sliderFor(
        'topK', 'top-k', {min: 0, max: Math.min(kept, 256), step: 1}, value => (value === 0 ? 'off' : String(value))),
    sliderFor('topP', 'top-p', {min: 0.01, max: 1, step: 0.01}, value => (value >= 1 ? 'off' : value.toFixed(2))),
  ];
  const after = html('p', {class: 'told'}),
        list = html('div', {class: 'chances', role: 'table', 'aria-label': 'next token'});
  const caveat = html('p', {class: 'told'});
  const panel = makePanel(
      'next', 'Next token', [], {CSV: () => saveNext(view)}, after, list,
      html('p', {class: 'told'}, 'drawn: by sampling with'),
      html('div', {class: 'sliders'}, ...sliders.map(slider => slider.element)), caveat);
  const sorted = remembered(), drawn = remembered();
  const draw = ({query}) => {
    sliders.forEach(slider => slider.draw());
    drawn([query, state.temperature, state.topK, state.topP].join(), () => {
      const tokens = sampledChances(sorted(String(query), () => modelChances(view, query)), state);
      after.replaceChildren(
          'after ', html('b', {}, html('bdi', {}, tokenName(view, query))),
          ', position ' + query + trueTold(view, query, tokens));
      list.replaceChildren(
          chanceHead(), ...shownOf(tokens, targetOf(view, query)).map(token => chanceRow(view, token, query)));
      caveat.textContent = samplingCaveat(view) || '';
    });
  };
  return {element: panel.element, draw};
}

function trueTold(view, query, tokens) {
  const target = targetOf(view, query);
  if (target === null) return '; the text ends here';
  const rank = tokens.findIndex(token => token.id === target);
  return '; truly ' + tokenName(view, query + 1) +
      (rank < 0 ? ', not among the ' + tokens.length + ' likeliest' : ', the model’s choice no. ' + (rank + 1));
}

// The likeliest, and the true one where it is not among them; each with its rank.
function shownOf(tokens, target) {
  const ranked = tokens.map((token, i) => ({...token, rank: i + 1})), shown = ranked.slice(0, shownTokens);
  const truly = target === null ? undefined : ranked.find(token => token.id === target);
  if (truly && !shown.includes(truly)) shown[shown.length - 1] = truly;
  return shown;
}

const chanceHead = () => html(
    'div', {class: 'head', role: 'row'},
    ...[['', ''], ['model', 'model'], ['drawn', 'sampled']].map(
        ([text, kind]) => html('span', {role: 'columnheader', class: kind}, text)));

function chanceRow(view, token, query) {
  const truly = token.id === targetOf(view, query);
  const bar = (kind, chance) => html(
      'span', {role: 'cell', class: 'chance ' + kind},
      html('i', {style: 'width: ' + 100 * chance + '%', 'data-chance': chance}),
      html('small', {}, chance === 0 ? '0' : percent(chance)));
  return html(
      'div',
      {role: 'row', class: truly ? 'true' : '', 'data-id': token.id, title: 'id ' + token.id + ', rank ' + token.rank},
      html('span', {role: 'rowheader'}, html('bdi', {}, labelOf(view, token.id)), truly ? html('em', {}, '✓') : null),
      bar('model', token.model), bar('sampled', token.sampled));
}

function saveNext(view) {
  const {query} = selectionOf(view), target = targetOf(view, query);
  saveCsv('next', [
    ['id', 'token', 'model', 'sampling', 'true'],
    ...sampledChances(modelChances(view, query), state)
        .map(
            token => [token.id, labelOf(view, token.id), token.model, token.sampled, token.id === target ? 'true' : ''])
  ]);
}
