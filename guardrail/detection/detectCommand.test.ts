import { Readable, Writable } from 'node:stream';
import { expect } from 'chai';
import { createAnalyzer } from './analyzer.ts';
import { createBuiltinDetector } from './builtinDetector.ts';
import { runDetect } from './detectCommand.ts';

class Sink extends Writable {
  content = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.content += chunk.toString();
    done();
  }
}

async function detect(
  input: string,
): Promise<{ output: string[]; log: string; outcome: { done: number; failed: number } }> {
  const output = new Sink();
  const log = new Sink();
  const analyzer = createAnalyzer({ detectors: [createBuiltinDetector()] });
  const outcome = await runDetect(Readable.from([input]), output, { analyzer, log });
  return { output: output.content.split('\n').filter((line) => line !== ''), log: log.content, outcome };
}

describe('detect command', () => {
  it('writes a result for each line, with offsets in code points', async () => {
    const { output, outcome } = await detect('{"id":"a","text":"😀😀 mail anna@example.com"}\n\n{"id":7,"text":""}\n');
    expect(output.map((line) => JSON.parse(line) as unknown)).to.deep.equal([
      { id: 'a', spans: [{ start: 8, end: 24, type: 'EMAIL_ADDRESS', score: 1 }] },
      { id: 7, spans: [] },
    ]);
    expect(outcome).to.deep.equal({ done: 2, failed: 0 });
  });

  it('reports each invalid line without its content, and continues', async () => {
    const { output, log, outcome } = await detect('{"id":"a"\n{"id":"b"}\n{"id":"c","text":"ok"}\n');
    expect(log).to.equal(
      'Line 1 is not valid JSON: each line must be an object {"id", "text"}.\nLine 2 must be an object with "id" (a string or a number) and "text" (a string).\n',
    );
    expect(output).to.deep.equal(['{"id":"c","spans":[]}']);
    expect(outcome).to.deep.equal({ done: 1, failed: 2 });
  });

  it('reports progress on long inputs', async () => {
    const { log } = await detect(Array.from({ length: 1000 }, (_, id) => `{"id":${id},"text":"no"}`).join('\n'));
    expect(log).to.match(/^Analyzed 1000 texts in [\d.]+ s\n$/);
  });
});
