import { expect } from 'chai';
import { compareDocument, DOCUMENT } from './exposure/document.ts';
import { OUTCOMES } from './exposure/outcome.ts';
import type { Mutant } from './interceptor.ts';
import { MUTANTS } from './mutants.ts';
import { type Service, startService } from './service.ts';
import { type Gateway, GATEWAYS, type Measure, type Testbed } from './testbed.ts';

/** The number of gateways that are tested at the same time. While one waits for a timeout, two others use two cores. */
const AT_ONCE = 3;
/** The time of all gateways together: a test waits until its gateway has come to it. */
const ALL_MS = 900_000;

/** A mutant, and the cases that must catch it. */
const CAUGHT: Readonly<Record<string, readonly (readonly [mutant: Mutant, cases: readonly string[]])[]>> = {
  litellm: [
    [MUTANTS.switchedOff, ['pii-leak-benchmark selfcheck']],
    [MUTANTS.missingHoldback, ['stream, 1 characters a chunk', 'stream, 7 characters a chunk', 'stream, n = 2']],
    [MUTANTS.textsAlone, ['chat, tool call and result in the history']],
    [
      MUTANTS.sharedSession,
      ['virtual keys of two teams, one end user name', 'two virtual keys without a team, one end user name'],
    ],
  ],
};

/** A test of a gateway. It fails with an error. */
interface Test {
  readonly title: string;
  run(testbed: Testbed): Promise<void>;
}

function testsOf(gateway: Gateway): Test[] {
  const caught = (CAUGHT[gateway.name] ?? []).flatMap(([mutant, names]) => names.map((name) => ({ mutant, name })));
  return [
    ...gateway.cases.map((name) => ({
      title: name,
      run: async (testbed: Testbed) => {
        expect((await testbed.run(name)).fault).to.equal(undefined);
      },
    })),
    ...(gateway.measured === undefined ? [] : tableTests(gateway)),
    ...caught.map(({ mutant, name }) => ({
      title: `catches ${mutant.name}: ${name}`,
      run: async (testbed: Testbed) => {
        expect((await testbed.run(name, mutant)).fault)
          .to.be.a('string')
          .and.not.match(/did not complete/);
      },
    })),
  ];
}

function tableTests({ name }: Gateway): Test[] {
  const measure = async (testbed: Testbed, options?: Parameters<Measure>[0]): ReturnType<Measure> => {
    if (testbed.measure === undefined) throw new Error(`${name} is not measured.`);
    const findings = await testbed.measure(options);
    expect(findings.faults).to.deep.equal([]);
    return findings;
  };
  const matches: Test = {
    title: `matches the table in ${DOCUMENT}`,
    run: async (testbed) => {
      const changes = await compareDocument(name, await measure(testbed));
      expect(changes, 'npm run conformance writes the table').to.deep.equal([]);
    },
  };
  // The fault is one of the generic client. Inline, LiteLLM calls no guardrail whose answers could be changed. The tests
  // of the judge show that it finds leaks.
  if (name !== 'litellm') return [matches];
  const differs: Test = {
    title: 'measures a difference with a faulty guardrail',
    run: async (testbed) => {
      const only = 'arguments of `tool_calls`';
      const place = `\`/v1/chat/completions\` ${only}`;
      const { rows, version } = await measure(testbed, { only, mutant: MUTANTS.textsAlone });
      const changes = await compareDocument(name, { version, rows });
      expect(changes.filter((change) => change.startsWith(`${place}:`))).to.deep.equal([
        `${place}: ${OUTCOMES.guarded} → ${OUTCOMES.leaksIgnored}`,
      ]);
    },
  };
  return [matches, differs];
}

describe('the guardrail', function () {
  this.timeout(ALL_MS);
  const tested = GATEWAYS.map((gateway) => {
    const tests = testsOf(gateway).map((test) => ({ ...test, end: Promise.withResolvers<undefined>() }));
    return { gateway, tests };
  });
  let service: Service | undefined;
  let all: Promise<unknown>;

  before(async () => {
    const shared = (service = await startService());
    // A test that fails before mocha waits for it is no unhandled rejection.
    for (const { end } of tested.flatMap(({ tests }) => tests)) end.promise.catch(() => undefined);
    const waiting = tested.values();
    const work = async (): Promise<void> => {
      for (const { gateway, tests } of waiting) {
        try {
          const testbed = await gateway.start(shared);
          for (const test of tests) {
            await test.run(testbed).then(
              () => {
                test.end.resolve(undefined);
              },
              (error: unknown) => {
                test.end.reject(error);
              },
            );
          }
          await testbed.stop();
        } catch (error) {
          for (const { end } of tests) end.reject(error);
        }
      }
    };
    all = Promise.all(Array.from({ length: AT_ONCE }, work));
  });
  after(async () => {
    await all;
    await service?.stop();
  });

  for (const { gateway, tests } of tested) {
    describe(`behind ${gateway.name}`, () => {
      for (const { title, end } of tests) it(title, () => end.promise);
    });
  }
});
