// All heads at once, a thumbnail each, on one canvas. A thumbnail's pixel is the greatest weight of its part: averages
// would hide single cells.

const edge = 26;  // room for the names of layers and heads, in CSS pixels
const gap = 4;

function thumbnailPlaces(view, room) {
  const fits = Math.min((room - edge) / view.H, (window.innerHeight - 380) / view.L);
  const side = within(Math.floor(fits) - gap, 18, 180);
  return {side, width: edge + view.H * (side + gap), height: edge + view.L * (side + gap)};
}

// All thumbnails, drawn once for what they depend on: they are slow to draw, and the frame moves with the pointer.
function thumbnailSheet(view, {side, width, height}) {
  const sharp = window.devicePixelRatio || 1, pixels = Math.round(side * sharp);
  const sheet = html('canvas', {width: Math.round(width * sharp), height: Math.round(height * sharp)});
  const cells = Math.min(view.T, pixels), small = html('canvas', {width: cells, height: cells}),
        pen = sheet.getContext('2d');
  pen.imageSmoothingEnabled = false;
  for (let layer = 0; layer < view.L; ++layer) {
    for (let head = 0; head < view.H; ++head) {
      const map = mapOf(view, layer, head), image = new ImageData(cells, cells);
      putMap(image, pooled(map, cells), cells, scaleOf(map), 0, 0);
      small.getContext('2d').putImageData(image, 0, 0);
      const left = Math.round((edge + head * (side + gap)) * sharp),
            down = Math.round((edge + layer * (side + gap)) * sharp);
      pen.drawImage(small, left, down, pixels, pixels);
    }
  }
  return sheet;
}

function drawHeads(canvas, view, sheet, places, {layer, head, query}) {
  const {side, width, height} = places, pen = penOf(canvas, width, height);
  pen.drawImage(sheet, 0, 0, width, height);
  pen.font = '12px system-ui, sans-serif';
  [pen.textAlign, pen.textBaseline] = ['center', 'middle'];
  const name = (text, x, y, chosen) => {
    pen.fillStyle = cssColour(chosen ? 'c1' : 'quiet');
    pen.fillText(text, x, y);
  };
  const middle = i => edge + i * (side + gap) + side / 2;
  view.layers.forEach((number, i) => name('L' + number, edge / 2 - 2, middle(i), i === layer));
  view.heads.forEach((number, i) => name('H' + number, middle(i), edge / 2, i === head));
  const left = edge + head * (side + gap), down = edge + layer * (side + gap);
  [pen.strokeStyle, pen.lineWidth] = [cssColour('c1'), 2];
  pen.strokeRect(left - 1, down - 1, side + 2, side + 2);
  pen.fillStyle = cssColour('c1');
  pen.fillRect(left - 4, down + query / view.T * side, 3, Math.max(2, side / view.T));
}

function makeHeads(view) {
  const canvas = html('canvas', {role: 'img', class: 'heads', 'data-map': 'heads'});
  const box = html('div', {class: 'scroll'}, canvas), readout = html('p', {class: 'readout', 'aria-live': 'polite'});
  const element = html('div', {class: 'view'}, box, readout), sheets = remembered();
  let places = null;
  pointAt(canvas, (x, y) => {
    const head = Math.floor((x - edge) / (places.side + gap)), layer = Math.floor((y - edge) / (places.side + gap));
    return head >= 0 && head < view.H && layer >= 0 && layer < view.L ? {layer, head} : null;
  });
  const draw = selection => {
    places = thumbnailPlaces(view, element.clientWidth);
    const sheet =
        sheets([places.side, state.weights, state.curve, themeName()].join(), () => thumbnailSheet(view, places));
    drawHeads(canvas, view, sheet, places, selection);
    Object.assign(canvas.dataset, {edge, step: places.side + gap, side: places.side});
    const score = scoreOf(view), value = shownValues(view, score)[selection.layer][selection.head];
    readout.textContent =
        headName(view, selection.layer, selection.head) + ': ' + score.name + ' ' + scoreNumber(score, value);
    canvas.setAttribute('aria-label', 'thumbnails of all heads. ' + readout.textContent);
  };
  return {element, draw, saves: {PNG: () => savePng('heads', canvas)}};
}
