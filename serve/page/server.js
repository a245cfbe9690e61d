// What the page asks of its server.

let bearer = sessionStorage.getItem('token') || '';

class ServerError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, body, signal) {
  const headers = bearer ? {Authorization: 'Bearer ' + bearer} : {};
  const options = {headers, signal};
  if (body) Object.assign(options, {method: 'POST', body: JSON.stringify(body)});
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ServerError(0, 'The server does not answer: does tinylm serve still run?');
  }
  if (response.ok) return response;
  const text = await response.text();
  let message = text;
  try {
    message = JSON.parse(text).error.message;
  } catch (error) { /* what is no JSON is shown as it is */
  }
  throw new ServerError(response.status, message);
}

const askJson = async (path, body, signal) => (await ask(path, body, signal)).json();

// Server-sent events: calls onEvents with the objects of those that came together.
async function askStream(path, body, signal, onEvents) {
  const reader = (await ask(path, body, signal)).body.getReader(), decoder = new TextDecoder();
  let held = '';
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    const parts = (held + decoder.decode(value, {stream: true})).split('\n\n');
    held = parts.pop();
    const events =
        parts.map(part => part.replace(/^data: /, '')).filter(data => data !== '[DONE]').map(data => JSON.parse(data));
    onEvents(events.filter(event => !event.error));
    for (const event of events)
      if (event.error) throw new ServerError(500, event.error.message);
    await new Promise(
        resolve => setTimeout(resolve));  // else a fast model leaves the page no time to draw and be clicked
  }
}
