import { Violation } from './judge.ts';

/** A behaviour that a gateway with the guardrail must show, or a confirmed limit if `limit` is set. */
export interface Case<Bench> {
  readonly name: string;
  /**
   * A limit of this gateway, which no answer of the guardrail can remove. The case checks the rest, for example that the
   * model received no value although the client gets pseudonyms. The case fails when the gateway no longer has the limit.
   */
  readonly limit?: string;
  /** @throws Violation if the case fails. */
  readonly run: (bench: Bench) => Promise<void>;
}

/** The result of one case. */
export interface Result {
  readonly gateway: string;
  readonly name: string;
  readonly limit: string | undefined;
  /** The failure, in one sentence; undefined if the case passed. */
  readonly fault: string | undefined;
}

/**
 * Runs one case. Any other error than a Violation, for example a gateway that does not answer, also counts as a fault.
 */
export async function runCase<Bench>(
  gateway: string,
  { name, limit, run }: Case<Bench>,
  bench: Bench,
): Promise<Result> {
  try {
    await run(bench);
    return { gateway, name, limit, fault: undefined };
  } catch (error) {
    const fault = error instanceof Violation ? error.message : `The check did not complete: ${String(error)}`;
    return { gateway, name, limit, fault };
  }
}

/** @returns the results as a table for a terminal, with a summary line at the end. */
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
