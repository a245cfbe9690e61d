// How our pages make their elements. Text goes in as text, never as markup.

const byId = id => document.getElementById(id);

function svg(name, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === 'style')
      element.style.cssText = value;  // which the page's policy allows, unlike the attribute
    else
      element.setAttribute(key, value);
  }
  if (text !== undefined) element.textContent = text;
  return element;
}

// An HTML element; attributes named on... are listeners. Children that are null are left out.
function html(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === 'class')
      element.className = value;
    else if (key === 'style')
      element.style.cssText = value;
    else if (key.startsWith('on'))
      element.addEventListener(key.slice(2), value);
    else
      element.setAttribute(key, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}
