// Direct logit attribution: what each part of the model adds to the logit of the true next token. The parts and the
// rest sum to the logit.

const shownParts = 14;

// The parts at position q, strongest first: [{name, value, layer, head}].
function partsOf(view, q) {
  const {components, values} = view.attribution;
  return components.map((component, i) => ({...component, value: values[i * view.T + q]}))
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}

function makeAttribution(view) {
  const told = html('p', {class: 'told'}), list = html('div', {class: 'parts'});
  const panel = makePanel(
      'attribution', 'What speaks for the true next token', [], {CSV: () => saveAttribution(view)}, told, list);
  const drawn = remembered();
  const draw = ({query, layer, head}) => drawn([query, layer, head].join(), () => {
    const target = targetOf(view, query);
    told.textContent = target === null ?
        'The text ends at ' + tokenName(view, query) + ': there is no true next token.' :
        'Logit of ' + tokenName(view, query + 1) + ' after ' + tokenName(view, query) + ': ' +
            shortNumber(view.attribution.logits[query]) + ', the sum of all parts.';
    list.replaceChildren(...(target === null ? [] : barsOf(view, query, layer, head)));
  });
  return {element: panel.element, draw};
}

function barsOf(view, query, layer, head) {
  const parts = partsOf(view, query), shown = parts.slice(0, shownParts), rest = parts.slice(shownParts);
  if (rest.length) shown.push({name: rest.length + ' others', value: rest.reduce((sum, part) => sum + part.value, 0)});
  const most = Math.max(1e-9, ...shown.map(part => Math.abs(part.value)));
  return shown.map(part => {
    const share = 50 * Math.abs(part.value) / most,
          places = [view.layers.indexOf(part.layer), view.heads.indexOf(part.head)];
    const isHead = places.every(place => place >= 0);
    const style = 'width: ' + share + '%; ' + (part.value < 0 ? 'right: 50%' : 'left: 50%');
    const row = html(
        isHead ? 'button' : 'div',
        {class: 'part' + (isHead && places[0] === layer && places[1] === head ? ' chosen' : '')},
        html('span', {}, part.name),
        html('span', {class: 'chance'}, html('i', {class: part.value < 0 ? 'against' : 'for', style})),
        html('small', {}, (part.value > 0 ? '+' : '') + part.value.toFixed(2)));
    if (isHead) row.addEventListener('click', () => change({layer: places[0], head: places[1]}));
    return row;
  });
}

function saveAttribution(view) {
  const {query} = selectionOf(view);
  saveCsv('attribution', [
    ['part', 'logit'], ...partsOf(view, query).map(part => [part.name, part.value]),
    ['sum', view.attribution.logits[query]]
  ]);
}
