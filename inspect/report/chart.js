// One chart: axes, curves, and what the pointer is on.

const margin = {
  left: 58,
  right: 14,
  top: 8,
  bottom: 24
};

// A curve breaks where a value is missing or, on a logarithmic axis, not positive.
function drawable(value, kind) {
  return value !== null && Number.isFinite(value) && (kind !== 'log' || value > 0);
}

function pathOf(xs, ys, x, y, kind) {
  let path = '', pen = false;
  for (let i = 0; i < xs.length; ++i) {
    if (!drawable(ys[i], kind)) {
      pen = false;
      continue;
    }
    path += (pen ? 'L' : 'M') + x.at(xs[i]).toFixed(1) + ' ' + y.at(ys[i]).toFixed(1);
    pen = true;
  }
  return path;
}

function bandOf(series, x, y, kind) {
  const there = [], back = [];
  series.x.forEach((value, i) => {
    if (!drawable(series.low[i], kind) || !drawable(series.high[i], kind)) return;
    there.push(x.at(value).toFixed(1) + ' ' + y.at(series.high[i]).toFixed(1));
    back.unshift(x.at(value).toFixed(1) + ' ' + y.at(series.low[i]).toFixed(1));
  });
  return there.length ? 'M' + there.concat(back).join('L') + 'Z' : '';
}

