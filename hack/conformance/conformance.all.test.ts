import { expect } from 'chai';
import type { Mutant } from './interceptor.ts';
import { MUTANTS } from './mutants.ts';
import { type Service, useService } from './service.ts';
import { GATEWAYS, type Stand } from './stand.ts';

const START_MS = 300_000;

/** A wrong service, and the cases that must catch it. */
const CAUGHT: Readonly<Record<string, readonly (readonly [mutant: Mutant, cases: readonly string[]])[]>> = {
  litellm: [
    [MUTANTS.missingHoldback, ['stream, 1 characters a chunk', 'stream, 7 characters a chunk', 'stream, n = 2']],
    [MUTANTS.textsAlone, ['chat, tool call and result in the history', '/v1/responses', '/v1/messages']],
    [
      MUTANTS.sharedSession,
      ['virtual keys of two teams, one end user name', 'two virtual keys without a team, one end user name'],
    ],
  ],
};

describe('conformance', () => {
  let service: Service;
  before(async function () {
    this.timeout(START_MS);
    service = await useService();
  });
  after(async () => {
    await service.stop();
  });

  for (const gateway of GATEWAYS) {
    describe(gateway.name, function () {
      this.timeout(60_000);
      let stand: Stand;
      before(async function () {
        this.timeout(START_MS);
        stand = await gateway.start(service);
      });
      after(async () => {
        await stand.stop();
      });

      for (const name of gateway.cases) {
        it(name, async () => {
          expect((await stand.run(name)).fault).to.equal(undefined);
        });
      }

      for (const [mutant, cases] of CAUGHT[gateway.name] ?? []) {
        for (const name of cases) {
          it(`catches ${mutant.name}: ${name}`, async () => {
            expect((await stand.run(name, mutant)).fault)
              .to.be.a('string')
              .and.not.match(/could not be judged/);
          });
        }
      }
    });
  }
});
