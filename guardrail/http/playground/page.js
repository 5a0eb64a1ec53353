// Runs in the browser, as a part of the page; `tsc --project` checks it by tsconfig.json beside it. What comes from the
// service is set as text, never as markup; the browser keeps the key and sends it; and what a check has stored is erased
// when the check fails, when the next one begins and when the page goes.
const settings = document.body.dataset;
const EXAMPLE =
  'Hi, I am Anna Schmidt from Springfield. Please send the contract to anna.schmidt@example.org or call me on ' +
  '+1 202-555-0123. You can charge my card 4111 1111 1111 1111.';
const RECALLS = ['precise', 'balanced', 'thorough'];
const COLORS = 8;

/**
 * The element of the page with this id.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 */
function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no such element: ${id}.`);
  return found;
}

const at = (/** @type {string} */ id) => element(id, HTMLElement);
const recall = element('recall', HTMLSelectElement);
const input = element('text', HTMLTextAreaElement);
const answerInput = element('answer', HTMLTextAreaElement);

/**
 * What was found in a text, as `/playground/detect` returns it.
 * @typedef {object} Entity
 * @property {number} start
 * @property {number} end
 * @property {string} type
 * @property {number} score
 * @property {string} detector
 * @property {'pseudonymize' | 'block'} action
 */
/**
 * The answer to a guard call, as far as the page reads it.
 * @typedef {{ action: string, texts?: string[], blocked_reason?: string }} Guarded
 */

/** A sentence for the user. */
class Problem extends Error {
  /**
   * @param {string} message
   * @param {HTMLElement} [field] what has to be corrected; it gets the focus
   */
  constructor(message, field) {
    super(message);
    this.field = field;
  }
}

/**
 * Names the last check, as the call and as its end user: so all that it stores can be erased, whatever became of it.
 * @type {string | undefined}
 */
let checkId;
/** Counts what was asked: an answer to an earlier question is not shown. */
let question = 0;

for (const name of RECALLS.slice(RECALLS.indexOf(settings.recall ?? ''))) {
  const isDefault = name === settings.recall;
  recall.append(new Option(isDefault ? `${name} (the service's setting)` : name, isDefault ? '' : name));
}
at('monitor').hidden = settings.mode !== 'monitor';

/**
 * Posts to the service.
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>} what the service promises
 * @throws {Problem}
 */
async function post(path, body, keepalive = false) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'same-origin',
      keepalive,
    });
  } catch {
    throw new Problem('The service cannot be reached: is it still running?');
  }
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer) return answer;
  if (response.status === 401) {
    throw new Problem(
      'The service no longer knows the API key that you signed in with: reload the page and sign in again.',
    );
  }
  throw new Problem(answer?.error?.message ?? `The service answered with status ${response.status}.`);
}

const overrides = () => (recall.value === '' ? {} : { recall: recall.value });

/**
 * @param {string} text
 * @returns {Promise<Entity[]>}
 */
async function detect(text) {
  return (await post('playground/detect', { text, ...overrides() })).entities;
}

/**
 * @param {'request' | 'response'} phase
 * @param {string} text
 * @returns {Promise<Guarded>}
 */
function guard(phase, text) {
  return post(`beta/${settings.proxy}_basic_guardrail_api`, {
    input_type: phase,
    [`${settings.proxy}_call_id`]: checkId,
    request_data: { user_api_key_end_user_id: checkId },
    texts: [text],
    additional_provider_specific_params: overrides(),
  });
}

/** Erases what the last check has stored; a call of it that the service is working on stores nothing any more. */
function forget() {
  // What cannot be erased now expires.
  if (checkId !== undefined) post('subjects/erase', { end_user_id: checkId }, true).catch(() => undefined);
  checkId = undefined;
}

/**
 * What a form does. An answer that comes when something else was asked is not wanted any more.
 * @typedef {(isWanted: () => boolean) => Promise<void>} Work
 */

/**
 * Runs what a form asks for, and shows in its place what went wrong.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} place
 * @param {Work} work
 */
async function attempt(form, place, work) {
  const button = form.querySelector('[type=submit]');
  if (button?.getAttribute('aria-disabled') === 'true') return;
  button?.setAttribute('aria-disabled', 'true');
  place.hidden = true;
  place.textContent = '';
  question += 1;
  const mine = question;
  try {
    await work(() => mine === question);
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem('Something went wrong in this page: reload it.');
    place.textContent = problem.message;
    place.hidden = false;
    problem.field?.focus();
  } finally {
    button?.removeAttribute('aria-disabled');
  }
}

