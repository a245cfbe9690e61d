// Puts the page together: a column of panels for each view, all of one selection, and the one way to draw them.

const page = JSON.parse(byId('data').textContent);
byId('data').remove();  // decoded below, and at most 14 MB of text
const views = page.views.map(decodeView);
page.views = null;

const viewMakers = {
  matrix: view => makeMatrix(view, 'matrix', ({layer, head}) => mapOf(view, layer, head), ''),
  arcs: makeArcs,
  heads: makeHeads,
  rollout: view =>
      makeMatrix(view, 'rollout', () => view.rollout && rolloutMap(view), 'Rollout is for models that only look back.'),
  lens: makeLens,
};

// The central panel: tabs, and the view that is chosen. A view is made when it is first shown.
function makeCentre(view) {
  const tabs = buttonsFor('view', 'view'), weights = buttonsFor('weights', 'what the map shows');
  const curve = buttonsFor('curve', 'colour'), made = {}, place = html('div', {});
  const saves = {};
  for (const kind of ['PNG', 'SVG', 'CSV']) saves[kind] = () => made[state.view].saves[kind]();
  const panel = makePanel(
      'centre', '', [tabs.element], saves, html('div', {class: 'tools'}, weights.element, curve.element), place);
  const titleOf = {
    rollout: () => 'All layers',
    lens: () => 'Blocks',
    heads: () => 'All heads',
  };
  const draw = selection => {
    [tabs, weights, curve].forEach(one => one.draw());
    const shown = made[state.view] ??= viewMakers[state.view](view);
    if (place.firstChild !== shown.element) place.replaceChildren(shown.element);
    const name = (titleOf[state.view] || (() => headName(view, selection.layer, selection.head)))();
    panel.heading.textContent = name;
    panel.element.querySelectorAll('.save').forEach(button => {
      button.hidden = !(button.textContent in shown.saves);
    });
    weights.element.hidden = !view.valueNorms || state.view === 'rollout' || state.view === 'lens';
    curve.element.hidden = state.view === 'rollout' || state.view === 'arcs';
    shown.draw(selection);
  };
  return {element: panel.element, draw};
}

function makeColumn(view) {
  const finding = makeFinding(view), strip = makeStrip(view), scores = makeScores(view), centre = makeCentre(view);
  const next = makeNext(view), row = makeRow(view), attribution = view.attribution ? makeAttribution(view) : null;
  const panels = [finding, strip, scores, centre, next, row, attribution].filter(panel => panel !== null);
  const element = html(
      'article', {class: 'column'}, views.length > 1 ? html('p', {class: 'title'}, view.title) : null, finding.element,
      strip.element, html('div', {class: 'first'}, scores.element, centre.element, next.element),
      html('div', {class: 'second'}, row.element, attribution && attribution.element));
  return {element, draw: () => panels.forEach(panel => panel.draw(selectionOf(view)))};
}

const columns = [];

function render() {
  document.documentElement.dataset.theme = themeName();
  columns.forEach(column => column.draw());
}

function start() {
  document.title = 'tinylm · ' + views.map(view => view.title).join(' · ');
  Object.assign(state, openingOf(views[0]), views[0].opening && placeOf(views[0], views[0].opening));
  takeChoices(new URLSearchParams(location.hash.slice(1)));
  document.documentElement.dataset.theme = themeName();
  columns.push(...views.map(makeColumn));
  byId('views').append(...columns.map(column => column.element));
  byId('views').dataset.columns = views.length;
  byId('foot').append(
      'Written by tinylm ' + page.version + ', ' + page.written + '. ',
      html('button', {type: 'button', class: 'quiet', onclick: showHelp}, 'Keys: ?'));
  render();
  listenToKeys();
  window.addEventListener('resize', askToRender);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', askToRender);
  performance.mark('drawn');
}

start();
