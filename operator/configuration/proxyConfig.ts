/**
 * The gateway's configuration: the admin's base with the operator's settings. Keys, their order, comments, anchors and
 * quotes are kept: the text is edited as a document, not parsed and serialized again. Pure.
 */
import type { Document, Node } from 'yaml';
import { isMap, isNode, isScalar, isSeq, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { removeBypasses, removePipelineSteps } from './guardrailBypasses.ts';
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

/** The settings of the default budget. */
export interface BudgetSettings {
  readonly maxBudget?: number;
  readonly budgetId?: string;
}

/** The operator's settings. */
export interface ManagedSettings {
  /** The proxy's own name, which is the prefix of its settings' section. */
  readonly proxyName: string;
  readonly budget: BudgetSettings | undefined;
  /** `absent`: the gateway must not call the guardrail, also if the base says so. undefined: as in the base. */
  readonly guardrail: GuardrailEntry | 'absent' | undefined;
}

/** The rendered configuration. */
export interface RenderedProxyConfig {
  readonly text: string;
  /**
   * Names, never values, of settings that were removed from the base because calls could bypass the guardrail with
   * them.
   */
  readonly removed: readonly string[];
  /**
   * Whether the gateway includes further files. They can contain such settings, and the operator does not read them.
   */
  readonly hasIncludes: boolean;
}

/** The API server's limit of a ConfigMap, minus its metadata. Indentation makes a deeply nested text longer. */
const MAX_RENDERED_BYTES = 1000 * 1024;
const NAME_KEY = 'guardrail_name';
const SHOWN_NAME = /^[\w.-]{1,128}$/;
/** Texts that parsers of YAML 1.1 and 1.2 read as a string without quotes: `no` and `1:30` are not such texts. */
const PLAIN_TEXT = /^(?!(y|n|yes|no|on|off|true|false|null)$)[a-z]\w*([-./]\w+)*$|^https?:\/\/[\w.:/-]+$/i;

/**
 * Renders the configuration.
 * @param base the admin's configuration, which may be empty
 * @returns the base with the operator's settings. Undefined settings stay as in the base.
 * @throws ProxyConfigError if the base is not one YAML mapping, or has another type in place of the operator's settings
 */
export function renderProxyConfig(base: string, ours: ManagedSettings): RenderedProxyConfig {
  const document = parseBase(base);
  const { budget, guardrail, proxyName } = ours;
  if (budget !== undefined) {
    const settings = mapAt(document, `${proxyName}_settings`);
    // Deletes both: the amount of an old default must not remain next to the row of a new one.
    assign(document, settings, 'max_end_user_budget', budget.maxBudget);
    assign(document, settings, 'max_end_user_budget_id', budget.budgetId);
  }
  if (guardrail === 'absent') removeEntry(document);
  const entry = guardrail === 'absent' ? undefined : guardrail;
  const removed =
    entry === undefined ? [] : [...removeBypasses(document), ...writeEntry(document, `${proxyName}_params`, entry)];
  const hasIncludes = entry !== undefined && entriesOf(document, rootOf(document)).has('include');
  // Long lines of the base are not wrapped.
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: true });
  if (Buffer.byteLength(text) > MAX_RENDERED_BYTES) {
    throw new ProxyConfigError(
      `The gateway's configuration (spec.proxyConfig.base) exceeds the size of a ConfigMap (${MAX_RENDERED_BYTES / 1024} KiB) when it is rendered. Shorten it.`,
    );
  }
  return { text, removed, hasIncludes };
}

/** The mapping under a top-level key. Created if it does not exist. */
function mapAt(document: Document, key: string): YAMLMap {
  const found = ownValue(document, rootOf(document), key);
  if (isMap(found)) return found;
  if (found !== undefined && !isNull(found)) {
    throw new ProxyConfigError(
      `${key} in the gateway's configuration is not a mapping. Change it to a mapping, or remove it.`,
    );
  }
  const made = new YAMLMap();
  rootOf(document).set(document.createNode(key), made);
  return made;
}

/** The list of guardrails. Created if it does not exist. */
function guardrailsOf(document: Document): YAMLSeq {
  const found = ownValue(document, rootOf(document), 'guardrails');
  if (isSeq(found)) return found;
  if (found !== undefined && !isNull(found)) {
    throw new ProxyConfigError(
      "guardrails in the gateway's configuration is not a list. Change it to a list, or remove it.",
    );
  }
  const made = new YAMLSeq();
  rootOf(document).set(document.createNode('guardrails'), made);
  return made;
}

/**
 * Writes the operator's entry in place of an existing entry with its name, or else after all others. Only one entry may
 * have the name, because the gateway sends each call to an arbitrary one of them.
 * @returns the names of removed settings
 */
function writeEntry(document: Document, paramsKey: string, guardrail: GuardrailEntry): string[] {
  const list = guardrailsOf(document);
  const isOurs = (item: unknown): boolean => isOurEntry(document, item);
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
  // A flow sequence stays a flow sequence.
  list.items = old === undefined ? [...list.items, made] : list.items.filter((item) => item === old || !isOurs(item));
  list.items = list.items.map((item) => (item === old ? made : item));
  return [
    ...[...removed.map((name) => `${paramsKey}.${name}`), ...others].map(shown),
    ...(second ? [`a second ${GUARDRAIL_NAME}`] : []),
  ];
}

/** Removes every entry with the operator's name, what refers to it, and a list that has no other entry. */
function removeEntry(document: Document): void {
  removePipelineSteps(document);
  const list = ownValue(document, rootOf(document), 'guardrails');
  if (!isSeq(list)) return;
  const ours = list.items.filter((item) => isOurEntry(document, item));
  if (ours.length === 0) return;
  detach(document, ours);
  list.items = list.items.filter((item) => !ours.includes(item));
  if (list.items.length > 0) return;
  const root = rootOf(document);
  root.delete('guardrails');
  // A merge key may have the list too.
  if (entriesOf(document, root).has('guardrails')) root.set('guardrails', new YAMLSeq());
}

function isOurEntry(document: Document, item: unknown): boolean {
  const entry = resolve(document, item);
  return isMap(entry) && valueOf(document, entriesOf(document, entry).get(NAME_KEY)) === GUARDRAIL_NAME;
}

/** A name to show to users. A key with an unusual form may be a misplaced value. */
function shown(name: string): string {
  return SHOWN_NAME.test(name) ? name : 'a key with an unusual name';
}

/**
 * A new mapping with the comments and the style of another one. It has no anchors, tags or spellings of values that the
 * gateway could read differently.
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
