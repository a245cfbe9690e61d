// The tokens of the text in their order, coloured by loss or by what a head does to them. The line under a token is
// what the chosen token looks at.

// The numbers that colour the tokens, their scale and their meaning in words.
function stripColours(view, selection) {
  const {tokens, ablation, model} = view, {layer, head} = selection;
  if (state.strip === 'looks') {
    const map = mapOf(view, layer, head), end = map.end(selection.query);
    return {
      key: map.key + ' ' + selection.query,
      scale: scaleOf(map),
      write: map.write,
      value: t => (t < end ? map.value(selection.query, t) : NaN),
      told: 'what ' + tokenName(view, selection.query) + ' looks at in ' + headName(view, layer, head),
    };
  }
  if (state.strip !== 'loss' && ablation) {
    const effects =
        ablation[state.strip].subarray((layer * view.H + head) * view.T, (layer * view.H + head + 1) * view.T);
    const most = Math.max(0.1, ...effects.map(effect => Math.abs(effect) || 0));
    return {
      key: layer + ' ' + head,
      scale: colourScale('both', 'linear', -most, most),
      value: t => effects[t],
      write: value => (value > 0 ? '+' : '') + shortNumber(Number(value.toFixed(2))) + ' nats',
      told: effects.some(Number.isFinite) ?
          'change of the loss without ' + headName(view, layer, head) + ': orange tokens need it' :
          'what the text loses without ' + headName(view, layer, head) + ' was not computed',
    };
  }
  return {
    key: 'loss',
    scale: colourScale('orange', 'linear', 0, Math.log(Math.max(2, model.vocabulary))),
    value: t => tokens.losses_nats[t] ?? NaN,
    write: value => value.toFixed(value === 0 ? 0 : 2) + ' nats',
    told: 'loss of predicting each token from those before it; the right end, or worse, is a blind guess among ' +
        shortNumber(model.vocabulary) + ' tokens' + hardestTold(view),
  };
}

function hardestTold(view) {
  const {losses_nats: losses} = view.tokens;
  const hardest = losses.reduce((worst, loss, t) => (loss > (losses[worst] ?? -1) ? t : worst), 0);
  return losses[hardest] > 0 ?
      '. Hardest: ' + tokenName(view, hardest) + ' (' + hardest + '), ' + losses[hardest].toFixed(2) :
      '';
}

function makeStrip(view) {
  const {tokens} = view;
  const buttons = tokens.labels.map((label, t) => {
    const button = html(
        'button',
        {type: 'button', role: 'option', tabindex: '-1', 'data-token': t, id: 'token-' + views.indexOf(view) + '-' + t},
        html('bdi', {}, label), html('i', {}));
    if (view.generated_from !== null && t >= view.generated_from) button.classList.add('generated');
    pointTo(button, {query: t, key: -1});
    return button;
  });
  const list = html(
      'div', {class: 'tokens', role: 'listbox', 'aria-label': 'tokens; arrow keys move', tabindex: '0'}, ...buttons);
  const menu = menuFor('strip', 'colour of the tokens', stripChoices(view));
  const legend = html('span', {}), told = html('span', {class: 'told'}), readout = html('p', {class: 'readout'});
  const panel =
      makePanel('tokens', 'Tokens', [menu.element, legend, told], {CSV: () => saveTokens(view)}, list, readout);
  const colours = remembered();
  let chosen = -1;

  const draw = selection => {
    menu.draw();
    const shown = stripColours(view, selection);
    colours([state.strip, shown.key, state.weights, state.curve, themeName()].join(), () => {
      buttons.forEach((button, t) => paint(button, shown.scale, shown.value(t)));
      legend.replaceChildren(legendOf(shown.scale, shown.write));
      told.textContent = shown.told;
    });
    const map = mapOf(view, selection.layer, selection.head), end = map.end(selection.query);
    buttons.forEach((button, t) => {
      const part = t < end ? within(map.value(selection.query, t) / (map.high || 1), 0, 1) : 0;
      button.lastChild.style.transform = 'scaleX(' + part.toFixed(3) + ')';
    });
    if (chosen !== selection.query) {
      if (chosen >= 0) buttons[chosen].setAttribute('aria-selected', 'false');
      buttons[chosen = selection.query].setAttribute('aria-selected', 'true');
      list.setAttribute('aria-activedescendant', buttons[chosen].id);
      if (!selection.previewed) scrollWithin(list, buttons[chosen]);
    }
    readout.textContent = tokenTold(view, selection.query);
  };
  return {element: panel.element, draw};
}

// Without removed heads there is nothing to colour by them.
const stripChoices = view => choices.strip.filter(([id]) => view.ablation || !['zero', 'mean'].includes(id));

// Scrolls a box so far that an element of it can be seen, and nothing else of the page.
function scrollWithin(box, element) {
  const outer = box.getBoundingClientRect(), inner = element.getBoundingClientRect();
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top;
  if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom;
  if (inner.left < outer.left || inner.right > outer.right)
    box.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}

function tokenTold(view, t) {
  const {tokens} = view, loss = tokens.losses_nats[t];
  const told = loss === null || loss === undefined ?
      'no loss: nothing stands before it' :
      'loss of predicting it ' + loss.toFixed(3) + ' nats, probability ' + percent(Math.exp(-loss));
  const made = view.generated_from !== null && t >= view.generated_from ? ', generated' : '';
  return 'position ' + t + ' of 0 to ' + (view.T - 1) + ': ' + tokenName(view, t) + ', id ' + tokens.ids[t] + made +
      ' · ' + told;
}

function saveTokens(view) {
  const {ids, texts, losses_nats: losses} = view.tokens, {layer, head} = selectionOf(view);
  const effect = (kind, t) => (view.ablation ? view.ablation[kind][(layer * view.H + head) * view.T + t] : NaN);
  const name = headName(view, layer, head);
  saveCsv('tokens', [
    ['position', 'id', 'text', 'loss_nats', name + ' zero_nats', name + ' mean_nats'],
    ...ids.map((id, t) => [t, id, texts[t], losses[t] ?? NaN, effect('zero', t), effect('mean', t)])
  ]);
}
