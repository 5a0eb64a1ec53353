import { Readable, Writable } from 'node:stream';
import { expect } from 'chai';
import { createAnalyzer } from './analyzer.ts';
import { createBuiltinDetector } from './builtinDetector.ts';
import { runDetect, type DetectOptionsOfCommand } from './detectCommand.ts';

class Sink extends Writable {
  content = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.content += chunk.toString();
    done();
  }
}

async function detect(
  input: string,
  options: Pick<DetectOptionsOfCommand, 'trace' | 'why'> = {},
): Promise<{ output: string[]; log: string; outcome: { done: number; failed: number } }> {
  const output = new Sink();
  const log = new Sink();
  const analyzer = createAnalyzer({ detectors: [createBuiltinDetector()] });
  const outcome = await runDetect(Readable.from([input]), output, { analyzer, log, ...options });
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

  const traced = '{"id":"a","text":"😀 Phone: 5551234567. Siemens pays."}';

  it('explains each find and each dropped candidate', async () => {
    const { output } = await detect(traced, { trace: 'text' });
    expect(output.slice(0, 4)).to.deep.equal([
      '"a"',
      '"5551234567" at 10 is hidden as PHONE_NUMBER, score 0.75.',
      '  rule    phone.label',
      '  words   "Phone"',
    ]);
    expect(output.join('\n')).to.match(
      /"Siemens" at 22 is not hidden as ORGANIZATION, score 0\.\d\d: the profile of the policy leaves this type\.\n {2}rule {4}model\.organization\n {2}model {3}[+−]\d[^]*\n {2}policy {2}entities: \{ ORGANIZATION: \{ action: pseudonymize \} \}/,
    );
  });

  it('explains as JSON, with offsets in code points', async () => {
    const [line = ''] = (await detect(traced, { trace: 'json' })).output;
    const { spans, dropped } = JSON.parse(line) as {
      spans: Record<string, unknown>[];
      dropped: Record<string, unknown>[];
    };
    const phone = { start: 9, end: 19, rule: 'phone.label', type: 'PHONE_NUMBER', score: 0.75, model: null };
    expect(spans).to.deep.equal([{ ...phone, action: 'pseudonymize', words: [{ start: 2, end: 7 }] }]);
    const siemens = dropped.find(({ start }) => start === 21);
    expect(siemens).to.include({ end: 28, rule: 'model.organization', by: 'profile', lost_to: null, threshold: null });
  });

  it('explains one word only', async () => {
    const about = async (why: string): Promise<string> =>
      (await detect(traced, { trace: 'text', why })).output.slice(1).join('\n');
    expect(await about('555'))
      .to.match(/^"5551234567" at 10 is hidden/)
      .and.not.include('Siemens');
    expect(await about('pays')).to.equal(
      '"pays" is not hidden: no rule takes it for a value.\n  policy  deny: ["pays"]',
    );
    expect(await about('Bosch')).to.equal('The text does not contain "Bosch".');
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
