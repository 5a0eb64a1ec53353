// The script of the page; tsconfig.json in this folder type-checks it. It inserts responses as text, never as markup.
// The browser stores the API key and sends it. The mappings of a check are erased when the check fails, when the next
// check starts and when the page closes.
const settings = document.body.dataset;
const EXAMPLE =
  'Hi, I am Anna Schmidt from Springfield. Please send the contract to anna.schmidt@example.org or call me on ' +
  '+1 202-555-0123. You can charge my card 4111 1111 1111 1111.';
const RECALLS = ['precise', 'balanced', 'thorough'];
const COLORS = 8;

/**
 * Returns the element with this id.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 */
function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no element ${id} of this kind.`);
  return found;
}

const at = (/** @type {string} */ id) => element(id, HTMLElement);
const recall = element('recall', HTMLSelectElement);
const input = element('text', HTMLTextAreaElement);
const answerInput = element('answer', HTMLTextAreaElement);

/**
 * An entity in the response of `/playground/detect`.
 * @typedef {object} Entity
 * @property {number} start
 * @property {number} end
 * @property {string} type
 * @property {number} score
 * @property {string} detector
 * @property {'pseudonymize' | 'block'} action
 */
/**
 * The response to a guardrail call: the members that the page uses.
 * @typedef {{ action: string, texts?: string[], blocked_reason?: string }} Guarded
 */

/** An error with a message for the user. */
class Problem extends Error {
  /**
   * @param {string} message
   * @param {HTMLElement} [field] the field to correct; it gets the focus
   */
  constructor(message, field) {
    super(message);
    this.field = field;
  }
}

/**
 * The id of the last check. It is the id of the call and of the end user, so that one request erases all mappings.
 * @type {string | undefined}
 */
let checkId;
/** Counts the submitted forms. A response to an earlier one is not shown. */
let submission = 0;

for (const name of RECALLS.slice(RECALLS.indexOf(settings.recall ?? ''))) {
  const isDefault = name === settings.recall;
  recall.append(new Option(isDefault ? `${name} (setting of the service)` : name, isDefault ? '' : name));
}
at('monitor').hidden = settings.mode !== 'monitor';

/**
 * Sends a request to the service.
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>} the response
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
    throw new Problem('The service is unreachable: check that it is running, then try again.');
  }
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer) return answer;
  if (response.status === 401) {
    throw new Problem('The API key of your sign-in is no longer valid: reload the page and sign in again.');
  }
  throw new Problem(answer?.error?.message ?? `The service failed with status ${response.status}.`);
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

/** Erases the mappings of the last check. If one of its calls still runs, that call stores nothing. */
function eraseMappings() {
  // If the erasure fails, the mappings expire.
  if (checkId !== undefined) post('subjects/erase', { end_user_id: checkId }, true).catch(() => undefined);
  checkId = undefined;
}

/**
 * The action of a form. A response is outdated if another form was submitted since.
 * @typedef {(isOutdated: () => boolean) => Promise<void>} Work
 */

/**
 * Runs the action of a form, and shows an error in `place`.
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
  submission += 1;
  const mine = submission;
  try {
    await work(() => mine !== submission);
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem('The page failed unexpectedly: reload it.');
    place.textContent = problem.message;
    place.hidden = false;
    problem.field?.focus();
  } finally {
    button?.removeAttribute('aria-disabled');
  }
}

/**
 * @param {string} id of the form
 * @param {string} problem id of the element for errors
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
  return action === 'block' ? 'request refused' : 'replaced';
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
      ? 'No personal data was found.'
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
    ? 'Nothing. The policy refuses the request, and the user receives this message:'
    : sent === text
      ? 'The unchanged text.'
      : 'The text with pseudonyms.';
  at('sent').textContent = isBlocked ? (answer.blocked_reason ?? '') : sent;
  at('restore').hidden = isBlocked;
}

onSubmit('check', 'problem', async (isOutdated) => {
  const text = input.value;
  if (text.trim() === '') throw new Problem('Enter a text, or insert the example.', input);
  eraseMappings();
  // Not `randomUUID`: it requires a secure context, so not http to another machine.
  const random = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16));
  checkId = `playground-${random.join('-')}`;
  const calls = /** @type {const} */ ([detect(text), guard('request', text)]);
  try {
    const [entities, answer] = await Promise.all(calls);
    if (isOutdated()) return;
    showFound(text, entities);
    showSent(text, answer);
  } catch (error) {
    // Wait for both calls: a call after the erasure would store mappings again.
    await Promise.allSettled(calls);
    eraseMappings();
    throw error;
  }
  at('restored-part').hidden = true;
  answerInput.value = '';
  at('result').hidden = false;
  at('status').textContent = `Checked: ${at('summary').textContent} ${at('verdict').textContent}`;
});

onSubmit('restore', 'restore-problem', async (isOutdated) => {
  const text = answerInput.value;
  if (text.trim() === '') throw new Problem('Enter a response, or copy the text that the model receives.', answerInput);
  const { texts } = await guard('response', text);
  if (isOutdated()) return;
  const restored = texts?.[0] ?? text;
  at('restored').textContent = restored;
  at('restored-title').textContent =
    restored === text ? 'What the user receives: nothing was restored' : 'What the user receives';
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
addEventListener('pagehide', eraseMappings);
