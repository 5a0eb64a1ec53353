import { expect } from 'chai';
import type { Mutant } from './interceptor.ts';
import { MUTANTS } from './mutants.ts';
import { type Service, startService } from './service.ts';
import { DEVELOPMENT, type Testbed } from './testbed.ts';

/** Cases that wait for the gateway's timeout. Each runs on a gateway of its own, beside the others. */
const WAITING = DEVELOPMENT.cases.filter((name) => name.startsWith('time-out'));

describe('the guardrail behind the development gateway', function () {
  this.timeout(60_000);
  const testbeds: Testbed[] = [];
  let service: Service | undefined;
  let start: () => Promise<Testbed>;
  let testbed: Testbed;
  let waiting: ReadonlyMap<string, Promise<string | undefined>>;
  const fault = async (name: string, mutant?: Mutant): Promise<string | undefined> =>
    (await testbed.run(name, mutant)).fault;

  before(async () => {
    const shared = (service = await startService());
    start = async () => {
      const started = await DEVELOPMENT.start(shared);
      testbeds.push(started);
      return started;
    };
    testbed = await start();
    waiting = new Map(WAITING.map((name) => [name, start().then(async (own) => (await own.run(name)).fault)]));
  });
  after(async () => {
    for (const each of testbeds) await each.stop();
    await service?.stop();
  });

  for (const name of DEVELOPMENT.cases) {
    it(name, async () => {
      expect(await (waiting.get(name) ?? fault(name))).to.equal(undefined);
    });
  }

  const caught = [
    [MUTANTS.missingHoldback, 'stream, 1 characters a chunk'],
    [MUTANTS.textsAlone, 'chat, tool call and result in the history'],
  ] as const;
  for (const [mutant, name] of caught) {
    it(`catches ${mutant.name}`, async () => {
      expect(await fault(name, mutant))
        .to.be.a('string')
        .and.not.match(/did not complete/);
    });
  }
});
