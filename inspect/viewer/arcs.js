// Attention as arcs over the line of tokens, from the token that looks back to what it looks at. Those of the chosen
// token are coloured; of the others only the strongest, as thousands of arcs would show nothing and take seconds.

const mostArcs = 300;
const leastArc = 0.04;  // of the scale's end: fainter ones are not drawn

// [{q, k, strength}], the chosen token's first.
function arcsOf(map, query) {
  const own = [], others = [];
  for (let q = 0; q < map.T; ++q) {
    for (let k = 0; k < map.end(q); ++k) {
      const strength = map.value(q, k) / (map.high || 1);
      if (strength >= leastArc) (q === query ? own : others).push({q, k, strength});
    }
  }
  others.sort((a, b) => b.strength - a.strength);
  return own.concat(others.slice(0, mostArcs));
}

const shortened = label => (label.length > 14 ? label.slice(0, 13) + '…' : label);

// The space that the upright labels take, at 8 pixels a letter.
const labelRoom = view =>
    14 + 8 * view.tokens.labels.reduce((most, label) => Math.max(most, shortened(label).length), 1);

function arcPath(q, k, x, floor, tallest) {
  const from = x(q), to = x(k), wide = Math.abs(from - to) / 2;
  if (q === k) return `M${from - 3} ${floor}c-4 -14 10 -14 6 0`;
  return `M${from} ${floor}A${wide} ${Math.min(wide, tallest)} 0 0 ${from > to ? 0 : 1} ${to} ${floor}`;
}

function drawArcs(drawing, view, map, {query, key}, room) {
  const step = within(room / view.T, 15, 44), width = Math.max(step * view.T, 60), all = arcsOf(map, query);
  const longest = all.reduce((most, {q, k}) => Math.max(most, Math.abs(q - k)), 0);
  const tallest = within(longest * step / 2, 60, 230), floor = tallest + 6, height = floor + labelRoom(view);
  const x = t => (t + 0.5) * step;
  for (const [name, value] of Object.entries({width, height, viewBox: `0 0 ${width} ${height}`}))
    drawing.setAttribute(name, value);
  const arcs =
      all.reverse().map(({q, k, strength}) => svg('path', {
                          d: arcPath(q, k, x, floor, tallest),
                          fill: 'none',
                          'stroke-width': (0.6 + 4 * strength).toFixed(2),
                          stroke: q === query ? cssColour(k === key ? 'c1' : 'c0') : cssColour('quiet'),
                          'stroke-opacity': (q === query ? 0.35 + 0.65 * strength : 0.35 * strength).toFixed(2),
                          'data-arc': q + ' ' + k,
                        }));
  const labels = view.tokens.labels.map((label, t) => {
    const chosen = t === query;
    const text =
        svg('text', {
          transform: `translate(${x(t)} ${floor + 8}) rotate(90)`,
          'dominant-baseline': 'central',
          'font-size': 12,
          'font-family': 'ui-monospace, "DejaVu Sans Mono", monospace',
          'font-weight': chosen ? 700 : 400,
          fill: cssColour(chosen ? 'c1' : 'ink'),
        },
            shortened(label));
    const hit =
        svg('rect', {x: t * step, y: floor, width: step, height: height - floor, fill: 'transparent', 'data-token': t});
    pointTo(hit, {query: t, key: -1});
    return [text, hit];
  });
  drawing.replaceChildren(...arcs, ...labels.flat());
  return {left: query * step, step};
}

function makeArcs(view) {
  const drawing = svg('svg', {role: 'img', class: 'arcs'});
  const box = html('div', {class: 'scroll'}, drawing), readout = html('p', {class: 'readout', 'aria-live': 'polite'});
  const element = html('div', {class: 'view'}, box, readout), drawn = remembered();
  const draw = selection => {
    const map = mapOf(view, selection.layer, selection.head);
    drawn([map.key, selection.query, selection.key, element.clientWidth, themeName()].join(), () => {
      const {left, step} = drawArcs(drawing, view, map, selection, element.clientWidth);
      if (!selection.previewed && (left < box.scrollLeft || left + step > box.scrollLeft + box.clientWidth))
        box.scrollLeft = left - box.clientWidth / 2;
    });
    readout.textContent = cellTold(view, map, selection);
    drawing.setAttribute('aria-label', 'arcs of attention. ' + readout.textContent);
  };
  return {element, draw, saves: {SVG: () => saveSvg('arcs', drawing)}};
}
