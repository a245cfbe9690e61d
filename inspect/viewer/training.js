// The heads through training: a slider over the steps at which their scores were taken, and a curve of each head.

// The chosen step's values of a score, [L*H]; null where the map shows the model as it is.
function trackedAt(view, score) {
  const {training, L, H} = view;
  if (!training || !training.scores[score.id] || state.step < 0 || state.step >= training.steps.length) return null;
  return training.scores[score.id].subarray(state.step * L * H, (state.step + 1) * L * H);
}

function makeTraining(view) {
  const {steps} = view.training, last = steps.length - 1;
  const slider =
      sliderFor('step', 'training step', {min: 0, max: last, step: 1}, place => 'step ' + shortNumber(steps[place]));
  const now = html('button', {type: 'button', class: 'quiet', onclick: () => change({step: -1})}, 'back to this text');
  const canvas = html('canvas', {role: 'img', class: 'curves'});
  const told = html('p', {class: 'told'});
  const element = html(
      'div', {class: 'training', 'aria-label': 'training'}, html('div', {class: 'tools'}, slider.element, now), canvas,
      told);
  pointAt(canvas, x => ({step: within(Math.round(x / canvas.clientWidth * last), 0, last)}));

  const draw = (selection, score) => {
    slider.draw();
    if (state.step < 0) {
      slider.element.querySelector('input').value = last;
      slider.element.querySelector('output').textContent = 'as it is';
    }
    now.hidden = state.step < 0;
    const tracked = view.training.scores[score.id];
    canvas.hidden = !tracked;
    told.textContent = tracked ?
        'Each line is a head, from step ' + shortNumber(steps[0]) + ' to ' + shortNumber(steps[last]) + ' and from ' +
            scoreNumber(score, score.lowest ?? 0) + ' up to ' + scoreNumber(score, score.highest ?? 1) +
            '; the thick one is ' + headName(view, selection.layer, selection.head) + '.' :
        'This score was not taken during training.';
    if (tracked) drawCurves(canvas, view, tracked, score, selection);
  };
  return {element, draw};
}

function drawCurves(canvas, view, values, score, selection) {
  const {steps} = view.training, heads = view.L * view.H, chosen = selection.layer * view.H + selection.head;
  const width = Math.max(120, canvas.parentElement.clientWidth), height = 72, pen = penOf(canvas, width, height);
  const low = score.lowest ?? 0, high = score.highest ?? 1;
  const x = place => 3 + place / Math.max(1, steps.length - 1) * (width - 6);
  const y = value => height - 3 - (within(value, low, high) - low) / (high - low || 1) * (height - 6);
  const curve = (head, colour, thickness) => {
    [pen.strokeStyle, pen.lineWidth] = [colour, thickness];
    pen.beginPath();
    steps.forEach((_, place) => pen.lineTo(x(place), y(values[place * heads + head])));
    pen.stroke();
  };
  for (let head = 0; head < heads; ++head) curve(head, cssColour('line'), 1);
  curve(chosen, cssColour('c0'), 2.5);
  const place = state.step < 0 ? steps.length - 1 : state.step, name = headName(view, selection.layer, selection.head);
  canvas.setAttribute(
      'aria-label',
      score.name + ' of ' + name + ' at step ' + steps[place] + ': ' +
          scoreNumber(score, values[place * heads + chosen]));
  if (state.step < 0) return;
  pen.fillStyle = cssColour('c1');
  pen.fillRect(x(place) - 0.5, 0, 1, height);
}
