import { Violation } from './judge.ts';

/** One thing that a gateway with the guardrail must do, or, where `limit` is set, cannot do. */
export interface Case<Bench> {
  readonly name: string;
  /**
   * What this gateway cannot do, whatever the guardrail answers. The case then judges what is left: that the model saw
   * nothing, say, though the client gets pseudonyms. It fails when the gateway has learnt it, so that the list stays true.
   */
  readonly limit?: string;
  /** @throws Misconduct where something is wrong. */
  readonly run: (bench: Bench) => Promise<void>;
}

/** How a case went. */
export interface Result {
  readonly gateway: string;
  readonly name: string;
  readonly limit: string | undefined;
  /** What went wrong, in one sentence; undefined where nothing did. */
  readonly fault: string | undefined;
}

/** Runs one case. An error that is no misconduct (a gateway that does not answer, say) counts as a fault too. */
export async function runCase<Bench>(
  gateway: string,
  { name, limit, run }: Case<Bench>,
  bench: Bench,
): Promise<Result> {
  try {
    await run(bench);
    return { gateway, name, limit, fault: undefined };
  } catch (error) {
    const fault = error instanceof Violation ? error.message : `It could not be judged: ${String(error)}`;
    return { gateway, name, limit, fault };
  }
}

/** @returns the results as a table for a terminal, and a last line that sums them up. */
export function table(results: readonly Result[]): string {
  const left = Math.max(...results.map(({ gateway }) => gateway.length));
  const width = Math.max(...results.map(({ name }) => name.length));
  const lines = results.map(({ gateway, name, limit, fault }) => {
    const outcome = fault !== undefined ? `FAIL   ${fault}` : limit !== undefined ? `limit  ${limit}` : 'pass';
    return `${gateway.padEnd(left)}  ${name.padEnd(width)}  ${outcome}`;
  });
  const failed = results.filter(({ fault }) => fault !== undefined).length;
  const limits = results.filter(({ fault, limit }) => fault === undefined && limit !== undefined).length;
  const passed = results.length - failed - limits;
  return [...lines, '', `${passed} passed, ${limits} limits of the gateway confirmed, ${failed} failed.`].join('\n');
}
