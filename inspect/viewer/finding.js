// The first lines: what was found, of which model, and what the reader should know of this file.

function makeFinding(view) {
  const {model, finding} = view;
  const facts = [
    ['model', model.run],
    ['step', model.step],
    ['loss of this text', lossText(view.mean_loss_nats)],
    ['validation loss', lossText(model.val_loss_nats)],
    ['parameters', model.parameters],
    ['shape', model.layers + ' layers × ' + model.heads + ' heads × ' + model.width],
  ].filter(([, value]) => value !== null && value !== undefined);
  const again =
      html('button', {type: 'button', class: 'quiet', onclick: () => change(openingOf(view))}, 'show this head');
  const element = html(
      'section', {class: 'finding' + (finding.notable ? '' : ' unremarkable'), 'aria-label': 'finding'},
      html('h1', {}, finding.sentence), needed(view),
      html(
          'p', {class: 'facts'},
          ...facts.map(
              ([name, value]) =>
                  html('span', {}, name + ' ', html('b', {}, typeof value === 'number' ? shortNumber(value) : value)))),
      ...(view.notes || []).map(note => html('p', {class: 'note'}, note)));
  return {
    element,
    draw: selection => {
      const elsewhere = finding.notable &&
          (view.layers[selection.layer] !== finding.layer || view.heads[selection.head] !== finding.head);
      if (elsewhere && !selection.previewed)
        element.querySelector('.facts').append(again);
      else if (!elsewhere)
        again.remove();
    },
  };
}

// Where the text needs another head more than the one that the sentence is about.
function needed(view) {
  const {most_needed: other} = view.finding;
  if (!other) return null;
  const show = () => change({...placeOf(view, other), score: 'ablation_zero', step: -1});
  const button = html('button', {type: 'button', class: 'quiet', onclick: show}, 'show it');
  return html('p', {class: 'needed'}, other.sentence + ' ', button);
}

// Where a head stands among those shown.
const placeOf = (view, {layer, head}) =>
    ({layer: Math.max(0, view.layers.indexOf(layer)), head: Math.max(0, view.heads.indexOf(head))});

const lossText = nats => (nats === null || nats === undefined ? null : nats.toFixed(3) + ' nats');

// What the first screen opens with. The finding names the model's own numbers of layer and head.
function openingOf(view) {
  const {query, score} = view.finding, found = view.scores.find(one => one.id === score);
  return {
    ...placeOf(view, view.finding),
    query: within(query, 0, view.T - 1),
    key: -1,
    score: (found || view.scores[0] || {id: ''}).id,
    step: -1,
    view: 'matrix',
    weights: found ? found.map : 'attention',
  };
}
