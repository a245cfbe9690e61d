// A heat map with the tokens on both axes: a row is a token that looks, its cells what it looks at. What may not be
// looked at stays blank. The view of one head, and of the rollout.

const axisFont = size => size + 'px ui-monospace, "DejaVu Sans Mono", monospace';

// Where things are, in CSS pixels: the side of the map, its upper left corner, the side of a cell.
function matrixPlaces(view, room, pen) {
  const fits = Math.min(room, within(window.innerHeight - 345, 330, 1200)), font = 11;
  pen.font = axisFont(font);
  view.longestLabel ??= view.tokens.labels.reduce((most, label) => Math.max(most, pen.measureText(label).width), 0);
  const margin = Math.ceil(within(view.longestLabel + 8, 22, Math.min(90, fits * 0.28)));
  let cell = Math.min((fits - margin - 2) / view.T, 44);
  if (cell >= 4) cell = Math.floor(cell);
  return {font: cell < font && cell >= 9 ? 9 : font, margin, cell, side: Math.round(cell * view.T)};
}

// Draws `map`; gives the places. Shorter sides than T take the greatest weight of each group of cells.
function drawMatrix(canvas, view, map, selection, room) {
  const places = matrixPlaces(view, room, canvas.getContext('2d')), {margin, cell, side} = places;
  const pen = penOf(canvas, margin + side + 2, margin + side + 2), scale = scaleOf(map);
  const sharp = window.devicePixelRatio || 1, cells = Math.min(map.T, Math.max(1, Math.floor(side * sharp)));
  const small = html('canvas', {width: cells, height: cells}), image = new ImageData(cells, cells);
  putMap(image, pooled(map, cells), cells, scale, 0, 0);
  small.getContext('2d').putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(small, margin, margin, side, side);
  if (cell >= 12) drawLines(pen, view.T, places);
  if (cell >= 30) printCells(pen, map, scale, places);
  drawAxes(pen, view, selection, places);
  drawMarks(pen, map, selection, places);
  Object.assign(canvas.dataset, {margin, cell});
  return places;
}

function drawLines(pen, T, {margin, cell, side}) {
  pen.fillStyle = cssColour('panel');
  for (let t = 1; t < T; ++t) {
    pen.fillRect(margin + t * cell - 0.5, margin, 1, side);
    pen.fillRect(margin, margin + t * cell - 0.5, side, 1);
  }
}

function printCells(pen, map, scale, {margin, cell}) {
  pen.font = axisFont(11);
  [pen.textAlign, pen.textBaseline] = ['center', 'middle'];
  for (let q = 0; q < map.T; ++q) {
    for (let k = 0; k < map.end(q); ++k) {
      const value = map.value(q, k);
      pen.fillStyle = inkOn(scale.rgb(value));
      pen.fillText(
          map.unit === 'times' ? shortNumber(Number(Math.pow(2, value).toFixed(1))) : cellNumber(value),
          margin + (k + 0.5) * cell, margin + (q + 0.5) * cell);
    }
  }
}

// As many labels as have room; those of the chosen query and key always.
function drawAxes(pen, view, selection, {margin, cell, font}) {
  const every = Math.max(1, Math.ceil(font / cell)), [quiet, loud] = [cssColour('quiet'), cssColour('c1')];
  const one = (t, chosen, upright) => {
    pen.save();
    pen.fillStyle = chosen ? loud : quiet;
    pen.font = (chosen ? '700 ' : '') + axisFont(font);
    [pen.textAlign, pen.textBaseline] = [upright ? 'left' : 'right', 'middle'];
    pen.translate(upright ? margin + (t + 0.5) * cell : margin - 4, upright ? margin - 4 : margin + (t + 0.5) * cell);
    if (upright) pen.rotate(-Math.PI / 2);
    pen.fillText(view.tokens.labels[t], 0, 0, margin - 6);
    pen.restore();
  };
  const axis = (chosen, upright) => {
    for (let t = 0; t < view.T; t += every) {
      if (chosen < 0 || every === 1 ? t !== chosen : Math.abs(t - chosen) * cell > font) one(t, false, upright);
    }
    if (chosen >= 0) one(chosen, true, upright);
  };
  axis(selection.query, false);
  axis(selection.key, true);
}

