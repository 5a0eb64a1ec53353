/**
 * The gateway's configuration: the admin's text with our settings in it. Its keys, their order, its comments, anchors
 * and quotes stay as they are: the text is changed as a document, never parsed and written anew. Pure.
 */
import { Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, YAMLMap, YAMLSeq } from 'yaml';
import type { Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { parseDuration } from './connection.ts';

/** What of the default budget goes into the configuration. */
export interface BudgetSettings {
  readonly maxBudget?: number;
  readonly budgetId?: string;
}

/** The call of the guardrail, as the gateway makes it. */
export interface GuardrailEntry {
  /** Base address of the guardrail; the gateway appends the path. */
  readonly url: string;
  /** After how many seconds a call counts as failed. The gateway's own default is ten minutes. */
  readonly timeoutSeconds: number;
}

/** What we put into the configuration. */
export interface OurSettings {
  /** The proxy's own name: the section of its settings begins with it. */
  readonly proxyName: string;
  readonly budget: BudgetSettings | undefined;
  readonly guardrail: GuardrailEntry | undefined;
}

/** The base is not what a gateway could read either. The message says where, and holds nothing of its values. */
export class ProxyConfigError extends Error {
  override readonly name = 'ProxyConfigError';
}

/** How much longer the gateway waits for the guardrail than that waits for its detectors, in seconds. */
const SLACK_SECONDS = 9;
/** The guardrail answers each call within 25 s, with an error if need be: so long only where it reads images. */
const WITH_IMAGES_SECONDS = 30;

/** Name of our entry in the gateway's list of guardrails. */
export const GUARDRAIL_NAME = 'gateway-guardrail';
/** The environment variable in which the gateway finds the guardrail's API key. */
export const API_KEY_VARIABLE = 'GUARDRAIL_API_KEY';

/** After how many seconds the gateway gives up a call of its guardrail: later than that does itself, so that its reason arrives. */
export function timeoutSecondsOf({ detectionTimeout = '1s', images = 'Redact' }: Guardrail = {}): number {
  const forTexts = Math.ceil(parseDuration(detectionTimeout) / 1000) + SLACK_SECONDS;
  return images === 'Redact' ? Math.max(WITH_IMAGES_SECONDS, forTexts) : forTexts;
}

/**
 * @param base the admin's configuration; may be empty.
 * @returns the configuration with our settings. What of them is undefined stays as the base has it.
 * @throws ProxyConfigError where the base is not one YAML mapping, or has something else in the place of our settings.
 */
export function renderProxyConfig(base: string, ours: OurSettings): string {
  const document = parseBase(base);
  const { budget, guardrail, proxyName } = ours;
  if (budget !== undefined) {
    const settings = mapAt(document, rootOf(document), `${proxyName}_settings`);
    // One without the other: a limit of yesterday's must not stand beside today's.
    assign(document, settings, 'max_end_user_budget', budget.maxBudget);
    assign(document, settings, 'max_end_user_budget_id', budget.budgetId);
  }
  if (guardrail !== undefined) {
    const entry = entryOf(document);
    // Each by itself: what an admin has added to the entry stays.
    const params = mapAt(document, entry, `${proxyName}_params`);
    for (const [key, value] of Object.entries(guardrailParams(guardrail))) assign(document, params, key, value);
  }
  // Lines of the base are never folded anew.
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Our entry's settings, by which the gateway fails closed whatever happens to the guardrail. */
function guardrailParams({ url, timeoutSeconds }: GuardrailEntry): Record<string, unknown> {
  return {
    guardrail: 'generic_guardrail_api',
    mode: ['pre_call', 'post_call'],
    default_on: true,
    api_base: url,
    api_key: `os.environ/${API_KEY_VARIABLE}`,
    // The default lets the raw request go on to the model.
    unreachable_fallback: 'fail_closed',
    timeout: timeoutSeconds,
    // The default drops what we change in a stream.
    streaming_transform_mode: 'incremental_diff',
  };
}

function parseBase(base: string): Document {
  const lines = new LineCounter();
  const documents = parseAllDocuments(base, { lineCounter: lines, prettyErrors: false });
  if (!Array.isArray(documents) || documents.length === 0) {
    // Comments alone are an empty document, and stay above what we add.
    const empty = new Document({});
    empty.commentBefore = base.trim() === '' ? null : base.replaceAll(/^\s*#/gm, '').trimEnd();
    return empty;
  }
  const [document, second] = documents;
  const error = documents.flatMap((each) => each.errors)[0];
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new ProxyConfigError(
      `The gateway's configuration is not valid YAML at line ${line}, column ${col} (${error.code}): correct it there.`,
    );
  }
  if (document === undefined || second !== undefined) {
    throw new ProxyConfigError("The gateway's configuration holds several YAML documents: leave one.");
  }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    const { comment, commentBefore } = document;
    const empty = new Document({});
    empty.commentBefore = [commentBefore, comment].filter((text) => typeof text === 'string').join('\n') || null;
    return empty;
  }
  if (!isMap(document.contents)) {
    throw new ProxyConfigError(
      "The gateway's configuration is not a YAML mapping: begin it with keys such as model_list.",
    );
  }
  return document;
}

function rootOf(document: Document): YAMLMap {
  // parseBase lets nothing else through.
  return document.contents as unknown as YAMLMap;
}

/** The mapping under a key, made where there is none. An alias is followed, so that what it stands for gets our keys. */
function mapAt(document: Document, parent: YAMLMap, key: string): YAMLMap {
  const found = resolve(document, parent.get(key, true));
  if (isMap(found)) return found;
  if (found !== undefined && !(isScalar(found) && found.value === null)) {
    throw new ProxyConfigError(`${key} in the gateway's configuration is not a mapping: make it one, or remove it.`);
  }
  const made = new YAMLMap();
  parent.set(document.createNode(key), made);
  return made;
}

/** Our entry in the list of guardrails, made where there is none: found by its name. */
function entryOf(document: Document): YAMLMap {
  const root = rootOf(document);
  const found = resolve(document, root.get('guardrails', true));
  let list: YAMLSeq;
  if (isSeq(found)) list = found;
  else if (found === undefined || (isScalar(found) && found.value === null)) {
    list = new YAMLSeq();
    root.set(document.createNode('guardrails'), list);
  } else {
    throw new ProxyConfigError("guardrails in the gateway's configuration is not a list: make it one, or remove it.");
  }
  for (const item of list.items) {
    const entry = resolve(document, item);
    if (isMap(entry) && entry.get('guardrail_name') === GUARDRAIL_NAME) return entry;
  }
  // Into a list in brackets too, which then goes on in brackets.
  const made = new YAMLMap();
  made.set('guardrail_name', GUARDRAIL_NAME);
  list.items.push(made);
  return made;
}

function assign(document: Document, map: YAMLMap, key: string, value: unknown): void {
  if (value === undefined) {
    map.delete(key);
    return;
  }
  const before = resolve(document, map.get(key, true));
  if (isScalar(before) && typeof value !== 'object') {
    // The comment behind the old value stays; its way of quoting need not fit the new one.
    if (before.value !== value) {
      before.value = value;
      delete before.source;
      delete before.type;
    }
    return;
  }
  map.set(key, document.createNode(value, { flow: true }));
}

function resolve(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}
