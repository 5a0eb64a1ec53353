/** Reads the records of a gateway and writes their manifests. */
import { type GatewayTarget, listBudgets, listCustomers } from '../gateway/gateway.ts';
import { documentOf } from './documents.ts';
import type { ImportPlan } from './plan.ts';
import { Summary } from './summary.ts';

/** Where an import writes. Both resolve when the text is written, so that a slow reader holds up the import. */
export interface ImportOutput {
  readonly manifests: (text: string) => Promise<void>;
  readonly progress: (line: string) => Promise<void>;
}

/** A line of progress is written after this number of customers. */
const progressStep = 10_000;
/** Manifests are written in pieces of about this size, in characters. */
const pieceLength = 64 * 1024;

/**
 * Lists the customers twice: the first time only counts which budgets they share. So the memory does not grow with the size of
 * the records.
 * @throws GatewayError; the reason of the signal if it is aborted
 */
export async function importRecords(
  target: GatewayTarget,
  plan: ImportPlan,
  output: ImportOutput,
  signal: AbortSignal,
): Promise<Summary> {
  const summary = new Summary();
  let text = '';
  const write = async (document: string): Promise<void> => {
    text += document;
    if (text.length > pieceLength) await flush();
  };
  const flush = async (): Promise<void> => {
    signal.throwIfAborted();
    const piece = text;
    text = '';
    if (piece !== '') await output.manifests(piece);
  };
  let customers = 0;
  for await (const row of listCustomers(target, signal)) {
    customers += 1;
    if (row !== undefined) plan.count(row);
  }
  await output.progress(`The gateway has ${customers} customers.`);
  for await (const row of listBudgets(target, signal)) {
    const decision = row === undefined ? undefined : plan.budget(row);
    summary.count('budget', decision);
    if (decision !== undefined) await write(documentOf('budget', decision));
  }
  let done = 0;
  for await (const row of listCustomers(target, signal)) {
    const decision = row === undefined ? undefined : plan.customer(row);
    summary.count('customer', decision);
    if (decision !== undefined) await write(documentOf('customer', decision));
    done += 1;
    if (done % progressStep === 0) await output.progress(`${done} of ${customers} customers.`);
  }
  await flush();
  return summary;
}
