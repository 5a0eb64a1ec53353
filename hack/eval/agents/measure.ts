/** Measures what the detector finds in the texts of agents. All of it is wrong: none of these texts is about a person. */
import { readFileSync } from 'node:fs';
import { cacheFolder, filesOf } from '../../corpora/download.ts';
import type { PinnedPackage } from '../../corpora/packages.ts';
import type { Finding } from '../../../guardrail/detection/contract.ts';
import { builtinAnalyzer } from '../evaluate.ts';
import { alignColumns } from '../textTable.ts';
import { agents, type Agent } from './agents.ts';

export interface AgentFigures {
  readonly texts: number;
  readonly characters: number;
  /** Texts in which something is found. */
  readonly altered: number;
  /** The number of finds by type and rule: `PERSON model.person`. */
  readonly spans: Readonly<Record<string, number>>;
}

/** What was found in a text of an agent. */
export interface AgentFind {
  readonly agent: string;
  readonly text: string;
  readonly find: Finding;
}

export interface Measured {
  /** By agent. */
  readonly figures: Readonly<Record<string, AgentFigures>>;
  readonly finds: readonly AgentFind[];
}

export const shippedAgentsFile = new URL('./shipped.json', import.meta.url);
export const readShippedAgents = (): Measured['figures'] =>
  JSON.parse(readFileSync(shippedAgentsFile, 'utf8')) as Measured['figures'];

/**
 * The distinct texts of an agent.
 * @param download returns the folder of an unpacked package
 * @throws Error that names the agent and its package if there is no such folder, or no text in it
 */
export async function textsOf(
  { name, package: pinned, read }: Agent,
  download: (pinned: PinnedPackage) => Promise<string> = (one) => filesOf(one, cacheFolder()),
): Promise<string[]> {
  const from = `${name} (${pinned.client}: ${pinned.name} ${pinned.version})`;
  const folder = await download(pinned).catch((cause: unknown) => {
    throw new Error(`Cannot measure ${from}, because its package cannot be downloaded: ${String(cause)}`, { cause });
  });
  const texts = read.map((reader) => reader(folder));
  if (texts.some(({ length }) => length === 0)) throw new Error(`A reader of ${from} found no text.`);
  return [...new Set(texts.flat())];
}

/** Analyzes each text on its own, with the profile `personal` at `balanced`. Downloads the packages that no cache has. */
export async function measureAgents(): Promise<Measured> {
  const analyzer = builtinAnalyzer('personal');
  const { signal } = new AbortController();
  const figures: Record<string, AgentFigures> = {};
  const finds: AgentFind[] = [];
  for (const agent of agents) {
    const texts = await textsOf(agent);
    const own: AgentFind[] = [];
    for (const text of texts)
      for (const find of (await analyzer.analyze([text], { team: undefined, signal }))[0] ?? [])
        own.push({ agent: agent.name, text, find });
    finds.push(...own);
    figures[agent.name] = figuresOf(texts, own);
  }
  return { figures, finds };
}

/** Counts the finds in texts. */
export const figuresOf = (texts: readonly string[], finds: readonly AgentFind[]): AgentFigures => ({
  texts: texts.length,
  characters: texts.reduce((sum, { length }) => sum + length, 0),
  altered: new Set(finds.map(({ text }) => text)).size,
  spans: Object.fromEntries(
    [...Map.groupBy(finds, ({ find: { type, rule } }) => `${type} ${rule}`)]
      .map(([key, group]) => [key, group.length] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  ),
});

const totalOf = ({ spans }: AgentFigures): number => Object.values(spans).reduce((sum, count) => sum + count, 0);

/** One line for each agent that has more altered texts or spans than the shipped figures, or other texts. */
export function worseAgents(shipped: Measured['figures'], measured: Measured['figures']): string[] {
  return [...new Set([...Object.keys(shipped), ...Object.keys(measured)])].flatMap((name) => {
    const [was, is] = [shipped[name], measured[name]];
    if (was === undefined || is === undefined) return [`${name}: ${is ? 'not shipped' : 'not measured'}`];
    if (was.texts !== is.texts || was.characters !== is.characters)
      return [`${name}: ${is.texts} texts with ${is.characters} characters instead of ${was.texts} with ${was.characters}`];
    if (is.altered <= was.altered && totalOf(is) <= totalOf(was)) return [];
    return [`${name}: ${is.altered} texts altered, ${totalOf(is)} spans, instead of ${was.altered}, ${totalOf(was)}`];
  }); // prettier-ignore
}

/** A line per agent, then its finds by type and rule. */
export const agentTable = (figures: Measured['figures']): string =>
  alignColumns([
    ['', 'texts', 'characters', 'altered', 'spans'],
    ...Object.entries(figures).flatMap(([name, own]) => [
      [name, ...[own.texts, own.characters, own.altered, totalOf(own)].map(String)],
      ...Object.entries(own.spans).map(([key, count]) => [`  ${key}`, '', '', '', String(count)]),
    ]),
  ]);

/** A line per find, with the text before and after it on its line. */
export const findLines = (finds: readonly AgentFind[]): string =>
  finds.map(({ agent, text, find: { start, end, type, rule } }) => {
    const around = [text.slice(Math.max(0, start - 30), start), text.slice(start, end), text.slice(end, end + 20)];
    return `${agent}: ${type} ${rule}: ${around.map((part) => JSON.stringify(part)).join(' ')}\n`;
  }).join(''); // prettier-ignore
