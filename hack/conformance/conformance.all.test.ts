import { expect } from 'chai';
import { compareDocument, DOCUMENT } from './exposure/document.ts';
import { OUTCOMES } from './exposure/outcome.ts';
import type { Mutant } from './interceptor.ts';
import { isExternal } from './litellm.ts';
import { MUTANTS } from './mutants.ts';
import { type Service, useService } from './service.ts';
import { GATEWAYS, type Measure, type Testbed } from './testbed.ts';

const START_MS = 300_000;
const TABLE_MS = 240_000;

/** A mutant, and the cases that must catch it. */
const CAUGHT: Readonly<Record<string, readonly (readonly [mutant: Mutant, cases: readonly string[]])[]>> = {
  litellm: [
    [MUTANTS.switchedOff, ['pii-leak-benchmark selfcheck']],
    [MUTANTS.missingHoldback, ['stream, 1 characters a chunk', 'stream, 7 characters a chunk', 'stream, n = 2']],
    [MUTANTS.textsAlone, ['chat, tool call and result in the history', '/v1/responses', '/v1/messages']],
    [
      MUTANTS.sharedSession,
      ['virtual keys of two teams, one end user name', 'two virtual keys without a team, one end user name'],
    ],
  ],
};

for (const gateway of GATEWAYS) {
  describe(`the guardrail behind ${gateway.name}`, function () {
    this.timeout(60_000);
    const running: { service?: Service; testbed?: Testbed } = {};
    const fault = async (name: string, mutant?: Mutant): Promise<string | undefined> => {
      if (running.testbed === undefined) throw new Error(`${gateway.name} did not start.`);
      return (await running.testbed.run(name, mutant)).fault;
    };
    before(async function () {
      this.timeout(START_MS);
      running.service = await useService();
      running.testbed = await gateway.start(running.service);
    });
    after(async () => {
      await running.testbed?.stop();
      await running.service?.stop();
    });

    for (const name of gateway.cases) {
      it(name, async () => {
        expect(await fault(name)).to.equal(undefined);
      });
    }

    if (gateway.measured !== undefined && (gateway.name !== 'litellm' || !isExternal())) {
      const measure: Measure = async (options) => {
        if (running.testbed?.measure === undefined) throw new Error(`${gateway.name} is not measured.`);
        return running.testbed.measure(options);
      };

      it(`matches the table in ${DOCUMENT}`, async function () {
        this.timeout(TABLE_MS);
        const findings = await measure();
        expect(findings.faults).to.deep.equal([]);
        expect(await compareDocument(gateway.name, findings), 'npm run conformance writes the table').to.deep.equal([]);
      });

      // The fault is one of the generic client. Inline, LiteLLM calls no guardrail whose answers could be changed. The tests
      // of the judge show that it finds leaks.
      if (gateway.name !== 'litellm') return;
      it('measures a difference with a faulty guardrail', async () => {
        const only = 'arguments of `tool_calls`';
        const place = `\`/v1/chat/completions\` ${only}`;
        const { rows, version, faults } = await measure({ only, mutant: MUTANTS.textsAlone });
        expect(faults).to.deep.equal([]);
        const changed = (await compareDocument(gateway.name, { version, rows })).filter((change) =>
          change.startsWith(`${place}:`),
        );
        expect(changed).to.deep.equal([`${place}: ${OUTCOMES.guarded} → ${OUTCOMES.leaksIgnored}`]);
      });
    }

    for (const [mutant, cases] of CAUGHT[gateway.name] ?? []) {
      for (const name of cases) {
        it(`catches ${mutant.name}: ${name}`, async () => {
          expect(await fault(name, mutant))
            .to.be.a('string')
            .and.not.match(/did not complete/);
        });
      }
    }
  });
}
