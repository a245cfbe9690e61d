// Files of what a panel shows: CSV of its numbers, PNG of its canvas, SVG of its drawing.

function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], {type}));
  html('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// Rows of texts and numbers; each text in quotes, so that tokens of commas, quotes and line ends read back.
function saveCsv(name, rows) {
  const field = value => {
    if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
    return '"' + String(value ?? '').replaceAll('"', '""') + '"';
  };
  save(name + '.csv', 'text/csv', rows.map(row => row.map(field).join(',') + '\r\n').join(''));
}

// A copy of the canvas on the panel's colour.
function savePng(name, canvas) {
  const copy = html('canvas', {width: canvas.width, height: canvas.height}), pen = copy.getContext('2d');
  pen.fillStyle = cssColour('panel');
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(canvas, 0, 0);
  copy.toBlob(blob => save(name + '.png', 'image/png', blob), 'image/png');
}

function saveSvg(name, drawing) {
  const copy = drawing.cloneNode(true);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  save(name + '.svg', 'image/svg+xml', new XMLSerializer().serializeToString(copy));
}

// The value of one of the colours in the style sheet, for canvases and drawings.
const cssColour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
