import { expect } from 'chai';
import { judgeSelfcheck, type Selfcheck, type SelfcheckReport } from './leakVerdict.ts';

const TIMES = 3;
const LENGTHS = { EMAIL: 18, SSN: 9, CREDIT_CARD: 16, AWS_ACCESS_KEY_ID: 20, GITHUB_TOKEN: 40, SLACK_TOKEN: 33 };

type Boundary = SelfcheckReport['checks']['configured_upstream_boundary'];

function report(boundary: Partial<Boundary> = {}, formats: Record<string, number> = LENGTHS): SelfcheckReport {
  return {
    fixture: { formats: Object.fromEntries(Object.keys(formats).map((type) => [type, 'a format'])) },
    checks: {
      configured_upstream_boundary: {
        captured_requests: TIMES,
        correlated_requests: TIMES,
        leaked_entity_types: [],
        needle_lengths: LENGTHS,
        ...boundary,
      },
      response_fidelity: { iterations_matching: TIMES },
    },
  };
}

const CLEAN: Selfcheck = { exitCode: 0, output: 'Target: x\n\n  CLEAN\n\n  No value', report: report() };

type Row = readonly [what: string, run: Selfcheck, message: RegExp | undefined];

/** Each row is a run of the benchmark and the expected message; undefined if it is clean. */
const ROWS: readonly Row[] = [
  ['a clean run', CLEAN, undefined],
  [
    'a leak',
    { ...CLEAN, exitCode: 1, output: '\n  LEAK\n\n  Raw values: EMAIL.\n' },
    /LEAK \(exit code 1\)[^]*Raw values: EMAIL/,
  ],
  ['values that are not restored', { ...CLEAN, exitCode: 1, output: '\n  CHECK FAILED\n' }, /CHECK FAILED/],
  ['no traffic', { exitCode: 2, output: '\n  NOT MEASURED\n', report: undefined }, /NOT MEASURED \(exit code 2\)/],
  ['a program that fails', { exitCode: 1, output: 'Traceback', report: undefined }, /no verdict[^]*Traceback/],
  ['a verdict that the exit code contradicts', { ...CLEAN, exitCode: 1 }, /CLEAN \(exit code 1\)/],
  ['the word in a sentence', { ...CLEAN, output: '  This is CLEAN\n' }, /no verdict/],
  ['no report', { ...CLEAN, report: undefined }, /without a report/],
  [
    'a type that is not planted',
    { ...CLEAN, report: report({}, { EMAIL: 18, SSN: 9 }) },
    /planted value: "EMAIL, SSN"/,
  ],
  ['a type that is not searched for', { ...CLEAN, report: report({ needle_lengths: { SSN: 9 } }) }, /for: "SSN"/],
  ['a type that leaked', { ...CLEAN, report: report({ leaked_entity_types: ['SSN'] }) }, /leaked: "SSN"/],
  ['a request that did not arrive', { ...CLEAN, report: report({ captured_requests: 2 }) }, /at the model: 2 instead/],
  ['a request of another run', { ...CLEAN, report: report({ correlated_requests: 2 }) }, /marker: 2 instead of 3/],
];

describe('the verdict of pii-leak-benchmark', () => {
  for (const [what, run, message] of ROWS) {
    it(`${message === undefined ? 'accepts' : 'reports'} ${what}`, () => {
      const judge = (): void => {
        judgeSelfcheck(run, TIMES);
      };
      if (message === undefined) judge();
      else expect(judge).to.throw(message);
    });
  }
});
