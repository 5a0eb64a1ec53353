import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DocumentResult, DocumentTask } from './documentTasks.ts';
import { DocumentThread, DocumentLimitError } from './documentThread.ts';

/** A worker that returns the number of tasks so far, never responds to `hang`, and fails at `fail`. */
const COUNTING = `
const { parentPort } = require('node:worker_threads');
let tasks = 0;
parentPort.on('message', ({ text }) => {
  tasks += 1;
  if (text === 'fail') throw new Error('It has failed.');
  if (text === 'fill') for (const all = []; ; ) all.push(new Array(100_000).fill(text + all.length));
  if (text === 'hang') for (;;);
  parentPort.postMessage({ kind: 'refused', message: String(tasks) });
});
`;

describe('the document thread', function () {
  this.timeout(30_000);
  let folder: string;
  let program: URL;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'thread-'));
    const file = join(folder, 'program.cjs');
    writeFileSync(file, COUNTING);
    program = pathToFileURL(file);
  });
  after(() => rm(folder, { recursive: true }));

  const policy = (text: string): DocumentTask => ({ kind: 'policy', text });
  const messageOf = (answer: DocumentResult): string | undefined =>
    answer.kind === 'refused' ? answer.message : undefined;
  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('runs a task once for many callers', async () => {
    const thread = new DocumentThread(program);
    const [one, same, other] = await Promise.all([
      thread.run('a', policy('x')),
      thread.run('b', policy('x')),
      thread.run('a', policy('y')),
    ]);
    expect([one, same, other].map(messageOf)).to.deep.equal(['1', '1', '2']);
    expect(messageOf(await thread.run('c', policy('x')))).to.equal('1');
  });

  it('alternates between owners', async () => {
    const thread = new DocumentThread(program);
    const many = Array.from({ length: 20 }, (_, index) => thread.run('a', policy(`a${index}`)));
    expect(Number(messageOf(await thread.run('b', policy('b'))))).to.be.below(4);
    await Promise.all(many);
  });

  it('stops a task that takes too much time or memory, caches this result, and runs other tasks', async () => {
    const thread = new DocumentThread(program, { taskMs: 1_000 });
    const hanging = failure(thread.run('a', policy('hang')));
    const next = thread.run('b', policy('x'));
    expect(await hanging).to.be.instanceOf(DocumentLimitError);
    expect(messageOf(await next)).to.equal('1');
    expect(await failure(thread.run('a', policy('hang')))).to.be.instanceOf(DocumentLimitError);
    // The same worker has responded: no new one was started for the known document.
    expect(messageOf(await thread.run('b', policy('y')))).to.equal('2');
    const filling = new DocumentThread(program);
    expect(await failure(filling.run('a', policy('fill')))).to.be.instanceOf(DocumentLimitError);
  });

  it('rejects a task if its own worker fails, and runs the next one', async () => {
    const thread = new DocumentThread(program);
    expect(await failure(thread.run('a', policy('fail'))))
      .to.be.an('error')
      .that.is.not.instanceOf(DocumentLimitError);
    expect(messageOf(await thread.run('a', policy('x')))).to.equal('1');
  });

  it('drops the oldest results when its cache is full', async () => {
    const thread = new DocumentThread(program, { cacheBytes: 500 });
    for (const text of ['x', 'y', 'x']) await thread.run('a', policy(text));
    for (let index = 0; index < 10; index += 1) await thread.run('a', policy(String(index)));
    expect(messageOf(await thread.run('a', policy('9')))).to.equal('12');
    expect(messageOf(await thread.run('a', policy('x')))).to.equal('13');
  });

  it('renders a configuration and checks a policy', async () => {
    const thread = new DocumentThread(new URL('./documentWorker.ts', import.meta.url));
    const ours = { proxyName: 'litellm', budget: { maxBudget: 1 }, guardrail: undefined };
    expect(await thread.run('a', { kind: 'render', base: 'a: 1', ours })).to.deep.equal({
      kind: 'render',
      rendered: { text: 'a: 1\nlitellm_settings:\n  max_end_user_budget: 1\n', removed: [], hasIncludes: false },
    });
    expect(await thread.run('a', policy('a: 1'))).to.deep.equal({
      kind: 'policy',
      refused: {
        message: 'has an error: a is unknown: remove it or correct its spelling.',
        problems: [{ path: ['a'], text: 'is unknown: remove it or correct its spelling' }],
      },
    });
    expect(await thread.run('a', policy('profile: personal'))).to.deep.equal({ kind: 'policy' });
  });
});
