// The script of the page; tsconfig.json in this folder type-checks it. It inserts responses as text, never as markup.
// The browser stores the API key and sends it. The mappings of a check are erased when the check fails, when the next
// check starts and when the page closes.
const settings = document.body.dataset;
const EXAMPLE =
  'Hi, I am Anna Schmidt from Springfield. Please send the contract to anna.schmidt@example.org or call me on ' +
  '+1 202-555-0123. You can charge my card 4111 1111 1111 1111.';
const RECALLS = ['precise', 'balanced', 'thorough'];
const PROFILES = ['personal', 'confidential'];
const COLORS = 8;
/** The length of a piece of a stream, in characters: about a token. */
const PIECE = 4;

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
const profile = element('profile', HTMLSelectElement);
const speed = element('speed', HTMLInputElement);
const input = element('text', HTMLTextAreaElement);
const draft = element('policy', HTMLTextAreaElement);
const team = element('team', HTMLInputElement);
const customer = element('customer', HTMLInputElement);
const answerInput = element('answer', HTMLTextAreaElement);

/**
 * An entity in the response of `/playground/detect`.
 * @typedef {object} Entity
 * @property {number} start
 * @property {number} end
 * @property {string} type
 * @property {number} score
 * @property {string} detector
 * @property {string} rule
 * @property {{ start: number, end: number }[]} words the words that counted
 * @property {Model | null} model
 * @property {'pseudonymize' | 'block' | 'leave'} action
 * @property {string | null} by the part of the policy that leaves it
 * @property {string[]} policy lines of a policy that change this
 */
/**
 * What spoke most for the decision of the model, or against it.
 * @typedef {{ features: { name: string, weight: number }[] }} Model
 */
/**
 * A candidate that is no entity.
 * @typedef {object} Dropped
 * @property {number} start
 * @property {number} end
 * @property {string} type
 * @property {number} score
 * @property {string} rule
 * @property {string} reason
 * @property {string[]} policy lines of a policy that change this
 * @property {Model | null} model
 */
/**
 * What was found in the last text, and what was not.
 * @typedef {{ text: string, entities: Entity[], dropped: Dropped[] }} Checked
 */
/**
 * The response of `/playground/pseudonymize`.
 * @typedef {{ action: string, text?: string, blocked_reason?: string }} Sent
 */
/**
 * The response to a guardrail call after the model call: the members that the page uses. The holdback is in code points.
 * @typedef {{ texts?: string[], stream_holdback_chars?: number[] }} Restored
 */
/**
 * A response that is played piece by piece. `at` is the number of pieces that have arrived.
 * @typedef {{ pieces: string[], at: number, isOutdated: () => boolean }} Playback
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

/**
 * Fills a list. The setting of the service is the default, and is not sent.
 * @param {HTMLSelectElement} list
 * @param {string[]} names
 * @param {string} [setting]
 */
function fill(list, names, setting) {
  for (const name of names) {
    const isDefault = name === setting;
    list.append(
      new Option(isDefault ? `${name} (setting of the service)` : name, isDefault ? '' : name, isDefault, isDefault),
    );
  }
}
fill(recall, RECALLS.slice(RECALLS.indexOf(settings.recall ?? '')), settings.recall);
fill(profile, PROFILES, settings.profile);
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

const recallOverride = () => (recall.value === '' ? {} : { recall: recall.value });
const overrides = () => ({
  ...recallOverride(),
  ...(profile.value === '' ? {} : { profile: profile.value }),
  ...(draft.value.trim() === '' ? {} : { policy: draft.value }),
  ...(team.value.trim() === '' ? {} : { team: team.value.trim() }),
  ...(customer.value.trim() === '' ? {} : { end_user_id: customer.value.trim() }),
});

/**
 * @param {string} text
 * @returns {Promise<Omit<Checked, 'text'>>}
 */
function detect(text) {
  return post('playground/detect', { text, ...overrides() });
}

/**
 * @param {string} text
 * @returns {Promise<Sent>}
 */
function pseudonymize(text) {
  return post('playground/pseudonymize', { text, call_id: checkId, ...overrides() });
}

