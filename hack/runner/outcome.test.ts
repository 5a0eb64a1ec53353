import { expect } from 'chai';
import { MOST_FLAKY, type Outcome, timesTable, verdict } from './outcome.ts';

const outcome = (name: string, passed: number, ...titles: string[]): Outcome => ({
  name,
  passed,
  failures: titles.map((title) => ({ title, message: `${title} is wrong` })),
  wallMs: 1,
});
const flaky = (name: string) => ({ first: outcome(name, 1, 'waits'), second: outcome(name, 2) });

describe('verdict of a test run', () => {
  for (const [what, once, twice, other, expected] of [
    ['no test', [], [], [], { passed: 0, failed: 0, lines: [] }],
    ['passed files', [outcome('a.ts', 2), outcome('b.ts', 3)], [], [], { passed: 5, failed: 0, lines: [] }],
    [
      'a file that passes when it runs once more',
      [outcome('a.ts', 2)],
      [{ first: outcome('b.ts', 1, 'waits', 'counts'), second: outcome('b.ts', 3) }],
      [],
      {
        passed: 5,
        failed: 0,
        lines: ['FLAKY b.ts › waits: waits is wrong', 'FLAKY b.ts › counts: counts is wrong'],
      },
    ],
    [
      'a file that fails twice, in another test',
      [outcome('a.ts', 2)],
      [{ first: outcome('b.ts', 2, 'waits'), second: outcome('b.ts', 2, 'counts') }],
      [],
      { passed: 4, failed: 1, lines: ['FAILED b.ts › counts: counts is wrong'] },
    ],
    [
      'a check, which does not run again',
      [outcome('Lint', 0, 'oxlint')],
      [],
      [],
      { passed: 0, failed: 1, lines: ['FAILED Lint › oxlint: oxlint is wrong'] },
    ],
    [
      'what a test left running',
      [outcome('a.ts', 2)],
      [],
      ['A process did not end.'],
      { passed: 2, failed: 1, lines: ['FAILED A process did not end.'] },
    ],
  ] as const) {
    it(`counts ${what}`, () => {
      expect(verdict(once, twice, other)).to.deep.equal(expected);
    });
  }

  it('fails when more files are flaky than may be', () => {
    const files = Array.from({ length: MOST_FLAKY + 1 }, (_, index) => flaky(`${index}.ts`));
    expect(verdict([], files.slice(1)).failed).to.equal(0);
    const { passed, failed, lines } = verdict([], files);
    expect([passed, failed]).to.deep.equal([2 * files.length, 1]);
    expect(lines).to.have.length(files.length + 1);
    expect(lines.at(-1)).to.match(/^FAILED 4 files passed only when they ran once more\./);
  });
});

describe('table of times', () => {
  it('has the stages and the files, slowest first', () => {
    const timed = (name: string, wallMs: number, processorMs?: number): Outcome => ({
      ...outcome(name, 1),
      wallMs,
      ...(processorMs !== undefined && { processorMs }),
    });
    const stages = new Map([
      ['unit', [timed('a.ts', 1_000, 900), timed('b.ts', 2_500, 400)]],
      ['checks', [timed('ESLint', 60_000)]],
    ]);
    const rows = timesTable(stages).map((line) => line.trim().split(/ {2,}/));
    expect(rows).to.deep.equal([
      ['wall', 'processor', 'stage'],
      ['60.0 s', '-', 'checks (1)'],
      ['3.5 s', '1.3 s', 'unit (2)'],
      [''],
      ['wall', 'processor', 'file'],
      ['60.0 s', '-', 'ESLint'],
      ['2.5 s', '0.4 s', 'b.ts'],
      ['1.0 s', '0.9 s', 'a.ts'],
    ]);
  });
});
