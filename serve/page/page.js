// Puts the page together: the text, the list of what may come next, the attention of a head.

const kChoices = 20, kTypingPause = 300;  // rows; milliseconds
const state = {
  model: null,
  ids: [],          // the tokens of the text
  begun: 0,         // how many of them were given
  chosen: null,     // the place of the chosen token; null: the end
  logits: null,     // of the token at that place
  attention: null,  // {row, first, place}: the head's weights from a place, and where the first of them belongs
  writing: null,    // AbortController while a text is written
  asked: 0,         // number of the latest question: answers to earlier ones are late
};
let view = null;

const settings = () => {
  const topK = Number(byId('top-k').value);
  return {
    temperature: Number(byId('temperature').value),
    topK: topK === Number(byId('top-k').max) ? 0 : topK,
    topP: Number(byId('top-p').value),
  };
};

function say(problem) {
  byId('problem').hidden = !problem;
  byId('problem').textContent = problem || '';
}

// Runs what asks the server, and shows what goes wrong.
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    if (error.name === 'AbortError') return;
    if (error.status === 401) {
      byId('login').hidden = false;
      byId('token').focus();
    }
    say(error.message);
  }
}

function drawChoices() {
  const {temperature, topK, topP} = settings();
  byId('temperature-value').textContent = temperature === 0 ? 'greedy' : temperature.toFixed(2);
  byId('top-k-value').textContent = topK === 0 ? 'off' : String(topK);
  byId('top-p-value').textContent = topP === 1 ? 'off' : topP.toFixed(2);
  if (!state.logits) return;
  const chances = chancesOf(state.logits, {temperature, topK, topP}), own = chancesOf(state.logits, asDrawn);
  const left = chances.filter(chance => chance > 0).length;
  byId('left').textContent = left + ' of ' + state.logits.length + ' tokens can be drawn';
  const there = state.chosen === null ? null : state.ids[state.chosen];
  const shown = byLikelihood(state.logits).slice(0, kChoices);
  if (there !== null && !shown.includes(there) && state.logits[there] !== null) shown.push(there);
  byId('choices').replaceChildren(...shown.map(id => choiceRow(id, chances[id], own[id], id === there)));
}

function choiceRow(id, chance, own, there) {
  const percent = (100 * chance).toFixed(1) + ' %', name = state.model.labels[id];
  const bar = html(
      'span', {class: 'bar'}, html('i', {style: 'width: ' + 100 * chance + '%'}),
      html('b', {style: 'left: min(' + 100 * own + '%, 100% - 2px)'}));
  return html(
      'li', {},
      html(
          'button', {
            type: 'button',
            class: (there ? 'there' : '') + (chance === 0 ? ' cut' : ''),
            'data-id': id,
            'aria-label': name + ', ' + percent + (there ? ', as in the text' : ''),
            onclick: () => goOnWith(id),
          },
          html('span', {class: 'name'}, name), bar,
          html('span', {class: 'percent'}, chance === 0 ? 'cut off' : percent)));
}

function drawAttention() {
  const {row, first, place} = state.attention;
  view.mark(state.chosen, row, first);
  byId('looks').textContent = 'The colour of a token: how much ' + byId('head').value + ' looks at it from token ' +
      place + ', ' + state.model.labels[state.ids[place]];
}

// Asks anew what may stand at the chosen place, and what the head looks at from there.
async function refresh() {
  const asked = ++state.asked, {ids, chosen} = state;
  const [layer, head] = byId('head').value.match(/\d+/g).map(Number);
  const place = chosen === null ? ids.length - 1 : chosen;
  const seen = await askJson('/attention', {prompt: ids.slice(0, place + 1), layer, head});
  const next = await askJson('/next', {prompt: ids.slice(0, chosen === null ? undefined : chosen)});
  if (asked !== state.asked) return;
  state.attention = {row: seen.rows[seen.rows.length - 1], first: place + 1 - seen.rows.length, place};
  state.logits = next.logits;
  drawChoices();
  drawAttention();
}

// Takes the text field's content as the text.
async function begin() {
  const asked = ++state.asked;
  const next = await askJson('/next', {prompt: byId('prompt').value});
  if (asked !== state.asked) return;
  setText(next.ids, next.ids.length);
  say(next.dropped ?
          'The text is longer than the model\'s context: its first ' + next.dropped + ' tokens are left out' :
          '');
  await refresh();
}

function setText(ids, begun) {
  Object.assign(state, {ids, begun, chosen: null, attention: null});
  view.show(ids, begun);
}

function choose(place) {
  if (state.writing) return;
  state.chosen = state.chosen === place || place === 0 ? null : place;  // nothing stands before the first
  attempt(() => refresh());
}

