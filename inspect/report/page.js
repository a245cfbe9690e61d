// Puts the page together: controls, charts of one run or of several, samples, tables; and keeps it new while training.

const data = JSON.parse(document.getElementById('data').textContent);
const several = data.runs.length > 1;

// What the reader chose. It stands in the address, so that it outlives a reload.
const state = {
  x: 'step',
  scale: 'linear',
  smooth: '0.9',
  theme: 'auto',
  reload: 'on',
  hidden: ''
};
for (const part of location.hash.slice(1).split('&')) {
  const [key, value] = part.split('=');
  if (key in state && value !== undefined) state[key] = decodeURIComponent(value);
}

function choose(key, value) {
  state[key] = value;
  const changed = Object.entries(state).map(([k, v]) => k + '=' + encodeURIComponent(v)).join('&');
  history.replaceState(null, '', '#' + changed);
  render();
}

function choice(name, key, options) {
  const buttons = options.map(
      ([value, label]) => html(
          'button', {
            type: 'button',
            'aria-pressed': String(state[key] === value),
            onclick: () => choose(key, value),
          },
          label));
  return html(
      'div', {class: 'choice', role: 'group', 'aria-label': name}, name, html('span', {class: 'buttons'}, ...buttons));
}

function controls() {
  const all = [
    choice('across', 'x', [['step', 'steps'], ['tokens', 'tokens'], ['time', 'time']]),
    choice('loss', 'scale', [['linear', 'linear'], ['log', 'log']]),
    choice('smoothing', 'smooth', [['0', 'none'], ['0.6', 'some'], ['0.9', 'much'], ['0.98', 'most']]),
    choice('theme', 'theme', [['auto', 'auto'], ['light', 'light'], ['dark', 'dark']]),
  ];
  if (data.live) all.push(choice('reload', 'reload', [['on', 'on'], ['off', 'off']]));
  return all;
}

const hiddenRuns = () => new Set(state.hidden.split(',').filter(Boolean));

function legend() {
  const hidden = hiddenRuns();
  return html(
      'div', {class: 'legend'},
      ...data.runs.map(
          (run, i) => html(
              'button', {
                type: 'button',
                'aria-pressed': String(!hidden.has(String(i))),
                title: 'show or hide',
                onclick: () => {
                  if (!hidden.delete(String(i))) hidden.add(String(i));
                  choose('hidden', [...hidden].join(','));
                },
              },
              html('i', {style: 'background: ' + colorOf(i)}), run.name)));
}

const colorOf = i => 'var(--c' + i % 8 + ')';
const dashOf = i => ['', '7 3', '2 3'][Math.floor(i / 8) % 3];

// A curve of each run that is shown. `curve` says what of a run: {x, y, low, high, dots} or null.
function seriesOf(curve) {
  const hidden = hiddenRuns(), all = [];
  data.runs.forEach((run, i) => {
    if (hidden.has(String(i))) return;
    all.push({name: run.name, color: colorOf(i), dash: dashOf(i), ...curve(run)});
  });
  return all;
}

const trainingCurve = run => ({x: run.course[state.x], y: smoothed(run.course.loss, Number(state.smooth))});
const validationCurve = run => ({x: run.evaluations[state.x], y: run.evaluations.loss, dots: true});

// One run: its training loss (how far its steps lie apart as a band) and validation loss in one chart.
function lossesOfOne(run) {
  const band = {raw: run.course.loss, low: run.course.loss_least, high: run.course.loss_greatest};
  return [
    {...trainingCurve(run), ...band, name: 'training', color: colorOf(0)},
    {...validationCurve(run), name: 'validation', color: colorOf(1)},
  ];
}

function chartSpecs() {
  const loss = {kind: state.scale, write: value => value.toFixed(4), note: 'nats a token'};
  const smooth = values => smoothed(values, Number(state.smooth));
  const speedCurve = run => ({x: run.course[state.x], y: smooth(run.course.speed)});
  const normBand = run => several ? {} : {raw: run.course.norm, low: run.course.norm, high: run.course.norm_greatest};
  const normCurve = run => ({x: run.course[state.x], y: smooth(run.course.norm), ...normBand(run)});
  const plain = {kind: 'linear', zero: true, write: shortNumber};
  const losses = several ?
      [
        ['half', {title: 'validation loss', ...loss, series: seriesOf(validationCurve)}],
        ['half', {title: 'training loss', ...loss, series: seriesOf(trainingCurve)}],
      ] :
      [['large', {title: 'loss', ...loss, series: lossesOfOne(data.runs[0])}]];
  return losses.concat([
    ['', {title: 'learning rate', ...plain, series: seriesOf(run => ({x: run.course[state.x], y: run.course.rate}))}],
    ['', {title: 'gradient norm', note: 'before clipping', ...plain, series: seriesOf(normCurve)}],
    ['', {title: 'speed', note: 'tokens/s', ...plain, series: seriesOf(speedCurve)}],
  ]);
}

function charts() {
  const names = {step: 'step', tokens: 'tokens', time: 'time'};
  return chartSpecs().map(([size, spec], i) => {
    Object.assign(spec, {id: i, xName: names[state.x], xKind: state.x === 'time' ? 'time' : 'linear'});
    return makeChart(spec, size);
  });
}

// The one run's losses need a legend of their own.
function ownLegend() {
  const entries = [['training', 0], ['validation', 1]].map(
      ([name, i]) => html('span', {}, html('i', {style: 'background: ' + colorOf(i)}), ' ' + name));
  return html('div', {class: 'legend'}, ...entries);
}

function statusText() {
  const written = 'written ' + new Date(data.written).toLocaleString();
  if (several) return written;
  if (!data.live) return data.runs[0].status + '; ' + written;
  const silent_s = (Date.now() - Date.parse(data.written)) / 1000;
  const old = silent_s > 900 ? '; nothing new for ' + duration(silent_s) + ', so it may have been stopped' : '';
  return data.runs[0].status + '; ' + written + (state.reload === 'on' ? ', reloads itself' : '') + old;
}

function render() {
  const dark = state.theme === 'dark' || (state.theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  byId('status').textContent = statusText();
  byId('controls').replaceChildren(...controls(), several ? legend() : ownLegend());
  const figures = charts();
  byId('charts').replaceChildren(...figures);
  figures.forEach(figure => figure.draw());
}

function fillOnce() {
  const title = several ? data.runs.length + ' runs side by side' : data.runs[0].name;
  document.title = (several ? title : title + ' – ' + data.runs[0].status) + ' – tinylm';
  byId('title').textContent = title;
  byId('notes').replaceChildren(...data.notes.map(note => html('li', {}, note)));
  if (several) {
    byId('facts').replaceChildren(runsTable(data.runs));
  } else {
    byId('facts').replaceChildren(...factsOf(data.runs[0]));
    const samples = sampleArticles(data.runs[0]);
    if (samples.length) byId('samples').replaceChildren(html('h2', {}, 'Samples, the newest first'), ...samples);
  }
  byId('tables').replaceChildren(...tablesOf(data.runs));
}

// A file of its own cannot be asked for news, so the whole page is read again; not while something in it is marked or
// the pointer is on a chart.
function reloadLater() {
  setTimeout(() => {
    const busy = document.hidden || !getSelection().isCollapsed || document.querySelector('.cursor');
    if (state.reload === 'on' && !busy)
      location.reload();
    else
      reloadLater();
  }, 1000 * data.reload_s);
}

fillOnce();
render();
addEventListener('resize', () => byId('charts').querySelectorAll('figure').forEach(figure => figure.draw()));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', render);
if (data.live) reloadLater();
