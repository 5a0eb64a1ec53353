/** Removes settings outside the operator's guardrail entry that let calls bypass the guardrail. */
import type { Document, YAMLMap, YAMLSeq } from 'yaml';
import { isMap, isScalar, isSeq, visit } from 'yaml';
import { GUARDRAIL_NAME } from './guardrailEntry.ts';
import { detach, entriesOf, nameOf, ownValue, resolve, rootOf, valueOf } from './proxyConfigDocument.ts';

const DISABLE_ALL = 'disable_global_guardrails';
const OPT_OUT = 'opted_out_global_guardrails';

/**
 * Removes the bypasses: defaults of keys and teams that opt out of guardrails, and steps of policy pipelines that run
 * the operator's guardrail. Such a step decides itself what happens after an error, and LiteLLM does not run the
 * guardrail anywhere else in this case.
 * @returns the names of the removed settings
 */
export function removeBypasses(document: Document): string[] {
  return [...removeOptOuts(document), ...removePipelineSteps(document)];
}

function removeOptOuts(document: Document): string[] {
  const removed = new Set<string>();
  // Keys from a merge key are removed at their source.
  for (const map of nodesOf(document, isMap)) {
    // Several pairs have the same name if their keys are aliases.
    const valuesOf = (name: string): unknown[] =>
      map.items.filter(({ key }) => nameOf(document, key) === name).map(({ value }) => resolve(document, value));
    // Only a plain false is safe: the gateway's parser reads `yes` as true.
    if (valuesOf(DISABLE_ALL).some((value) => !isScalar(value) || value.value !== false)) {
      remove(document, map, DISABLE_ALL);
      removed.add(DISABLE_ALL);
    }
    const lists = valuesOf(OPT_OUT);
    if (!lists.some((list) => listOf(document, list).includes(GUARDRAIL_NAME))) continue;
    const list = lists.length === 1 ? ownValue(document, map, OPT_OUT) : undefined;
    if (isSeq(list)) removeItems(document, list, (item) => valueOf(document, item) === GUARDRAIL_NAME);
    else remove(document, map, OPT_OUT);
    removed.add(OPT_OUT);
  }
  return [...removed];
}

/**
 * Removes the steps of policy pipelines that run the operator's guardrail.
 * @returns the names of the removed settings
 */
export function removePipelineSteps(document: Document): string[] {
  if (!entriesOf(document, rootOf(document)).has('policies')) return [];
  const isOurStep = (item: unknown): boolean => {
    const step = resolve(document, item);
    return isMap(step) && valueOf(document, entriesOf(document, step).get('guardrail')) === GUARDRAIL_NAME;
  };
  const lists = new Set(nodesOf(document, isSeq).filter((list) => list.items.some(isOurStep)));
  for (const list of lists) removeItems(document, list, isOurStep);
  for (const map of nodesOf(document, isMap)) {
    const pipeline = map.items.find(({ key }) => nameOf(document, key) === 'pipeline');
    const settings = resolve(document, pipeline?.value);
    const steps = isMap(settings) ? resolve(document, entriesOf(document, settings).get('steps')) : undefined;
    // The gateway does not start with a pipeline without steps.
    if (isSeq(steps) && lists.has(steps) && steps.items.length === 0) remove(document, map, 'pipeline');
  }
  return lists.size === 0 ? [] : ['policies.*.pipeline.steps'];
}

/** Removes a key from the mapping. */
function remove(document: Document, map: YAMLMap, key: string): void {
  const own = new Set(map.items.filter((pair) => nameOf(document, pair.key) === key));
  detach(
    document,
    [...own].flatMap((pair) => [pair.key, pair.value]),
  );
  map.items = map.items.filter((pair) => !own.has(pair));
}

function removeItems(document: Document, list: YAMLSeq, goes: (item: unknown) => boolean): void {
  const items = new Set(list.items.filter(goes));
  detach(document, [...items]);
  list.items = list.items.filter((item) => !items.has(item));
}

function listOf(document: Document, node: unknown): unknown[] {
  const value = valueOf(document, node);
  return Array.isArray(value) ? value : [];
}

/** All nodes of a kind, collected before the first change. */
function nodesOf<Kind>(document: Document, isKind: (node: unknown) => node is Kind): Kind[] {
  const found: Kind[] = [];
  visit(document, {
    Node: (_key, node) => {
      if (isKind(node)) found.push(node);
    },
  });
  return found;
}
