import { execFile } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { openLogDestination } from './logDestination.ts';

const program = join(import.meta.dirname, 'logDestination.ts');

describe('the destination of the log', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'log-'));
  });
  after(() => rm(folder, { recursive: true }));

  const ends = {
    'has nothing else to do': '',
    exits: 'process.exit(0);',
    'exits later': 'setTimeout(() => { log.info({ n: LINES }); process.exit(0) }, 30);',
    'fails, after the fatal line':
      'process.on("uncaughtException", () => { log.fatal({ n: LINES }); process.exit(0); }); throw new Error();',
  };
  for (const [name, end] of Object.entries(ends)) {
    for (const to of ['file', 'shared stdout'] as const) {
      it(`gets each line once from a process that ${name}: ${to}`, async () => {
        const file = join(folder, `${name}.log`);
        const source = `
          import { openSync } from 'node:fs';
          import { pino } from 'pino';
          import { openLogDestination } from ${JSON.stringify(program)};
          const LINES = 500;
          const log = pino({ base: null, timestamp: false }, openLogDestination(${to === 'shared stdout' ? '1, true' : `openSync(${JSON.stringify(file)}, 'w')`}));
          for (let n = 0; n < LINES; n++) log.info({ n, text: 'x'.repeat(n) });
          ${end}`;
        const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
          cwd: import.meta.dirname,
        });
        const text = to === 'shared stdout' ? stdout : await readFile(file, 'utf8');
        // What is written at the exit can overtake a write that is in progress.
        const lines = text
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { n: number }).n)
          .sort((a, b) => a - b);
        const count = end.includes('LINES') ? 501 : 500;
        expect(lines).to.deep.equal(Array.from({ length: count }, (_, n) => n));
      });
    }
  }

  it('writes no more bytes at once than a shared pipe takes without those of others', async () => {
    const source = `
      import fs from 'node:fs';
      const sizes = [];
      const write = fs.write;
      fs.write = (fd, text, ...rest) => { sizes.push(Buffer.byteLength(text)); return write(fd, text, ...rest); };
      const { openLogDestination } = await import(${JSON.stringify(program)});
      const log = openLogDestination(fs.openSync('/dev/null', 'w'), true);
      for (let n = 0; n < 100; n++) log.write('\u20ac'.repeat(n) + '\\n');
      process.on('beforeExit', () => process.stdout.write(JSON.stringify(sizes)));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
      cwd: import.meta.dirname,
    });
    const sizes = JSON.parse(stdout) as number[];
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal((3 * 99 * 100) / 2 + 100);
    expect(Math.max(...sizes)).to.be.at.most(4096);
  });

  it('gets a line soon', async () => {
    const file = join(folder, 'soon.log');
    const opened = await open(file, 'w');
    openLogDestination(opened.fd).write('one\n');
    let text = '';
    while (text === '') text = await readFile(file, 'utf8');
    await opened.close();
    expect(text).to.equal('one\n');
  });
});