// The curves decide the range; what is behind them may stick out of it.
function rangeOf(all, kind) {
  let low = Infinity, high = -Infinity;
  for (const value of all.flat()) {
    if (!drawable(value, kind)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : null;
}

// Some room above and below the curves; from zero where the chart wants it.
function roomy([low, high], spec) {
  if (spec.kind === 'log') return [low / Math.pow(high / low, 0.04), high * Math.pow(high / low, 0.04)];
  const room = (high - low) * 0.04;
  return [spec.zero ? Math.min(0, low) : low - room, high + room];
}

// spec: {id, title, note, kind, zero, xKind, xName, series: [{name, color, x, y, low, high, raw, dash, dots}], write}.
// write: a value as text. A curve y has behind it, faintly, what it is the smoothed form of (raw), and a band from low
// to high.
// Gives the <figure>; draw() it again when its width changes.
function makeChart(spec, size) {
  const picture = svg('svg', {role: 'img', 'aria-label': spec.title});
  const tip = html('div', {class: 'tip', hidden: ''});
  const figure = html(
      'figure', {class: size},
      html('figcaption', {}, spec.title, spec.note ? html('small', {}, ' ' + spec.note) : null), picture, tip);
  const height = size === 'large' ? 340 : size === 'half' ? 280 : 210;
  let x = null;

  figure.draw = () => {
    const width = Math.max(240, picture.clientWidth || 600);
    picture.replaceChildren();
    picture.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
    const across = rangeOf(spec.series.map(one => one.x), 'linear');
    const values = rangeOf(spec.series.map(one => one.y), spec.kind);
    if (!across || !values) {
      picture.append(svg('text', {x: width / 2, y: height / 2, 'text-anchor': 'middle'}, 'nothing to show yet'));
      return;
    }
    x = makeScale(spec.xKind, across[0], across[1], margin.left, width - margin.right, width / 90);
    const up = roomy(values, spec);
    const y = makeScale(spec.kind, up[0], up[1], height - margin.bottom, margin.top, height / 40);
    drawAxes(picture, x, y, width, height, spec);
    for (const one of spec.series) drawSeries(picture, one, x, y, spec.kind);
  };
  picture.addEventListener('pointermove', event => x && showTip(event, picture, tip, spec, x, height));
  picture.addEventListener('pointerleave', () => {
    tip.hidden = true;
    picture.querySelectorAll('.cursor').forEach(line => line.remove());
  });
  return figure;
}

function drawAxes(picture, x, y, width, height, spec) {
  const floor = height - margin.bottom;
  for (const tick of y.ticks) {
    picture.append(
        svg('line', {class: 'grid', x1: margin.left, x2: width - margin.right, y1: y.at(tick), y2: y.at(tick)}),
        svg('text', {x: margin.left - 6, y: y.at(tick) + 4, 'text-anchor': 'end'}, axisNumber(tick)));
  }
  for (const tick of x.ticks) {
    const label = spec.xKind === 'time' ? duration(tick) : axisNumber(tick);
    picture.append(
        svg('line', {class: 'axis', x1: x.at(tick), x2: x.at(tick), y1: floor, y2: floor + 4}),
        svg('text', {x: x.at(tick), y: floor + 17, 'text-anchor': 'middle'}, label));
  }
  picture.append(svg('line', {class: 'axis', x1: margin.left, x2: width - margin.right, y1: floor, y2: floor}));
  const clip = svg('clipPath', {id: 'clip-' + spec.id});
  clip.append(svg('rect', {x: margin.left, y: 0, width: width - margin.left - margin.right, height: floor + 1}));
  picture.append(clip);
}

function drawSeries(picture, one, x, y, kind) {
  const group = svg('g', {'clip-path': 'url(#' + picture.querySelector('clipPath').id + ')'});
  if (one.low) group.append(svg('path', {class: 'band', style: 'fill: ' + one.color, d: bandOf(one, x, y, kind)}));
  if (one.raw) {
    const faint = {class: 'curve raw', style: 'stroke: ' + one.color, d: pathOf(one.x, one.raw, x, y, kind)};
    group.append(svg('path', faint));
  }
  const stroke = 'stroke: ' + one.color + (one.dash ? '; stroke-dasharray: ' + one.dash : '');
  group.append(svg('path', {class: 'curve', style: stroke, d: pathOf(one.x, one.y, x, y, kind)}));
  const dots = one.dots && one.x.length <= 60 ? one.x.keys() : one.x.length === 1 ? [0] : [];
  for (const i of dots) {
    if (!drawable(one.y[i], kind)) continue;
    group.append(svg('circle', {cx: x.at(one.x[i]), cy: y.at(one.y[i]), r: 2.6, style: 'fill: ' + one.color}));
  }
  picture.append(group);
}

// Index of the point whose place is nearest to `pixel`.
function nearestPoint(xs, x, pixel) {
  let low = 0, high = xs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x.at(xs[middle]) < pixel)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && pixel - x.at(xs[low - 1]) < x.at(xs[low]) - pixel ? low - 1 : low;
}

function showTip(event, picture, tip, spec, x, height) {
  const box = picture.getBoundingClientRect(), pixel = event.clientX - box.left;
  const lines = [];
  let place = null;
  for (const one of spec.series) {
    if (!one.x.length) continue;
    const i = nearestPoint(one.x, x, pixel), distance = Math.abs(x.at(one.x[i]) - pixel);
    if (place === null || distance < place.distance) place = {distance, value: one.x[i]};
    if (one.y[i] === null || (one.dots && distance > 40)) continue;
    lines.push(html(
        'div', {}, html('i', {style: 'background: ' + one.color}), html('span', {}, one.name),
        html('b', {}, spec.write(one.y[i]))));
  }
  if (place === null) return;
  const where = spec.xKind === 'time' ? duration(place.value) : shortNumber(place.value);
  tip.replaceChildren(html('div', {}, spec.xName + ' ' + where), ...lines);
  tip.hidden = false;
  const frame = picture.parentElement.getBoundingClientRect(), offset = event.clientX - frame.left;
  tip.style.left = (pixel > box.width / 2 ? offset - tip.offsetWidth - 14 : offset + 14) + 'px';
  tip.style.top = box.top - frame.top + 10 + 'px';
  picture.querySelectorAll('.cursor').forEach(line => line.remove());
  const at = x.at(place.value);
  picture.append(svg('line', {class: 'cursor', x1: at, x2: at, y1: margin.top, y2: height - margin.bottom}));
}
