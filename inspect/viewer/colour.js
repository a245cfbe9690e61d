// Numbers to colours. The scales go from quiet to loud in lightness, so that they read without seeing hues; blue and
// orange are told apart by nearly all eyes. A theme has scales of its own: in the dark, loud is bright.

const colourStops = {
  light: {
    blue: [[236, 241, 247], [158, 197, 232], [59, 125, 196], [8, 48, 107]],
    orange: [[252, 246, 238], [249, 203, 147], [222, 115, 36], [122, 46, 4]],
    both: [[8, 64, 129], [110, 165, 216], [240, 240, 238], [240, 157, 82], [150, 58, 0]],
  },
  dark: {
    blue: [[40, 45, 53], [31, 82, 133], [78, 148, 220], [214, 236, 255]],
    orange: [[48, 42, 37], [120, 66, 24], [222, 126, 52], [255, 224, 186]],
    both: [[164, 208, 255], [53, 112, 170], [46, 49, 54], [176, 92, 34], [255, 190, 128]],
  },
};

const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;
const themeName = () => (isDark() ? 'dark' : 'light');

// Steps of a scale's table: more than an eye, or eight bits a channel, can tell apart.
const colourSteps = 1024;

function colourTable(stops) {
  const table = new Uint8ClampedArray(colourSteps * 3);
  for (let i = 0; i < colourSteps; ++i) {
    const at = i / (colourSteps - 1) * (stops.length - 1), below = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; ++c)
      table[i * 3 + c] = Math.round(stops[below][c] + (at - below) * (stops[below + 1][c] - stops[below][c]));
  }
  return table;
}

const colourTables = Object.fromEntries(
    Object.entries(colourStops)
        .map(([
               theme, scales
             ]) => [theme, Object.fromEntries(Object.entries(scales).map(([name,
                                                                           stops]) => [name, colourTable(stops)]))]));

// The curves by which a fraction of the greatest value becomes a place on the scale. The logarithm's least is 1e-4.
const curveOf = {
  linear: fraction => fraction,
  sqrt: Math.sqrt,
  log: fraction => (fraction <= 1e-4 ? 0 : 1 + Math.log10(fraction) / 4),
};

// A scale of values from `low` to `high`; what lies outside takes the colour of the end. `hue`: blue, orange, or both
// for values on two sides of 0, where low is -high.
function colourScale(hue, curve, low, high) {
  const table = colourTables[themeName()][hue], bend = curveOf[curve], span = high - low || 1;
  const within = fraction => Math.min(1, Math.max(0, fraction));
  const place = hue === 'both' ? value => 0.5 + Math.sign(value) * bend(within(Math.abs(value) / (high || 1))) / 2 :
                                 value => bend(within((value - low) / span));
  // Where the value stands in the table: its red, then green and blue.
  const index = value => Math.round(place(value) * (colourSteps - 1)) * 3;
  const rgb = value => Array.from(table.subarray(index(value), index(value) + 3));
  return {hue, curve, low, high, table, index, rgb, place, css: value => 'rgb(' + rgb(value).join(',') + ')'};
}

// Black or white, whichever is read better on a colour (WCAG's contrast).
function inkOn(rgb) {
  const [r, g, b] = rgb.map(c => (c <= 10 ? c / 3294.6 : Math.pow((c / 255 + 0.055) / 1.055, 2.4)));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
}

// Gives an element the colour of a value, and readable ink; no value, no colour.
function paint(element, scale, value) {
  const shown = value !== null && value !== undefined && Number.isFinite(value);
  element.style.background = shown ? scale.css(value) : '';
  element.style.color = shown ? inkOn(scale.rgb(value)) : '';
}

// A bar of the scale with its ends written beside it, and marks: [{value, title}].
function legendOf(scale, write, marks = []) {
  const bar = html('canvas', {class: 'bar', width: 128, height: 1, 'aria-hidden': 'true'});
  const pen = bar.getContext('2d');
  for (let i = 0; i < 128; ++i) {
    pen.fillStyle = scale.css(valueAt(scale, i / 127));
    pen.fillRect(i, 0, 1, 1);
  }
  const notches = marks.map(mark => html('i', {
                              class: 'notch',
                              title: mark.title,
                              style: 'left: ' + 100 * (mark.value - scale.low) / (scale.high - scale.low || 1) + '%',
                            }));
  return html(
      'span', {class: 'legend'}, html('span', {}, write(scale.low)), html('span', {class: 'barbox'}, bar, ...notches),
      html('span', {}, write(scale.high)));
}

const valueAt = (scale, fraction) => scale.low + fraction * (scale.high - scale.low);
