// The chosen row as a table: everything that the heat map shows of it, for reading and for screen readers.

function makeRow(view) {
  const caption = html('caption', {}), body = html('tbody', {});
  const columns = ['position', 'token', 'weight', 'chance', 'value-weighted'];
  const table = html(
      'table', {class: 'row'}, caption,
      html('thead', {}, html('tr', {}, ...columns.map(text => html('th', {scope: 'col'}, text)))), body);
  const panel = makePanel(
      'row', 'The chosen row', [], {CSV: () => saveRow(view)},
      html('div', {class: 'scroll tall', tabindex: '0'}, table));
  const drawn = remembered();
  const draw = selection => {
    const {layer, head, query} = selection;
    drawn([layer, head, query].join(), () => {
      caption.textContent =
          headName(view, layer, head) + ' at ' + tokenName(view, query) + ' (' + query + '), strongest first';
      body.replaceChildren(
          ...rowOf(view, selection)
              .map(
                  ({k, weight, weighted, even}) => html(
                      'tr', {}, html('td', {}, String(k)), html('td', {}, html('bdi', {}, view.tokens.labels[k])),
                      html('td', {}, percent(weight)), html('td', {}, percent(even)),
                      html('td', {}, shortNumber(weighted)))));
    });
  };
  return {element: panel.element, draw};
}

function rowOf(view, {layer, head, query}) {
  const weights = attentionMap(view, layer, head), end = weights.end(query), row = [];
  const weighted = view.valueNorms ? valueWeightedMap(view, layer, head).value : () => NaN;
  for (let k = 0; k < end; ++k)
    row.push({k, weight: weights.value(query, k), weighted: weighted(query, k), even: 1 / end});
  return row.sort((a, b) => b.weight - a.weight);
}

function saveRow(view) {
  const selection = selectionOf(view), {texts} = view.tokens;
  saveCsv('row', [
    ['position', 'token', 'weight', 'value_weighted'],
    ...rowOf(view, selection).map(({k, weight, weighted}) => [k, texts[k], weight, weighted])
  ]);
}
