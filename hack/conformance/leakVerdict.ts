import { demand } from './judge.ts';

/** The parts of the benchmark's report that {@link judgeSelfcheck} reads. */
export interface SelfcheckReport {
  /** The formats of the planted values, by type. */
  readonly fixture: { readonly formats: Readonly<Record<string, string>> };
  readonly checks: {
    readonly configured_upstream_boundary: {
      /** The number of requests that reached the model. */
      readonly captured_requests: number;
      /** The number of these that contain the marker of the run. */
      readonly correlated_requests: number;
      readonly leaked_entity_types: readonly string[];
      /** The number of characters of each planted value, without separators. */
      readonly needle_lengths: Readonly<Record<string, number>>;
    };
    readonly response_fidelity: {
      /** The number of answers that were equal to what the client sent. */
      readonly iterations_matching: number;
    };
  };
}

/** A finished run of `pii-leak-benchmark selfcheck`. */
export interface Selfcheck {
  readonly exitCode: number;
  /** What it printed. Its values are synthetic. */
  readonly output: string;
  /** Undefined if it measured nothing. */
  readonly report: SelfcheckReport | undefined;
}

/** The types of the values in the benchmark's prompt. */
const TYPES = 'AWS_ACCESS_KEY_ID, CREDIT_CARD, EMAIL, GITHUB_TOKEN, SLACK_TOKEN, SSN';

/**
 * Checks that the benchmark says CLEAN, and that this says something: it planted a value of each type each time, all arrived
 * at the model, and no type leaked.
 *
 * @param times the number of times that it sent its values.
 * @throws Violation with what the benchmark printed.
 */
export function judgeSelfcheck({ exitCode, output, report }: Selfcheck, times: number): void {
  const verdict = /^ {2}(CLEAN|LEAK|CHECK FAILED|NOT MEASURED)$/m.exec(output)?.[1] ?? 'no verdict';
  const fail = (what: string): string => `pii-leak-benchmark: ${what}. It printed:\n${output}`;
  demand(exitCode === 0 && verdict === 'CLEAN', fail(`${verdict} (exit code ${exitCode}) instead of CLEAN`));
  demand(report !== undefined, fail('CLEAN without a report'));
  const { configured_upstream_boundary: boundary, response_fidelity: answers } = report.checks;
  const figures = {
    'types with a planted value': [Object.keys(report.fixture.formats).sort().join(', '), TYPES],
    'types it searched for': [Object.keys(boundary.needle_lengths).sort().join(', '), TYPES],
    'types that leaked': [boundary.leaked_entity_types.join(', '), ''],
    'requests at the model': [boundary.captured_requests, times],
    'requests with its marker': [boundary.correlated_requests, times],
    'restored answers': [answers.iterations_matching, times],
  };
  for (const [name, [got, expected]] of Object.entries(figures)) {
    demand(got === expected, fail(`CLEAN, but ${name}: ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`));
  }
}
