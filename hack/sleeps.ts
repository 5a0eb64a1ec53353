/** Tests do not sleep. `npm run lint` reports those that do, by the rule `tests/no-sleep` of this plugin. */
import type { RuleTester } from 'oxlint/plugins-dev';

type Rule = Parameters<RuleTester['run']>[1];

const SLEEP =
  'A test does not sleep: on a busy machine the time is too short, on any other it is lost. Wait for an event or a state ' +
  '(`once`, `eventually`, an abort signal), or give the code a clock (`TestClock`, `mock.timers`). If the passing of real ' +
  'time is what the test is about, disable this rule for the line and say so.';

/** What makes a test wait for a fixed time, as selectors of syntax. */
const SLEEPS = [
  "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout']",
  "CallExpression[callee.name='once'] > CallExpression[callee.object.name='AbortSignal'][callee.property.name='timeout']",
  String.raw`ImportDeclaration[source.value=/^(node:)?timers\u002Fpromises$/] ImportSpecifier[imported.name='setTimeout']`,
];

export default {
  meta: { name: 'tests' },
  rules: {
    'no-sleep': {
      create: (context) =>
        Object.fromEntries(
          SLEEPS.map((selector) => [
            selector,
            (node: { range: [number, number]; start: number; end: number }) => {
              context.report({ node, message: SLEEP });
            },
          ]),
        ),
    },
  },
} satisfies { readonly meta: { readonly name: string }; readonly rules: Readonly<Record<string, Rule>> };

/** Tests that still sleep. This list only gets shorter: hack/project/sleeps.test.ts fails for a file that no longer does. */
export const sleepingTests = [
  'guardrail/detection/policy/policySource.test.ts',
  'guardrail/extProc/faults.test.ts',
  'guardrail/proxy/flow.test.ts',
  'guardrail/store/redisConnection.redis.test.ts',
  'guardrail/timeLimit.test.ts',
  'hack/harness/processes.test.ts',
  'hack/local/start/start.all.test.ts',
  'operator/runtime/client/deadline.test.ts',
];
