// The text as its tokens, each a button. One of them is in the order of the Tab key; arrow keys lead to the others.

class TokenView {
  // vocabulary: {labels, texts, start, end}; onChoose(place): a token was chosen.
  constructor(element, vocabulary, onChoose) {
    Object.assign(this, {element, vocabulary, onChoose, buttons: [], begun: 0});
    element.addEventListener('keydown', event => this.move(event));
  }

  // All tokens anew; the first `begun` are the beginning that was given.
  show(ids, begun) {
    this.element.replaceChildren();
    this.buttons = [];
    this.begun = begun;
    ids.forEach(id => this.add(id));
  }

  add(id) {
    const place = this.buttons.length, {labels, texts, start, end} = this.vocabulary;
    const special = id === start || id === end, newline = texts[id] === '\n';
    const button = html(
        'button', {
          type: 'button',
          class: 'token' + (place < this.begun ? ' begun' : '') + (special || newline ? ' mark' : ''),
          'aria-pressed': 'false',
          'aria-label': 'token ' + place + ': ' + labels[id],
          title: labels[id],
          tabindex: place === 0 ? '0' : '-1',
          onclick: () => this.onChoose(place),
        },
        special || newline ? labels[id] : texts[id]);
    this.buttons.push(button);
    this.element.append(button);
    if (newline) this.element.append(html('br'));
  }

  // The chosen token, or none for the end of the text; and how much the head's row gives to each (from `first` on).
  mark(place, row, first) {
    this.buttons.forEach((button, i) => {
      button.setAttribute('aria-pressed', String(i === place));
      const weight = row ? row[i - first] || 0 : 0;
      button.style.setProperty('--weight', (Math.sqrt(weight) * 90).toFixed(1) + '%');  // small ones stay visible
    });
  }

  move(event) {
    const step = {ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity}[event.key];
    const from = this.buttons.indexOf(document.activeElement);
    if (step === undefined || from < 0) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(this.buttons.length - 1, from + step));
    this.buttons[from].tabIndex = -1;
    this.buttons[to].tabIndex = 0;
    this.buttons[to].focus();
  }
}