// Frames around the chosen row and cell; with room around rows that are thinner than the frame's lines.
function drawMarks(pen, map, {query, key}, {margin, cell}) {
  const room = cell < 5 ? 2.5 : 0.5;
  const frame = (x, y, width, height) => pen.strokeRect(x - room, y - room, width + 2 * room, height + 2 * room);
  pen.strokeStyle = cssColour('c1');
  pen.lineWidth = cell < 5 ? 1 : 1.5;
  frame(margin, margin + query * cell, map.end(query) * cell, cell);
  if (key >= 0) frame(margin + key * cell, margin + query * cell, cell, cell);
}

// What is under the pointer: its query and key; the labels on the left give the query alone.
function matrixPart(view, map, {margin, cell, side}, x, y) {
  const query = Math.floor((y - margin) / cell), key = Math.floor((x - margin) / cell);
  if (query < 0 || query >= view.T || x > margin + side) return null;
  if (key < 0) return {query, key: -1};
  return key < map.end(query) ? {query, key} : null;
}

// The panel of a heat map. mapAt(selection): what it draws, null where there is nothing to.
function makeMatrix(view, name, mapAt, nothing) {
  const canvas = html('canvas', {role: 'img', class: 'matrix', 'data-map': name});
  const legend = html('span', {}), readout = html('p', {class: 'readout', 'aria-live': 'polite'});
  const axes = html('p', {class: 'told'}, 'Rows: the token that looks. Columns: what it looks at.');
  const beside = html('div', {class: view.full ? '' : 'beside'}, readout, legend, axes);
  const element = html('div', {class: 'view'}, html('div', {class: 'mapbox'}, canvas, beside));
  const legends = remembered();
  let map = null, places = null;
  pointAt(canvas, (x, y) => map && matrixPart(view, map, places, x, y));

  const draw = selection => {
    map = mapAt(selection);
    canvas.hidden = !map;
    readout.textContent = map ? cellTold(view, map, selection) : nothing;
    if (!map) return;
    places = drawMatrix(canvas, view, map, selection, element.clientWidth);
    beside.style.top = places.margin + 'px';
    canvas.setAttribute('aria-label', 'heat map of ' + name + '. ' + readout.textContent);
    legends(
        [map.hue, map.high, state.curve, themeName(), map.unit].join(),
        () => legend.replaceChildren(legendOf(scaleOf(map), map.write)));
  };
  const numbers = () => map && [['query', 'key', 'query_token', 'key_token', map.unit], ...cellsOf(view, map)];
  return {element, draw, saves: {PNG: () => map && savePng(name, canvas), CSV: () => map && saveCsv(name, numbers())}};
}

function* cellsOf(view, map) {
  const {texts} = view.tokens;
  for (let q = 0; q < map.T; ++q) {
    for (let k = 0; k < map.end(q); ++k) {
      const value = map.value(q, k);
      yield [q, k, texts[q], texts[k], map.unit === 'times' ? Math.pow(2, value) : value];
    }
  }
}

// The chosen cell in words; without a chosen key, the one that gets most.
function cellTold(view, map, {query, key}) {
  let k = key;
  if (k < 0) {
    k = 0;
    for (let other = 1; other < map.end(query); ++other)
      if (map.value(query, other) > map.value(query, k)) k = other;
  }
  return tokenName(view, query) + ' (' + query + ') ' + (key < 0 ? 'looks most at ' : 'looks at ') +
      tokenName(view, k) + ' (' + k + '): ' + map.tell(query, k, map.value(query, k));
}
