import { expect } from 'chai';
import type { Mutant } from './interceptor.ts';
import { MUTANTS } from './mutants.ts';
import { type Service, useService } from './service.ts';
import { DEVELOPMENT, type Testbed } from './testbed.ts';

describe('the guardrail behind the development gateway', function () {
  this.timeout(60_000);
  const running: { service?: Service; testbed?: Testbed } = {};
  const fault = async (name: string, mutant?: Mutant): Promise<string | undefined> => {
    if (running.testbed === undefined) throw new Error('The gateway did not start.');
    return (await running.testbed.run(name, mutant)).fault;
  };
  before(async () => {
    running.service = await useService();
    running.testbed = await DEVELOPMENT.start(running.service);
  });
  after(async () => {
    await running.testbed?.stop();
    await running.service?.stop();
  });

  for (const name of DEVELOPMENT.cases) {
    it(name, async () => {
      expect(await fault(name)).to.equal(undefined);
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
