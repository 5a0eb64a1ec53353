import { Writable } from 'node:stream';
import { mock } from 'node:test';
import { expect } from 'chai';
import { Progress, sparsely } from './progress.ts';

function output(): { stream: Writable; text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk.toString());
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}
const withoutTimes = (text: string): string => text.replace(/\d+\.\d s/g, 'N s');

describe('progress', () => {
  it('is a line for each start, detail and end', async () => {
    const { stream, text } = output();
    const progress = new Progress(stream);
    const result = await progress.step('Building', async (report) => {
      report('half way');
      report('half way');
      report('There is no oven: a pan is used.', true);
      report('nearly');
      return 42;
    });
    expect(result).to.equal(42);
    expect(withoutTimes(text())).to.equal(
      'Building …\n  half way\n  There is no oven: a pan is used.\n✓ Building (N s)\n',
    );
  });

  it('prints at most the latest detail every ten seconds, and none twice', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const lines: string[] = [];
      const { report, end } = sparsely((line) => lines.push(line));
      for (let percent = 0; percent < 30; percent += 1) {
        report(`${percent} %`);
        mock.timers.tick(1_000);
      }
      expect(lines).to.deep.equal(['0 %', '9 %', '19 %', '29 %']);
      report('29 %');
      mock.timers.tick(60_000);
      report('link');
      report('done');
      report('It is slow.', true);
      end();
      mock.timers.tick(60_000);
      expect(lines.slice(4)).to.deep.equal(['link', 'It is slow.']);
    } finally {
      mock.timers.reset();
    }
  });

  it('reports which step failed, and rethrows the error', async () => {
    const { stream, text } = output();
    const error = new Error('no');
    const thrown = await new Progress(stream)
      .step('Building', () => Promise.reject(error))
      .catch((reason: unknown) => reason);
    expect(thrown).to.equal(error);
    expect(withoutTimes(text())).to.equal('Building …\n✗ Building (N s)\n');
  });
});