// Puts another token at the chosen place, and writes on from there.
function goOnWith(id) {
  if (state.writing) return;
  const place = state.chosen === null ? state.ids.length : state.chosen;
  setText(state.ids.slice(0, place).concat(id), Math.min(state.begun, place));
  if (id === state.model.end)
    attempt(() => refresh());
  else
    attempt(write);
}

async function write() {
  const {temperature, topK, topP} = settings(), seed = byId('seed').value;
  const request =
      {prompt: state.ids, max_tokens: Number(byId('count').value), stream: true, temperature, top_k: topK, top_p: topP};
  if (seed !== '') request.seed = Number(seed);
  state.writing = new AbortController();
  ++state.asked;
  setWriting(true);
  const before = state.ids.length, began = performance.now();
  let used = null;
  try {
    await askStream('/v1/completions', request, state.writing.signal, events => {
      for (const event of events) used = event.seed;
      append(events.flatMap(event => event.choices.flatMap(choice => choice.token_ids)));
    });
  } catch (error) {
    if (error.name !== 'AbortError') say(error.message);  // what was written until then stays
  }
  setWriting(false);
  const count = state.ids.length - before, seconds = (performance.now() - began) / 1000;
  byId('status').textContent = 'wrote ' + count + ' tokens, ' + shortNumber(count / seconds) + ' tokens/s' +
      (used === null ? '' : ', seed ' + used);
  await refresh();
}

// Tokens at the end of the text, which stays in sight where it was.
function append(ids) {
  const box = view.element, atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
  for (const id of ids) {
    state.ids.push(id);
    view.add(id);
  }
  if (atEnd) box.scrollTop = box.scrollHeight;
}

function setWriting(on) {
  byId('continue').disabled = on;
  byId('stop').disabled = !on;
  byId('tokens').setAttribute('aria-busy', String(on));
  if (on) {
    byId('status').textContent = 'writing ...';
    byId('choices').replaceChildren();
    state.logits = state.attention = state.chosen = null;
    view.mark(null, null, 0);
    say('');
  } else {
    state.writing = null;
  }
}

// From the end of the text; what was typed last comes first. END is followed by nothing: it is written over.
async function goOn() {
  clearTimeout(typing);
  if (typing !== null) await begin();
  typing = null;
  if (state.ids[state.ids.length - 1] === state.model.end) setText(state.ids.slice(0, -1), state.begun);
  await write();
}

let typing = null;
function typed() {
  clearTimeout(typing);
  if (state.writing) state.writing.abort();
  typing = setTimeout(() => {
    typing = null;
    attempt(begin);
  }, kTypingPause);
}

function chooseTheme(theme) {
  const dark = theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  localStorage.setItem('theme', theme);
  const buttons = ['auto', 'light', 'dark'].map(
      name => html(
          'button', {
            type: 'button',
            'aria-pressed': String(name === theme),
            onclick: () => chooseTheme(name),
          },
          name));
  byId('theme').replaceChildren(html(
      'div', {class: 'choice', role: 'group', 'aria-label': 'theme'}, 'theme',
      html('span', {class: 'buttons'}, ...buttons)));
}

function listHeads() {
  for (let layer = 0; layer < state.model.layers; ++layer) {
    const heads = Array.from({length: state.model.heads}, (_, head) => html('option', {}, 'L' + layer + 'H' + head));
    byId('head').append(html('optgroup', {label: 'layer ' + layer}, ...heads));
  }
}

async function start() {
  state.model = await askJson('/model');
  byId('login').hidden = true;
  say('');
  const {model, parameters, layers, heads, context, tokenizer, vocabulary} = state.model;
  document.title = model + ' – tinylm';
  byId('title').textContent = model;
  byId('facts').textContent = shortNumber(parameters) + ' parameters, ' + layers + ' layers of ' + heads +
      ' heads, context ' + context + ', ' + tokenizer + ' tokenizer of ' + shortNumber(vocabulary);
  byId('top-k').max = byId('top-k').value = String(Math.min(100, vocabulary));
  listHeads();
  view = new TokenView(byId('tokens'), state.model, choose);
  await begin();
}

chooseTheme(localStorage.getItem('theme') || 'auto');
byId('prompt').addEventListener('input', typed);
byId('continue').addEventListener('click', () => attempt(goOn));
byId('stop').addEventListener('click', () => state.writing && state.writing.abort());
byId('head').addEventListener('change', () => attempt(() => refresh()));
for (const name of ['temperature', 'top-k', 'top-p']) byId(name).addEventListener('input', drawChoices);
byId('login').addEventListener('submit', event => {
  event.preventDefault();
  bearer = byId('token').value;
  sessionStorage.setItem('token', bearer);
  attempt(start);
});
attempt(start);
