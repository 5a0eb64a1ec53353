import { Violation } from '../judge.ts';
import { judge } from './outcome.ts';
import type { Probe, ProbeBench } from './probe.ts';
import type { Measurement, Row } from './table.ts';

/** A measurement, and the probes that a fault of a probe or of the guardrail made impossible. */
export interface Findings extends Measurement {
  /** One sentence each. */
  readonly faults: readonly string[];
}

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
  unmeasured: readonly Row[] = [],
): Promise<Findings> {
  const rows: Row[] = [];
  const faults: string[] = [];
  let version: string | undefined;
  for (const { route, field, side, spared, value, send } of probes) {
    const inserted = await value();
    bench.model.reset();
    bench.guardrail.reset();
    try {
      const { status, text } = await send(bench, inserted);
      const exchanges = bench.guardrail.exchanges();
      version ??= versionIn(exchanges.map(({ body }) => body));
      const upstream = bench.model.saw();
      const outcome = judge({ side, spared, value: inserted, upstream, exchanges, status, answer: text });
      rows.push({ route, field, outcome });
    } catch (error) {
      const what = error instanceof Violation ? error.message : `The check did not complete: ${String(error)}`;
      faults.push(`${route} ${field}: ${what}`);
    }
  }
  return { version: `${gateway} ${version ?? 'of an unknown version'}`, rows: [...rows, ...unmeasured], faults };
}

/** LiteLLM sends its version in each guardrail call. */
function versionIn(bodies: readonly { readonly litellm_version?: unknown }[]): string | undefined {
  return bodies.map((body) => body.litellm_version).find((version) => typeof version === 'string');
}
