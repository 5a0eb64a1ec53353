/**
 * The gateway's configuration: the admin's text with our settings in it. Its keys, their order, its comments, anchors
 * and quotes stay as they are: the text is changed as a document, never parsed and written anew. Pure.
 */
import type { Document, Node } from 'yaml';
import { isMap, isNode, isScalar, isSeq, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import { parseDuration } from '../cluster/cluster.ts';
import { removeBypasses } from './guardrailBypasses.ts';
import type { GuardrailEntry } from './guardrailEntry.ts';
import { entryParams, GUARDRAIL_NAME } from './guardrailEntry.ts';
import {
  copyComments,
  detach,
  entriesOf,
  ownValue,
  parseBase,
  ProxyConfigError,
  resolve,
  rootOf,
  valueOf,
} from './proxyConfigDocument.ts';

/** What of the default budget goes into the configuration. */
export interface BudgetSettings {
  readonly maxBudget?: number;
  readonly budgetId?: string;
}

/** What we put into the configuration. */
export interface ManagedSettings {
  /** The proxy's own name: the section of its settings begins with it. */
  readonly proxyName: string;
  readonly budget: BudgetSettings | undefined;
  readonly guardrail: GuardrailEntry | undefined;
}

/** The configuration that the gateway reads, and what it does not have of the base. */
export interface RenderedProxyConfig {
  readonly text: string;
  /** Names, never values, of settings of the base that lead calls around the guardrail, or could. The text has none. */
  readonly removed: readonly string[];
  /** Whether the gateway adds files to the text, which can hold such settings too and are not ours to read. */
  readonly hasIncludes: boolean;
}

/** How much longer the gateway waits for the guardrail than that waits for its detectors, in seconds. */
const SLACK_SECONDS = 9;
/** The guardrail answers each call within 25 s, with an error if need be: so long only where it reads images. */
const WITH_IMAGES_SECONDS = 30;
/** What the API server takes in a ConfigMap, less its metadata: indentation makes a text longer that is nested deeply. */
const MAX_RENDERED_BYTES = 1000 * 1024;
const NAME_KEY = 'guardrail_name';
const SHOWN_NAME = /^[\w.-]{1,128}$/;
/** What parsers of YAML 1.1 and 1.2 both take for a text without quotes: `no` and `1:30` are none. */
const PLAIN_TEXT = /^(?!(y|n|yes|no|on|off|true|false|null)$)[a-z]\w*([-./]\w+)*$|^https?:\/\/[\w.:/-]+$/i;

/** After how many seconds the gateway gives up a call of its guardrail: later than that does itself, so that its reason arrives. */
export function timeoutSecondsOf(spec: Guardrail = {}): number {
  const { detectionTimeout, images } = { ...instanceDefaults.guardrail, ...spec };
  const forTexts = Math.ceil(parseDuration(detectionTimeout) / 1000) + SLACK_SECONDS;
  return images === 'Redact' ? Math.max(WITH_IMAGES_SECONDS, forTexts) : forTexts;
}

/**
 * @param base the admin's configuration; may be empty.
 * @returns the configuration with our settings. What of them is undefined stays as the base has it.
 * @throws ProxyConfigError where the base is not one YAML mapping, or has something else in the place of our settings.
 */
export function renderProxyConfig(base: string, ours: ManagedSettings): RenderedProxyConfig {
  const document = parseBase(base);
  const { budget, guardrail, proxyName } = ours;
  if (budget !== undefined) {
    const settings = mapAt(document, `${proxyName}_settings`);
    // One without the other: a limit of yesterday's must not stand beside today's.
    assign(document, settings, 'max_end_user_budget', budget.maxBudget);
    assign(document, settings, 'max_end_user_budget_id', budget.budgetId);
  }
  const removed =
    guardrail === undefined
      ? []
      : [...removeBypasses(document), ...writeEntry(document, `${proxyName}_params`, guardrail)];
  const hasIncludes = guardrail !== undefined && entriesOf(document, rootOf(document)).has('include');
  // Lines of the base are never folded anew.
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: true });
  if (Buffer.byteLength(text) > MAX_RENDERED_BYTES) {
    throw new ProxyConfigError(
      `The gateway's configuration (spec.proxyConfig.base) becomes longer than a ConfigMap can hold (${MAX_RENDERED_BYTES / 1024} KiB): shorten it.`,
    );
  }
  return { text, removed, hasIncludes };
}

/** The mapping under a top-level key, made where there is none. */
function mapAt(document: Document, key: string): YAMLMap {
  const found = ownValue(document, rootOf(document), key);
  if (isMap(found)) return found;
  if (found !== undefined && !isNull(found)) {
    throw new ProxyConfigError(`${key} in the gateway's configuration is not a mapping: make it one, or remove it.`);
  }
  const made = new YAMLMap();
  rootOf(document).set(document.createNode(key), made);
  return made;
}

