// Runs in the browser. Everything that comes from the service is set as text, never as markup; the key lives in the
// input alone, and each session that was made here is erased when the next one begins or the page goes.
const settings = document.body.dataset;
const at = (id) => document.getElementById(id);
const EXAMPLE =
  'Hi, I am Anna Schmidt from Springfield. Please send the contract to anna.schmidt@example.org or call me on ' +
  '+1 202-555-0123. You can charge my card 4111 1111 1111 1111.';
const RECALLS = ['precise', 'balanced', 'thorough'];
const COLOURS = 8;

/** The session of the last check: its call id, and what the service calls it. */
let callId;
let session;
/** Whatever was asked for before the last question is of no interest any more. */
let question = 0;

for (const recall of RECALLS.slice(RECALLS.indexOf(settings.recall))) {
  const isDefault = recall === settings.recall;
  at('recall').append(new Option(isDefault ? `${recall} (the service's setting)` : recall, isDefault ? '' : recall));
}
at('monitor').hidden = settings.mode !== 'monitor';

class Problem extends Error {}

async function call(method, path, body) {
  const key = at('key').value.trim();
  if (key === '' && settings.auth === 'true') throw new Problem('Enter an API key of the service first.');
  if (/[^\x21-\x7e]/.test(key)) throw new Problem('An API key has visible ASCII characters only: check it.');
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      credentials: 'omit',
      keepalive: method === 'DELETE',
    });
  } catch {
    throw new Problem('The service cannot be reached: is it still running?');
  }
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer) return { answer, session: response.headers.get('x-session-id') };
  if (response.status === 401) throw new Problem('The service does not know this API key.');
  throw new Problem(answer?.error?.message ?? `The service answered with status ${response.status}.`);
}

const overrides = () => (at('recall').value === '' ? {} : { recall: at('recall').value });

function guard(phase, text) {
  return call('POST', `beta/${settings.proxy}_basic_guardrail_api`, {
    input_type: phase,
    [`${settings.proxy}_call_id`]: callId,
    texts: [text],
    additional_provider_specific_params: overrides(),
  });
}

function forget() {
  if (session) call('DELETE', `sessions/${session}`).catch(() => undefined);
  session = undefined;
}

/** Runs what a form asks for, and shows in its place what went wrong. */
async function attempt(form, problem, work) {
  const button = form.querySelector('[type=submit]');
  if (button.getAttribute('aria-disabled') === 'true') return;
  button.setAttribute('aria-disabled', 'true');
  problem.hidden = true;
  problem.textContent = '';
  question += 1;
  const mine = question;
  try {
    await work(() => mine === question);
  } catch (error) {
    problem.textContent = error instanceof Problem ? error.message : 'Something went wrong in this page: reload it.';
    problem.hidden = false;
    if (problem.textContent.includes('API key')) at('key').focus();
  } finally {
    button.removeAttribute('aria-disabled');
  }
}

function plural(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}

function actionOf(action) {
  return action === 'block' ? 'refuses the request' : 'replaced';
}

function showFound(text, entities) {
  const types = [...new Set(entities.map(({ type }) => type))];
  const colourOf = (type) => `c${types.indexOf(type) % COLOURS}`;
  at('summary').textContent =
    entities.length === 0
      ? 'Nothing: the text holds no personal data that the service knows of.'
      : `${plural(entities.length, 'entity', 'entities')} of ${plural(types.length, 'type', 'types')}, each with its type and score.`;
  at('legend').hidden = types.length === 0;
  at('legend').replaceChildren(
    ...types.map((type) => {
      const item = document.createElement('li');
      const of = entities.filter((entity) => entity.type === type);
      item.className = colourOf(type);
      item.textContent = `${type} × ${of.length} · ${actionOf(of[0].action)}`;
      return item;
    }),
  );
  const parts = [];
  let end = 0;
  for (const entity of entities) {
    parts.push(text.slice(end, entity.start));
    const mark = document.createElement('mark');
    mark.className = `${colourOf(entity.type)} ${entity.action}`;
    const label = document.createElement('small');
    label.textContent = `${entity.type} ${entity.score.toFixed(2)}`;
    mark.append(text.slice(entity.start, entity.end), label);
    mark.title = `${entity.type}, score ${entity.score.toFixed(2)}, found by ${entity.detector}, ${actionOf(entity.action)}`;
    parts.push(mark);
    end = entity.end;
  }
  at('found').replaceChildren(...parts, text.slice(end));
}

function showSent(text, answer) {
  const isBlocked = answer.action === 'BLOCKED';
  const sent = answer.texts?.[0] ?? text;
  at('verdict').textContent = isBlocked
    ? 'Nothing: the request is refused, and the user reads this.'
    : sent === text
      ? 'The text as it is.'
      : 'Pseudonyms in place of what was found.';
  at('sent').textContent = isBlocked ? answer.blocked_reason : sent;
  at('restore').hidden = isBlocked;
}

at('check').addEventListener('submit', (event) => {
  event.preventDefault();
  const text = at('text').value;
  attempt(event.currentTarget, at('problem'), async (isWanted) => {
    if (text.trim() === '') throw new Problem('Type a text first, or insert the example.');
    forget();
    callId = crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint32Array(4))).join('-');
    const [found, guarded] = await Promise.all([
      call('POST', 'playground/detect', { text, ...overrides() }),
      guard('request', text),
    ]);
    session = guarded.session;
    if (!isWanted()) return;
    showFound(text, found.answer.entities);
    showSent(text, guarded.answer);
    at('restored-part').hidden = true;
    at('answer').value = '';
    at('result').hidden = false;
    at('status').textContent = `Checked: ${at('summary').textContent} ${at('verdict').textContent}`;
  });
});

at('restore').addEventListener('submit', (event) => {
  event.preventDefault();
  const text = at('answer').value;
  attempt(event.currentTarget, at('restore-problem'), async (isWanted) => {
    if (text.trim() === '') throw new Problem('Write an answer first, or take over what the model saw.');
    const { answer } = await guard('response', text);
    if (!isWanted()) return;
    at('restored').textContent = answer.texts[0];
    at('restored-title').textContent =
      answer.texts[0] === text ? 'What the user reads: nothing was restored' : 'What the user reads';
    at('restored-part').hidden = false;
    at('status').textContent = 'Restored.';
  });
});

at('example').addEventListener('click', () => {
  at('text').value = EXAMPLE;
  at('text').focus();
});
at('echo').addEventListener('click', () => {
  at('answer').value = at('sent').textContent;
  at('answer').focus();
});
for (const id of ['check', 'restore']) {
  at(id).addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
  });
}
addEventListener('pagehide', forget);
