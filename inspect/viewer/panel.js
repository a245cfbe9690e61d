// What the panels are made of: frames with a title and export buttons, choices, sliders, and canvases of sharp pixels.

// tools: elements that stand beside the title. saves: {PNG: () => ..., CSV: ...}, a button each.
function makePanel(name, title, tools, saves, ...content) {
  const heading = html('h2', {}, title);
  const buttons = Object.entries(saves).map(
      ([kind, run]) => html(
          'button', {
            type: 'button',
            class: 'save',
            'data-save': name + ' ' + kind,
            title: 'save as ' + kind,
            'aria-label': 'save ' + name + ' as ' + kind,
            onclick: run,
          },
          kind));
  const element = html(
      'section', {class: 'panel ' + name, 'aria-label': name},
      html('header', {}, heading, ...tools, html('span', {class: 'saves'}, ...buttons)), ...content);
  return {element, heading};
}

// Buttons of which one is pressed, for state[key].
function buttonsFor(key, label) {
  const buttons = choices[key].map(
      ([id, text]) =>
          html('button', {type: 'button', 'data-choice': key + ' ' + id, onclick: () => change({[key]: id})}, text));
  const element =
      html('div', {class: 'choice', role: 'group', 'aria-label': label}, html('span', {class: 'buttons'}, ...buttons));
  const draw = () =>
      buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(choices[key][i][0] === state[key])));
  return {element, draw};
}

// A menu for state[key]; options: [[id, text]].
function menuFor(key, label, options) {
  const menu = html(
      'select', {'data-choice': key, 'aria-label': label, onchange: () => change({[key]: menu.value})},
      ...options.map(([id, text]) => html('option', {value: id}, text)));
  return {
    element: menu,
    draw: () => {
      menu.value = state[key];
    }
  };
}

// A slider for state[key]; write: its value in words.
function sliderFor(key, label, range, write) {
  const slider = html('input', {
    type: 'range',
    ...range,
    'data-choice': key,
    'aria-label': label,
    oninput: () => change({[key]: Number(slider.value)}),
  });
  const shown = html('output', {});
  const draw = () => {
    slider.value = state[key];
    shown.textContent = write(Number(slider.value));
    slider.setAttribute('aria-valuetext', shown.textContent);
  };
  return {element: html('label', {class: 'slider'}, html('span', {}, label), slider, shown), draw};
}

// Fits a canvas to so many CSS pixels at the screen's own sharpness; gives a cleared pen that counts CSS pixels.
function penOf(canvas, width, height) {
  const sharp = window.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * sharp), Math.round(height * sharp)];
  if (canvas.width !== across || canvas.height !== down) {
    [canvas.width, canvas.height] = [across, down];
    canvas.style.width = width + 'px';
    canvas.style.height = height + 'px';
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, across, down);
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  return pen;
}

// Hover and click on a canvas; find(x, y): what lies there as a part of the state, or null.
function pointAt(canvas, find) {
  const at = event => {
    const box = canvas.getBoundingClientRect();
    return find(event.clientX - box.left, event.clientY - box.top);
  };
  canvas.addEventListener('pointermove', event => hover(at(event)));
  canvas.addEventListener('pointerleave', () => hover(null));
  canvas.addEventListener('click', event => {
    const found = at(event);
    if (found) change(found);
  });
}

// Hover and click on an element that stands for a part of the state.
function pointTo(element, part) {
  element.addEventListener('pointerenter', () => hover(part));
  element.addEventListener('pointerleave', () => hover(null));
  element.addEventListener('click', () => change(part));
}