/**
 * Restores a response in the same way as for a gateway: `text` is all that has arrived so far.
 * @param {string} text
 * @returns {Promise<Restored>}
 */
function restore(text) {
  return post(`beta/${settings.proxy}_basic_guardrail_api`, {
    input_type: 'response',
    [`${settings.proxy}_call_id`]: checkId,
    request_data: { user_api_key_end_user_id: checkId },
    texts: [text],
    additional_provider_specific_params: recallOverride(),
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

/** What leaves an entity, by the part of the policy. */
const LEFT = new Map([
  ['profile', 'left alone in personal'],
  ['allowList', 'allowed'],
  ['ignored', 'ignored'],
  ['policyThreshold', 'below the threshold'],
]);

/** @param {Entity} entity */
function actionOf({ action, by }) {
  if (action === 'leave') return LEFT.get(by ?? '') ?? 'left';
  return action === 'block' ? 'request refused' : 'replaced';
}

/**
 * @param {string} text
 * @param {Entity[]} entities
 */
function showFound(text, entities) {
  const replaced = entities.filter(({ action }) => action !== 'leave');
  const types = [...new Set(replaced.map(({ type }) => type))];
  const classOf = (/** @type {Entity} */ { type, action }) =>
    action === 'leave' ? 'leave' : `c${types.indexOf(type) % COLORS} ${action}`;
  const left = entities.filter(({ by }) => by === 'profile').length;
  const more = replaced.length === 0 ? '' : ' more';
  const leftNote = left === 0 ? '' : ` ${left}${more} would be replaced in confidential.`;
  at('summary').textContent =
    replaced.length === 0
      ? `No personal data was found.${leftNote}`
      : `${plural(replaced.length, 'entity', 'entities')} of ${plural(types.length, 'type', 'types')}, each with its type and score.${leftNote}`;
  // What the policy leaves comes last.
  const ordered = [...replaced, ...entities.filter(({ action }) => action === 'leave')];
  const groups = Map.groupBy(ordered, ({ type, by }) => `${by} ${type}`);
  at('legend').hidden = groups.size === 0;
  at('legend').replaceChildren(
    ...[...groups.values()].flatMap((ofType) => {
      const [first] = ofType;
      if (first === undefined) return [];
      const item = document.createElement('li');
      item.className = classOf(first);
      item.textContent = `${first.type} × ${ofType.length} · ${actionOf(first)}`;
      return [item];
    }),
  );
  /** @type {(string | Node)[]} */
  const parts = [];
  let end = 0;
  for (const entity of entities) {
    parts.push(text.slice(end, entity.start));
    const mark = document.createElement('mark');
    mark.className = classOf(entity);
    const label = document.createElement('small');
    label.textContent =
      entity.action === 'leave' ? `${entity.type} ${actionOf(entity)}` : `${entity.type} ${entity.score.toFixed(2)}`;
    mark.append(text.slice(entity.start, entity.end), label);
    mark.title = `${entity.type}, score ${entity.score.toFixed(2)}, found by the rule ${entity.rule}, ${actionOf(entity)}`;
    parts.push(mark, whyButton(text, entity));
    end = entity.end;
  }
  at('found').replaceChildren(...parts, text.slice(end));
}

/** @type {Checked | undefined} */
let checked;

/**
 * @param {string} text
 * @param {Entity} entity
 */
function whyButton(text, entity) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'why';
  button.textContent = 'why?';
  button.setAttribute('aria-label', `Why ${text.slice(entity.start, entity.end)}?`);
  button.addEventListener('click', () => {
    const candidate = entity.action === 'leave' ? checked?.dropped.find((each) => isAt(each, entity)) : undefined;
    showReason(candidate === undefined ? reasonOfEntity(text, entity) : reasonOfDropped(text, candidate));
  });
  return button;
}

/**
 * @param {{ start: number, end: number }} one
 * @param {{ start: number, end: number }} other
 */
function isAt(one, other) {
  return one.start < other.end && one.end > other.start;
}

/**
 * @param {string} text
 * @param {Entity} entity
 */
function reasonOfEntity(text, { start, end, type, score, rule, words, model, policy }) {
  const counted = words.map((word) => `“${text.slice(word.start, word.end)}”`);
  return [
    `“${text.slice(start, end)}” is hidden as ${type}, score ${score.toFixed(2)}, by the rule ${rule}.`,
    ...(counted.length === 0 ? [] : [`It would not be found like this without ${counted.join(', ')}.`]),
    ...modelReason(model),
    ...advice('leave', policy),
  ];
}

/**
 * @param {string} text
 * @param {Dropped} candidate
 */
function reasonOfDropped(text, { start, end, type, score, rule, reason, model, policy }) {
  return [
    `“${text.slice(start, end)}” is not hidden as ${type}, score ${score.toFixed(2)}, of the rule ${rule}: ${reason}.`,
    ...modelReason(model),
    ...advice('hide', policy),
  ];
}

/**
 * @param {'hide' | 'leave'} purpose
 * @param {string[]} policy
 */
function advice(purpose, policy) {
  return policy.map((line, at) => `${at === 0 ? 'To' : 'Or, to'} ${purpose} it, change the policy: ${line}`);
}

/** @param {Model | null} model */
function modelReason(model) {
  if (model === null) return [];
  const features = model.features.map(
    ({ name, weight }) => `${weight < 0 ? '−' : '+'}${Math.abs(weight).toFixed(1)} ${name}`,
  );
  return [`The model: ${features.join('; ')}.`];
}

/** @param {string[]} sentences */
function showReason(sentences) {
  at('reason').replaceChildren(
    ...sentences.map((sentence) => {
      const line = document.createElement('p');
      line.textContent = sentence;
      return line;
    }),
  );
  at('reason').hidden = false;
}

/** The selected word in what was found. The labels and the buttons in it are no part of the text. */
function selectedWord() {
  const selection = getSelection();
  const isInside = selection?.anchorNode && at('found').contains(selection.anchorNode);
  return isInside ? selection.toString().trim() : '';
}

// A press on the button would end the selection.
at('why').addEventListener('mousedown', (event) => event.preventDefault());
at('why').addEventListener('click', () => {
  const word = selectedWord();
  const start = word === '' ? -1 : (checked?.text.indexOf(word) ?? -1);
  if (checked === undefined || start < 0) {
    showReason(['Select a word of the text above first.']);
    return;
  }
  const { text, entities, dropped } = checked;
  const place = { start, end: start + word.length };
  const found = entities.filter((entity) => entity.action !== 'leave' && isAt(entity, place));
  const left = dropped.filter((candidate) => isAt(candidate, place));
  const reasons = [
    ...found.flatMap((entity) => reasonOfEntity(text, entity)),
    ...left.flatMap((candidate) => reasonOfDropped(text, candidate)),
  ];
  const none = [`No rule takes “${word}” for a value.`, ...advice('hide', [`deny: [${JSON.stringify(word)}]`])];
  showReason(reasons.length === 0 ? none : reasons);
});

/**
 * @param {string} text
 * @param {Sent} answer
 */
function showSent(text, answer) {
  const isBlocked = answer.action === 'BLOCKED';
  const sent = answer.text ?? text;
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
  stopPlayback();
  // The result of the check before ends with its mappings.
  at('result').hidden = true;
  eraseMappings();
  // Not `randomUUID`: it requires a secure context, so not http to another machine.
  const random = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16));
  checkId = `playground-${random.join('-')}`;
  const calls = /** @type {const} */ ([detect(text), pseudonymize(text)]);
  try {
    const [found, answer] = await Promise.all(calls);
    if (isOutdated()) return;
    checked = { text, ...found };
    at('reason').hidden = true;
    showFound(text, found.entities);
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

/** The response in the form. */
function response() {
  const text = answerInput.value;
  if (text.trim() === '') throw new Problem('Enter a response, or copy the text that the model receives.', answerInput);
  return text;
}

/**
 * Shows what has reached the user, and what the service holds back.
 * @param {string} text
 * @param {string} [held]
 */
function showRestored(text, held = '') {
  const mark = document.createElement('mark');
  mark.className = 'held';
  const label = document.createElement('small');
  label.textContent = 'held back';
  mark.append(held, label);
  at('restored').replaceChildren(text, ...(held === '' ? [] : [mark]));
  at('restored-part').hidden = false;
}

onSubmit('restore', 'restore-problem', async (isOutdated) => {
  stopPlayback();
  const text = response();
  const { texts } = await restore(text);
  if (isOutdated()) return;
  const restored = texts?.[0] ?? text;
  showRestored(restored);
  at('restored-title').textContent =
    restored === text ? 'What the user receives: nothing was restored' : 'What the user receives';
  at('status').textContent = 'Restored.';
});

/** @type {Playback | undefined} */
let playback;
let isPlaying = false;
/** A piece is on its way to the service and back. */
let isAwaiting = false;

function stopPlayback() {
  playback = undefined;
  isPlaying = false;
  at('player').hidden = true;
}

/**
 * Adds the next piece to what has arrived, and shows what of it reaches the user.
 * @param {Playback} current
 */
async function nextPiece(current) {
  const { pieces } = current;
  if (isAwaiting || current.at >= pieces.length) return;
  isAwaiting = true;
  try {
    const arrived = pieces.slice(0, current.at + 1).join('');
    const { texts, stream_holdback_chars: holdback } = await restore(arrived);
    if (current.isOutdated() || current !== playback) return;
    current.at += 1;
    const isLast = current.at === pieces.length;
    const characters = Array.from(texts?.[0] ?? arrived);
    const sent = characters.length - (isLast ? 0 : (holdback?.[0] ?? 0));
    showRestored(characters.slice(0, sent).join(''), characters.slice(sent).join(''));
    at('progress').textContent = `Piece ${current.at} of ${pieces.length}`;
    if (isLast) isPlaying = false;
    if (isLast || !isPlaying) at('status').textContent = isLast ? 'Restored.' : at('progress').textContent;
  } catch (error) {
    // What fails late must not stop the playback of another response.
    if (current.isOutdated() || current !== playback) return;
    isPlaying = false;
    at('restore-problem').textContent = error instanceof Problem ? error.message : 'The page failed: reload it.';
    at('restore-problem').hidden = false;
  } finally {
    isAwaiting = false;
    showPlayer(current);
  }
}

/** @param {Playback} current */
function showPlayer(current) {
  if (current !== playback) return;
  const isOver = current.at >= current.pieces.length;
  at('play').textContent = isPlaying ? 'Pause' : isOver ? 'Play again' : 'Play';
  at('next').setAttribute('aria-disabled', String(isOver));
}

/** Counts the starts, so that only the last one goes on. */
let starts = 0;

/** @param {Playback} current */
async function play(current) {
  isPlaying = true;
  starts += 1;
  const mine = starts;
  showPlayer(current);
  while (isPlaying && mine === starts && current === playback) {
    await nextPiece(current);
    await new Promise((resolve) => setTimeout(resolve, 1000 / Number(speed.value)));
  }
}

at('stream').addEventListener('click', () => {
  at('restore-problem').hidden = true;
  try {
    const characters = Array.from(response());
    const pieces = Array.from({ length: Math.ceil(characters.length / PIECE) }, (_, index) =>
      characters.slice(index * PIECE, (index + 1) * PIECE).join(''),
    );
    submission += 1;
    const mine = submission;
    playback = { pieces, at: 0, isOutdated: () => mine !== submission };
    isPlaying = false;
    showRestored('');
    at('restored-title').textContent = 'What the user receives';
    at('progress').textContent = `Piece 0 of ${pieces.length}`;
    at('player').hidden = false;
    showPlayer(playback);
    // A text that moves by itself disturbs some people. They play it, or step through it.
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) void play(playback);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    at('restore-problem').textContent = error.message;
    at('restore-problem').hidden = false;
    error.field?.focus();
  }
});
at('play').addEventListener('click', () => {
  if (playback === undefined) return;
  if (isPlaying) {
    isPlaying = false;
    showPlayer(playback);
  } else {
    if (playback.at >= playback.pieces.length) playback.at = 0;
    void play(playback);
  }
});
at('next').addEventListener('click', () => {
  if (playback === undefined) return;
  isPlaying = false;
  void nextPiece(playback);
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
