import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Progress } from '../harness/progress.ts';
import { PROGRAMS, read, runProgram } from './programs.ts';

describe('result of a program with cases', () => {
  for (const [what, output, code, passed, failures] of [
    ['passed cases', 'a\n12 passed, 0 failed\n', 0, 12, []],
    [
      'failures',
      'FAILED guardrail/memory/killed: it did not start: port\nFAILED operator/hang: late\n3 passed, 2 failed\n',
      1,
      3,
      [
        ['guardrail/memory/killed', 'it did not start: port'],
        ['operator/hang', 'late'],
      ],
    ],
    [
      'a missing prerequisite',
      'Install runc.\n0 passed, 1 failed\n',
      1,
      0,
      [['the program', 'Install runc. (exit code 1)']],
    ],
    ['a program that was killed', 'working …\n', null, 0, [['the program', 'working … (exit code none)']]],
    [
      'a failure exit code after passed cases',
      '3 passed, 0 failed\n',
      7,
      3,
      [['the program', 'It printed nothing. (exit code 7)']],
    ],
    ['no output', '', 0, 0, [['the program', 'It printed nothing. (exit code 0)']]],
  ] as const) {
    it(`has ${what}`, () => {
      const result = read(output, code);
      expect(result.passed).to.equal(passed);
      expect(result.failures.map(({ title, message }) => [title, message])).to.deep.equal(failures);
    });
  }

  it('selects the cases that failed', () => {
    const [attacks, e2e] = PROGRAMS;
    expect(e2e?.casesOf('hack/e2e/cases/sidecar.ts')).to.deep.equal(['sidecar']);
    expect(e2e?.casesOf('the program')).to.deep.equal([]);
    expect(attacks?.casesOf('operator/hang')).to.deep.equal(['operator/hang']);
    expect(attacks?.casesOf('the program')).to.deep.equal([]);
  });

  it('is a failure if the program does not end', async () => {
    const root = mkdtempSync(join(tmpdir(), 'program-'));
    writeFileSync(join(root, 'hang.mjs'), "console.log('3 passed, 1 failed');\nsetInterval(() => undefined, 1000);\n");
    const program = { title: 'hang', script: 'hang.mjs', share: 1, casesOf: () => [] };
    const options = { root, signal: new AbortController().signal, limitMs: 1000 };
    const { passed, failures, output } = await runProgram(options, new Progress(), program);
    rmSync(root, { recursive: true });
    expect([passed, failures.length]).to.deep.equal([3, 1]);
    expect(output).to.include('did not end within 1 minutes');
    expect(failures[0]?.message).to.include('did not end');
  });
});