/**
 * @param {string} id of the form
 * @param {string} problem id of the place for what went wrong
 * @param {Work} work
 */
function onSubmit(id, problem, work) {
  const form = element(id, HTMLFormElement);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void attempt(form, at(problem), work);
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} many
 */
function plural(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}

/** @param {Entity['action']} [action] */
function actionOf(action) {
  return action === 'block' ? 'refuses the request' : 'replaced';
}

/**
 * @param {string} text
 * @param {Entity[]} entities
 */
function showFound(text, entities) {
  const types = [...new Set(entities.map(({ type }) => type))];
  const colorOf = (/** @type {string} */ type) => `c${types.indexOf(type) % COLORS}`;
  at('summary').textContent =
    entities.length === 0
      ? 'Nothing: the text holds no personal data that the service knows of.'
      : `${plural(entities.length, 'entity', 'entities')} of ${plural(types.length, 'type', 'types')}, each with its type and score.`;
  at('legend').hidden = types.length === 0;
  at('legend').replaceChildren(
    ...types.map((type) => {
      const item = document.createElement('li');
      const ofType = entities.filter((entity) => entity.type === type);
      item.className = colorOf(type);
      item.textContent = `${type} × ${ofType.length} · ${actionOf(ofType[0]?.action)}`;
      return item;
    }),
  );
  /** @type {(string | Node)[]} */
  const parts = [];
  let end = 0;
  for (const entity of entities) {
    parts.push(text.slice(end, entity.start));
    const mark = document.createElement('mark');
    mark.className = `${colorOf(entity.type)} ${entity.action}`;
    const label = document.createElement('small');
    label.textContent = `${entity.type} ${entity.score.toFixed(2)}`;
    mark.append(text.slice(entity.start, entity.end), label);
    mark.title = `${entity.type}, score ${entity.score.toFixed(2)}, found by ${entity.detector}, ${actionOf(entity.action)}`;
    parts.push(mark);
    end = entity.end;
  }
  at('found').replaceChildren(...parts, text.slice(end));
}

/**
 * @param {string} text
 * @param {Guarded} answer
 */
function showSent(text, answer) {
  const isBlocked = answer.action === 'BLOCKED';
  const sent = answer.texts?.[0] ?? text;
  at('verdict').textContent = isBlocked
    ? 'Nothing: the request is refused, and the user reads this.'
    : sent === text
      ? 'The text as it is.'
      : 'Pseudonyms in place of what was found.';
  at('sent').textContent = isBlocked ? (answer.blocked_reason ?? '') : sent;
  at('restore').hidden = isBlocked;
}

onSubmit('check', 'problem', async (isWanted) => {
  const text = input.value;
  if (text.trim() === '') throw new Problem('Type a text first, or insert the example.', input);
  forget();
  // `randomUUID` is there in secure contexts alone: not on a plain http address of another machine.
  const random = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16));
  checkId = `playground-${random.join('-')}`;
  const calls = /** @type {const} */ ([detect(text), guard('request', text)]);
  try {
    const [entities, answer] = await Promise.all(calls);
    if (!isWanted()) return;
    showFound(text, entities);
    showSent(text, answer);
  } catch (error) {
    // A call that reaches the service after the erasure would store something again.
    await Promise.allSettled(calls);
    forget();
    throw error;
  }
  at('restored-part').hidden = true;
  answerInput.value = '';
  at('result').hidden = false;
  at('status').textContent = `Checked: ${at('summary').textContent} ${at('verdict').textContent}`;
});

onSubmit('restore', 'restore-problem', async (isWanted) => {
  const text = answerInput.value;
  if (text.trim() === '') throw new Problem('Write an answer first, or take over what the model saw.', answerInput);
  const { texts } = await guard('response', text);
  if (!isWanted()) return;
  const restored = texts?.[0] ?? text;
  at('restored').textContent = restored;
  at('restored-title').textContent =
    restored === text ? 'What the user reads: nothing was restored' : 'What the user reads';
  at('restored-part').hidden = false;
  at('status').textContent = 'Restored.';
});

at('example').addEventListener('click', () => {
  input.value = EXAMPLE;
  input.focus();
});
at('echo').addEventListener('click', () => {
  answerInput.value = at('sent').textContent;
  answerInput.focus();
});
addEventListener('pagehide', forget);
