// The map of all heads by one score: a table of L rows and H columns, numbers printed, colours of the score's scale.

const scoreOf = view => view.scores.find(score => score.id === state.score) || view.scores[0];

// The score's values as shown: the model's own, or those of a step of its training.
function shownValues(view, score) {
  const tracked = trackedAt(view, score);
  if (!tracked) return score.values;
  return score.values.map((row, layer) => row.map((_, head) => tracked[layer * view.H + head]));
}

const signed = score => score.unit === 'nats' || score.unit === 'logit';
const finite = value => value !== null && value !== undefined && Number.isFinite(value);

const scoreScale = score =>
    colourScale(signed(score) ? 'both' : 'blue', 'linear', score.lowest ?? 0, score.highest ?? 1);

// As it fits a cell: .81, -.03, 1.0, 12, n/a.
function cellNumber(value) {
  if (!finite(value)) return 'n/a';
  if (Math.abs(value) >= 10) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 0.995 ? 1 : 2).replace(/^(-?)0\./, '$1.').replace(/^-\.00$/, '.00');
}

function scoreNumber(score, value) {
  if (!finite(value)) return 'n/a';
  const unit = {nats: ' nats', logit: ' logits'}[score.unit] || '';
  return (signed(score) && value > 0 ? '+' : '') + value.toFixed(Math.abs(value) < 0.1 ? 3 : 2) + unit;
}

function makeScores(view) {
  const menu = menuFor('score', 'score of the heads', view.scores.map(score => [score.id, score.name]));
  const told = html('p', {class: 'told'}), base = html('p', {class: 'base'}), legend = html('span', {});
  const grid = makeGrid(view);
  const training = view.training ? makeTraining(view) : null;
  const panel = makePanel(
      'scores', 'Heads', [menu.element], {CSV: () => saveScores(view)}, told,
      html('div', {class: 'scroll'}, grid.element), html('div', {class: 'tools'}, legend), base,
      training && training.element);
  const drawn = remembered();
  const draw = selection => {
    const score = scoreOf(view);
    menu.element.value = score.id;
    drawn([score.id, state.step, themeName()].join(), () => {
      grid.paint(score);
      told.textContent = score.explanation;
      const tracked = trackedAt(view, score) !== null, chance = !tracked || score.id.endsWith('_random');
      const marks = finite(score.baseline) && chance ? [{value: score.baseline, title: 'chance'}] : [];
      legend.replaceChildren(legendOf(scoreScale(score), value => scoreNumber(score, value), marks));
      base.textContent = 'Rows: layers, columns: heads, counted from 0. ' +
          (tracked ? 'Taken during training, on random tokens that come twice.' : baselineTold(score));
    });
    grid.select(selection);
    if (training) training.draw(selection, score);
  };
  return {element: panel.element, draw};
}

function baselineTold(score) {
  const rows = finite(score.rows) ? ' Mean over ' + score.rows + (score.rows === 1 ? ' token.' : ' tokens.') : '';
  if (!score.values.flat().some(finite))
    return signed(score) ? 'Not computed for this text.' : 'n/a: no token of this text has what the score looks for.';
  if (!finite(score.baseline)) return rows.trim();
  const without = signed(score) ? 'A head that does nothing: ' : 'Chance, attention spread evenly: ';
  return without + scoreNumber(score, score.baseline) + '.' + rows;
}

// The cells; arrow keys move the choice of head while one of them has the focus.
function makeGrid(view) {
  const cells = [];
  const rows = view.layers.map((number, layer) => {
    const row = html('tr', {role: 'row'}, html('th', {scope: 'row', role: 'rowheader'}, 'L' + number));
    view.heads.forEach((_, head) => {
      const cell = html('td', {role: 'gridcell', tabindex: '-1', 'data-head': headName(view, layer, head)});
      pointTo(cell, {layer, head});
      cells.push(cell);
      row.append(cell);
    });
    return row;
  });
  const columns = view.heads.map(number => html('th', {scope: 'col', role: 'columnheader'}, 'H' + number));
  const element = html(
      'table',
      {class: view.H > 8 ? 'grid dense' : 'grid', role: 'grid', 'aria-label': 'scores of all heads; arrow keys move'},
      html('thead', {}, html('tr', {role: 'row'}, html('td', {}), ...columns)), html('tbody', {}, ...rows));
  let chosen = cells[0];

  const paintAll = score => {
    const scale = scoreScale(score), values = shownValues(view, score).flat();
    cells.forEach((cell, i) => {
      paint(cell, scale, values[i]);
      cell.textContent = cellNumber(values[i]);
      cell.setAttribute('aria-label', cell.dataset.head + ', ' + score.name + ' ' + scoreNumber(score, values[i]));
      cell.title = cell.getAttribute('aria-label');
    });
  };
  const select = ({layer, head, previewed}) => {
    const next = cells[layer * view.H + head], focused = document.activeElement === chosen;
    chosen.setAttribute('aria-selected', 'false');
    chosen.tabIndex = -1;
    next.setAttribute('aria-selected', 'true');
    next.tabIndex = 0;
    if (focused && !previewed) next.focus({preventScroll: true});
    chosen = next;
  };
  return {element, paint: paintAll, select};
}

function saveScores(view) {
  const shown = view.scores.map(score => shownValues(view, score));
  const heads = view.layers.flatMap((_, layer) => view.heads.map((__, head) => [layer, head]));
  saveCsv('scores', [
    ['head', ...view.scores.map(score => score.id)],
    ...heads.map(([layer, head]) => [headName(view, layer, head), ...shown.map(values => values[layer][head] ?? NaN)])
  ]);
}
