// The logit lens: what the model would say if it stopped after each block. A row a block, a column a position; below,
// the likeliest tokens of the chosen position.

const lensColumns = 256;  // at most so many columns at once
const ranks = ['1st', '2nd', '3rd', '4th', '5th'];

const blockName = (view, row) => row === 0 ? 'embedding' :
    row === view.lens.rows - 1             ? 'output' :
                                             'after L' + (row - 1);

function lensColours(view) {
  const {lens, T, model} = view;
  if (state.lens === 'entropy') {
    const most = Math.log(Math.max(2, model.vocabulary));
    return {
      scale: colourScale('orange', 'linear', 0, most),
      value: (row, t) => lens.entropy[row * T + t],
      write: value => shortNumber(Number(value.toFixed(2))) + ' nats'
    };
  }
  const value =
      state.lens === 'top' ? (row, t) => lens.chances[(row * T + t) * lens.kept] : (row, t) => lens.target[row * T + t];
  return {scale: colourScale('blue', state.curve, 0, 1), value, write: percent};
}

function lensTable(view, first, last) {
  const {lens, T} = view, {scale, value, write} = lensColours(view);
  const rows = Array.from({length: lens.rows}, (_, row) => {
    const cells = [];
    for (let t = first; t < last; ++t) {
      const cell = html(
          'td', {
            'data-cell': row + ' ' + t,
            title: blockName(view, row) + ', ' + tokenName(view, t) + ': ' +
                (Number.isFinite(value(row, t)) ? write(value(row, t)) : 'n/a')
          },
          html('bdi', {}, labelOf(view, lens.top[(row * T + t) * lens.kept])));
      paint(cell, scale, value(row, t));
      pointTo(cell, {query: t, key: -1});
      cells.push(cell);
    }
    return html('tr', {}, html('th', {scope: 'row'}, blockName(view, row)), ...cells);
  });
  const heads = view.tokens.labels.slice(first, last).map(label => html('th', {scope: 'col'}, html('bdi', {}, label)));
  return html(
      'table', {class: 'lens'}, html('thead', {}, html('tr', {}, html('th', {}, 'position'), ...heads)),
      html('tbody', {}, ...rows));
}

function lensDetail(view, q) {
  const {lens, T} = view, target = targetOf(view, q);
  const rows = Array.from({length: lens.rows}, (_, row) => {
    const at = row * T + q;
    const tops = Array.from({length: lens.kept}, (__, i) => {
      const id = lens.top[at * lens.kept + i];
      return html(
          'td', {class: id === target ? 'true' : ''}, html('bdi', {}, labelOf(view, id)), ' ',
          percent(lens.chances[at * lens.kept + i]));
    });
    return html(
        'tr', {}, html('th', {scope: 'row'}, blockName(view, row)),
        html('td', {}, target === null ? 'n/a' : percent(lens.target[at])), ...tops,
        html('td', {}, lens.entropy[at].toFixed(2)));
  });
  return html(
      'table', {class: 'detail'},
      html(
          'caption', {},
          'What follows ' + tokenName(view, q) + (target === null ? '' : '; truly ' + tokenName(view, q + 1))),
      html(
          'thead', {},
          html(
              'tr', {},
              ...['', 'true token', ...ranks.slice(0, lens.kept), 'entropy, nats'].map(
                  text => html('th', {scope: 'col'}, text)))),
      html('tbody', {}, ...rows));
}

function makeLens(view) {
  const menu = menuFor('lens', 'colour of the lens', choices.lens), legend = html('span', {});
  const box = html('div', {class: 'scroll'}), detail = html('div', {class: 'scroll'});
  const element = html('div', {class: 'view'}, html('div', {class: 'tools'}, menu.element, legend), box, detail);
  const tables = remembered(), details = remembered(), scrolled = remembered();
  const draw = selection => {
    menu.draw();
    const q = selection.query, first = Math.max(0, Math.floor(q / lensColumns) * lensColumns);
    const last = Math.min(view.T, first + lensColumns);
    tables([first, state.lens, state.curve, themeName()].join(), () => {
      box.replaceChildren(lensTable(view, first, last));
      const {scale, write} = lensColours(view);
      legend.replaceChildren(legendOf(scale, write));
    });
    details(String(q), () => detail.replaceChildren(lensDetail(view, q)));
    box.querySelectorAll('.chosen').forEach(cell => cell.classList.remove('chosen'));
    box.querySelectorAll('tr').forEach(row => row.children[q - first + 1].classList.add('chosen'));
    if (!selection.previewed) scrolled(first + ' ' + q, () => scrollWithin(box, box.querySelector('.chosen')));
  };
  return {element, draw, saves: {CSV: () => saveLens(view)}};
}

function saveLens(view) {
  const {lens, T} = view,
               rows = [['block', 'position', 'token', 'likeliest', 'probability', 'true_probability', 'entropy_nats']];
  for (let row = 0; row < lens.rows; ++row) {
    for (let t = 0; t < T; ++t) {
      const at = row * T + t;
      rows.push([
        blockName(view, row), t, view.tokens.texts[t], labelOf(view, lens.top[at * lens.kept]),
        lens.chances[at * lens.kept], lens.target[at], lens.entropy[at]
      ]);
    }
  }
  saveCsv('lens', rows);
}
