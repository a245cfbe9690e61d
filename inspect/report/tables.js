// What is said in words and tables: facts, samples, settings, sessions.

function fact(value, name) {
  return html('div', {class: 'fact'}, html('b', {}, value), html('span', {}, name));
}

function lastOf(list) {
  return list.length ? list[list.length - 1] : null;
}

const lossText = loss => loss === null ? '–' : loss.toFixed(4);

// What a run came to, as pairs of a name and a value.
function resultsOf(run) {
  const course = run.course;
  return [
    ['best validation loss', run.best ? lossText(run.best.loss) + ' at step ' + shortNumber(run.best.step) : '–'],
    ['last validation loss', lossText(lastOf(run.evaluations.loss))],
    ['steps', shortNumber(lastOf(course.step) || 0) + ' of ' + shortNumber(run.total_steps)],
    ['tokens seen', axisNumber(lastOf(course.tokens) || 0)],
    ['training time', duration(lastOf(course.time) || 0)],
    ['tokens/s', shortNumber(lastOf(course.speed))],
    ['parameters', axisNumber(run.parameters)],
    ['tokenizer, vocabulary', run.tokenizer + ', ' + shortNumber(run.vocabulary)],
  ];
}

function factsOf(run) {
  return resultsOf(run).map(([name, value]) => fact(value, name));
}

function runsTable(runs) {
  const results = runs.map(resultsOf), names = results[0].map(([name]) => name);
  const rows = runs.map((run, i) => ({name: run.name, values: results[i].map(([, value]) => value)}));
  return tableOf(['', ...names], rows);
}

function sampleArticles(run) {
  return run.samples.slice().reverse().map(
      sample => html(
          'article', {}, html('h3', {}, 'step ' + sample.step.toLocaleString('en-US')),
          html('pre', {}, sample.prompt ? html('b', {}, sample.prompt) : null, sample.text)));
}

// `rows`: {name, values, differs}.
function tableOf(head, rows) {
  const body = rows.map(
      row => html(
          'tr', {class: row.differs ? 'differs' : ''}, html('th', {}, row.name),
          ...row.values.map(value => html('td', {}, value))));
  const names = html('thead', {}, html('tr', {}, ...head.map(name => html('th', {}, name))));
  return html('div', {class: 'scroll'}, html('table', {}, names, html('tbody', {}, ...body)));
}

function written(value) {
  if (value === undefined) return '–';
  if (Array.isArray(value)) return value.map(written).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// A row for each setting: its value in every run.
function settingRows(runs) {
  const names = new Set();
  for (const run of runs) {
    for (const [section, values] of Object.entries(run.config)) {
      for (const key of Object.keys(values)) names.add(section + '.' + key);
    }
  }
  return [...names].map(name => {
    const [section, key] = name.split('.');
    const values = runs.map(run => written((run.config[section] || {})[key]));
    return {name, values, differs: values.some(value => value !== values[0])};
  });
}

const sessionFields = [
  ['started', 'started (UTC)'],
  ['from_step', 'from step'],
  ['to_step', 'to step'],
  ['outcome', 'ended'],
  ['processor', 'processor'],
  ['instruction_set', 'instruction set'],
  ['threads', 'threads'],
  ['precision', 'precision'],
  ['ops', 'operations'],
  ['seed', 'seed'],
  ['tinylm', 'tinylm'],
  ['libtorch', 'libtorch'],
  ['onednn', 'oneDNN'],
  ['text_checksum', 'XXH3 of the text'],
  ['tokenizer_fingerprint', 'tokenizer'],
  ['command_line', 'command'],
];

// A word as it can be typed into a shell.
function shellWord(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
}

function sessionValue(session, key) {
  if (key === 'command_line') return session.command_line.map(shellWord).join(' ');
  if (key === 'outcome') return session.outcome || 'not yet, or killed';
  return written(session[key]);
}

function sessionTable(sessions) {
  const rows = sessionFields.map(([key, name]) => ({name, values: sessions.map(one => sessionValue(one, key))}));
  return tableOf(['', ...sessions.map((_, i) => 'session ' + (i + 1))], rows);
}

function folded(summary, open, content) {
  return html('details', open ? {open: ''} : {}, html('summary', {}, summary), content);
}

function tablesOf(runs) {
  const several = runs.length > 1, rows = settingRows(runs), differing = rows.filter(row => row.differs);
  const head = ['', ...runs.map(run => run.name)], parts = [];
  if (several) {
    parts.push(html('h2', {}, 'What differs'));
    parts.push(differing.length ? tableOf(head, differing) : html('p', {}, 'No setting differs.'));
  }
  parts.push(html('h2', {}, 'Settings'), folded('config.toml', !several, tableOf(head, rows)));
  parts.push(html('h2', {}, 'Machine and sessions'));
  for (const run of runs) {
    if (run.sessions.length) parts.push(folded(run.name, !several, sessionTable(run.sessions)));
  }
  return parts;
}