/** The list of guardrails, made where there is none. */
function guardrailsOf(document: Document): YAMLSeq {
  const found = ownValue(document, rootOf(document), 'guardrails');
  if (isSeq(found)) return found;
  if (found !== undefined && !isNull(found)) {
    throw new ProxyConfigError("guardrails in the gateway's configuration is not a list: make it one, or remove it.");
  }
  const made = new YAMLSeq();
  rootOf(document).set(document.createNode('guardrails'), made);
  return made;
}

/**
 * Writes our entry anew: in the place of the one of its name, else behind all others. There is one of that name at most,
 * since the gateway sends each call to any one of several.
 * @returns the names of what is no longer there
 */
function writeEntry(document: Document, paramsKey: string, guardrail: GuardrailEntry): string[] {
  const list = guardrailsOf(document);
  const isOurs = (item: unknown): boolean => {
    const entry = resolve(document, item);
    return isMap(entry) && valueOf(document, entriesOf(document, entry).get(NAME_KEY)) === GUARDRAIL_NAME;
  };
  const old = list.items.find(isOurs);
  const entry = resolve(document, old);
  const settings = isMap(entry) ? entriesOf(document, entry) : new Map<string, unknown>();
  const oldParams = resolve(document, settings.get(paramsKey));
  const { params, removed } = entryParams(
    isMap(oldParams) ? (valueOf(document, oldParams) as Record<string, unknown>) : {},
    guardrail,
  );
  const made = mapLike(entry, [
    [NAME_KEY, GUARDRAIL_NAME],
    [paramsKey, mapLike(oldParams, [...params])],
  ]);
  const others = [...settings.keys()].filter((key) => key !== NAME_KEY && key !== paramsKey);
  const second = list.items.filter(isOurs).length > 1;
  detach(document, list.items.filter(isOurs));
  // Into a list in brackets too, which then goes on in brackets.
  list.items = old === undefined ? [...list.items, made] : list.items.filter((item) => item === old || !isOurs(item));
  list.items = list.items.map((item) => (item === old ? made : item));
  return [
    ...[...removed.map((name) => `${paramsKey}.${name}`), ...others].map(shown),
    ...(second ? [`a second ${GUARDRAIL_NAME}`] : []),
  ];
}

/** A name for people to see. What does not look like a key can be a value that stands in the wrong place. */
function shown(name: string): string {
  return SHOWN_NAME.test(name) ? name : 'a key with an unusual name';
}

/**
 * A new mapping with the comments of another and its style. Nothing else of that one is in it: neither anchors, tags nor
 * ways to write a value, which the gateway could read otherwise.
 */
function mapLike(old: unknown, entries: readonly (readonly [string, unknown])[]): YAMLMap {
  const made = new YAMLMap();
  made.items = entries.map(([key, value]) => new Pair(textNode(key), valueNode(value)));
  if (!isMap(old)) return made;
  const positionOf = ({ key }: Pair): number => {
    const found = old.items.findIndex((pair) => isSameKey(pair, key));
    return found === -1 ? old.items.length : found;
  };
  made.items.sort((one, other) => positionOf(one) - positionOf(other));
  if (old.flow !== undefined) made.flow = old.flow;
  copyComments(old, made);
  for (const { key, value } of made.items) {
    const before = old.items.find((pair) => isSameKey(pair, key));
    if (before === undefined) continue;
    copyComments(before.key, key);
    if (!isMap(value)) copyComments(before.value, value);
  }
  return made;
}

function isSameKey(pair: Pair, key: unknown): boolean {
  return isScalar(pair.key) && isScalar(key) && pair.key.value === key.value;
}

function valueNode(value: unknown): Node {
  if (isNode(value)) return value;
  if (typeof value === 'string') return textNode(value);
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.flow = true;
    list.items = value.map(valueNode);
    return list;
  }
  if (typeof value === 'object' && value !== null) {
    const map = mapLike(undefined, Object.entries(value));
    map.flow = true;
    return map;
  }
  return new Scalar(value);
}

function textNode(text: string): Scalar {
  const node = new Scalar(text);
  if (!PLAIN_TEXT.test(text)) node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

function assign(document: Document, map: YAMLMap, key: string, value: unknown): void {
  const before = ownValue(document, map, key);
  if (value === undefined) {
    map.delete(key);
  } else if (!isScalar(before) || before.value !== value) {
    const node = valueNode(value);
    copyComments(before, node);
    map.set(key, node);
  }
}

function isNull(node: unknown): boolean {
  return isScalar(node) && node.value === null;
}
