import { Violation } from '../judge.ts';
import type { Observation } from './outcome.ts';
import type { Probe, ProbeBench } from './probe.ts';
import type { Measurement, Row } from './table.ts';

/** A measurement, and the probes that a fault of a probe or of the guardrail made impossible. */
export interface Findings extends Measurement {
  /** One sentence each. */
  readonly faults: readonly string[];
}

/** Determines the outcome for a value in a place, which is a route and a field. @throws Violation */
export type Judge = (observation: Observation, place: string) => string;

/**
 * Runs the probes in sequence, and resets the recorded calls before each of them.
 *
 * @param gateway the gateway's name, written before its version.
 * @param unmeasured rows that no probe can measure.
 */
export async function measure(
  gateway: string,
  bench: ProbeBench,
  probes: readonly Probe[],
  judge: Judge,
  unmeasured: readonly Row[] = [],
): Promise<Findings> {
  const rows: Row[] = [];
  const faults: string[] = [];
  for (const { route, field, side, spared, value, send } of probes) {
    const inserted = await value();
    bench.model.reset();
    bench.guardrail.reset();
    try {
      const { status, text } = await send(bench, inserted);
      const exchanges = bench.guardrail.exchanges();
      const upstream = bench.model.saw();
      const outcome = judge(
        { side, spared, value: inserted, upstream, exchanges, status, answer: text },
        `${route} ${field}`,
      );
      rows.push({ route, field, outcome });
    } catch (error) {
      const what = error instanceof Violation ? error.message : `The check did not complete: ${String(error)}`;
      faults.push(`${route} ${field}: ${what}`);
    }
  }
  return { version: `${gateway} ${await versionOf(bench)}`, rows: [...rows, ...unmeasured], faults };
}

async function versionOf({ admin }: ProbeBench): Promise<string> {
  const { text } = await admin.raw('/health/readiness/details', { method: 'GET' });
  const { litellm_version: version } = JSON.parse(text) as { litellm_version?: unknown };
  return typeof version === 'string' ? version : 'of an unknown version';
}
