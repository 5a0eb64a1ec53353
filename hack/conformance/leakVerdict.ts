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

/** The values in the benchmark's prompt, by its name of their type. */
const PLANTED = {
  AWS_ACCESS_KEY_ID: /\bAKIA[0-9A-Z]{16}\b/,
  CREDIT_CARD: /\b\d{4}(?:-\d{4}){3}\b/,
  EMAIL: /\b[a-z]{8}@example\.com\b/,
  GITHUB_TOKEN: /\bghp_\w{36}\b/,
  SLACK_TOKEN: /\bxoxb-(?:\d+-)+\w+/,
  SSN: /\b\d{3}-\d{2}-\d{4}\b/,
} as const;
const TYPES = Object.keys(PLANTED);

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
    'types with a planted value': [Object.keys(report.fixture.formats).sort().join(', '), TYPES.join(', ')],
    'types it searched for': [Object.keys(boundary.needle_lengths).sort().join(', '), TYPES.join(', ')],
    'types that leaked': [boundary.leaked_entity_types.join(', '), ''],
    'requests at the model': [boundary.captured_requests, times],
    'requests with its marker': [boundary.correlated_requests, times],
    'restored answers': [answers.iterations_matching, times],
  };
  for (const [name, [got, expected]] of Object.entries(figures)) {
    demand(got === expected, fail(`CLEAN, but ${name}: ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`));
  }
}

/**
 * @param sent the texts that the client sent.
 * @returns the values that the benchmark planted in them, without repetitions.
 * @throws Violation if a text contains no value of one of the types.
 */
export function plantedValues(sent: readonly string[]): string[] {
  const values = sent.flatMap((text) =>
    Object.entries(PLANTED).map(([type, pattern]) => {
      const value = pattern.exec(text)?.[0];
      demand(value !== undefined, `pii-leak-benchmark sent a text without a value of the type ${type}.`);
      return value;
    }),
  );
  return [...new Set(values)];
}
