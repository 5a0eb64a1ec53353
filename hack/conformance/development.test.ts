import { expect } from 'chai';
import { MUTANTS } from './mutants.ts';
import { type Service, useService } from './service.ts';
import { DEVELOPMENT, type Stand } from './stand.ts';

describe('the guardrail behind the development gateway', function () {
  this.timeout(60_000);
  let service: Service;
  let stand: Stand;
  before(async () => {
    service = await useService();
    stand = await DEVELOPMENT.start(service);
  });
  after(async () => {
    await stand.stop();
    await service.stop();
  });

  for (const name of DEVELOPMENT.cases) {
    it(name, async () => {
      expect((await stand.run(name)).fault).to.equal(undefined);
    });
  }

  const caught = [
    [MUTANTS.missingHoldback, 'stream, 1 characters a chunk'],
    [MUTANTS.textsAlone, 'chat, tool call and result in the history'],
  ] as const;
  for (const [mutant, name] of caught) {
    it(`catches ${mutant.name}`, async () => {
      expect((await stand.run(name, mutant)).fault)
        .to.be.a('string')
        .and.not.match(/could not be judged/);
    });
  }
});
