import { expect } from 'chai';
import type { ActiveGuardrail, Integration, Progress } from './paths.ts';
import { deploymentListens, isCalledByApplications, isCalledByGateway, pathsNote, pathsOf } from './paths.ts';

type Name = `${'Sidecar' | 'Deployment'} ${Integration}`;

const urls = { Sidecar: 'http://127.0.0.1:8080', Deployment: 'http://main-guardrail:8080' };

function guardrailOf(name: Name): ActiveGuardrail {
  const [mode, integration] = name.split(' ') as ['Sidecar' | 'Deployment', Integration];
  return { mode, integration, url: urls[mode] };
}

function progress(wanted: Name, before: Name | undefined, state: Partial<Progress> = {}): Progress {
  const used = before === undefined ? undefined : guardrailOf(before);
  return { wanted: guardrailOf(wanted), before: used, runs: false, isCalled: false, ...state };
}

/** The paths in one line: the guardrail in use, whom the gateway calls, and where the Service leads. */
function shown(state: Progress): string {
  const { active, callback, guarded, sidecar, sidecarListens, isSwitching } = pathsOf(state);
  return [
    active === undefined ? 'none' : `${active.mode} ${active.integration}`,
    `calls ${Object.entries(urls).find(([, url]) => url === callback)?.[0] ?? 'none'}`,
    `leads to ${guarded ?? 'none'}`,
    ...(sidecar ? [sidecarListens ? 'listening sidecar' : 'sidecar'] : []),
    ...(isSwitching ? ['switching'] : []),
  ].join(', ');
}

const runs = { runs: true };
const isCalled = { isCalled: true };

describe('the paths of calls', () => {
  for (const [before, wanted, state, expected] of [
    // The first guardrail.
    [undefined, 'Sidecar Callback', runs, 'Sidecar Callback, calls Sidecar, leads to none, sidecar'],
    [undefined, 'Deployment Callback', {}, 'none, calls none, leads to none'],
    [undefined, 'Deployment Callback', runs, 'Deployment Callback, calls Deployment, leads to none'],
    [undefined, 'Sidecar Inline', {}, 'Sidecar Inline, calls none, leads to Sidecar, listening sidecar'],
    [undefined, 'Deployment Inline', {}, 'none, calls none, leads to Deployment, switching'],
    [undefined, 'Deployment Inline', runs, 'Deployment Inline, calls none, leads to Deployment'],
    // A rollout of the same guardrail.
    ['Sidecar Inline', 'Sidecar Inline', {}, 'Sidecar Inline, calls none, leads to Sidecar, listening sidecar'],
    ['Deployment Inline', 'Deployment Inline', {}, 'Deployment Inline, calls none, leads to Deployment'],
    ['Deployment Callback', 'Deployment Callback', {}, 'Deployment Callback, calls Deployment, leads to none'],
    // To Inline: the gateway calls the guardrail until every pod listens.
    [
      'Sidecar Callback',
      'Sidecar Inline',
      {},
      'Sidecar Callback, calls Sidecar, leads to Sidecar, listening sidecar, switching',
    ],
    ['Sidecar Callback', 'Sidecar Inline', runs, 'Sidecar Inline, calls none, leads to Sidecar, listening sidecar'],
    [
      'Deployment Callback',
      'Deployment Inline',
      {},
      'Deployment Callback, calls Deployment, leads to Deployment, switching',
    ],
    ['Deployment Callback', 'Deployment Inline', runs, 'Deployment Inline, calls none, leads to Deployment'],
    // To Callback: applications call the guardrail until every pod of the gateway does.
    [
      'Sidecar Inline',
      'Sidecar Callback',
      runs,
      'Sidecar Inline, calls Sidecar, leads to Sidecar, listening sidecar, switching',
    ],
    [
      'Sidecar Inline',
      'Sidecar Callback',
      { ...runs, ...isCalled },
      'Sidecar Callback, calls Sidecar, leads to none, sidecar',
    ],
    [
      'Deployment Inline',
      'Deployment Callback',
      runs,
      'Deployment Inline, calls Deployment, leads to Deployment, switching',
    ],
    // Its restart without the listener must not bring the listener back.
    ['Deployment Inline', 'Deployment Callback', isCalled, 'Deployment Callback, calls Deployment, leads to none'],
    // To another mode: the old guardrail serves until the new one does.
    [
      'Sidecar Inline',
      'Deployment Inline',
      {},
      'Sidecar Inline, calls none, leads to Sidecar, listening sidecar, switching',
    ],
    ['Sidecar Inline', 'Deployment Inline', runs, 'Deployment Inline, calls none, leads to Deployment'],
    [
      'Deployment Inline',
      'Sidecar Inline',
      {},
      'Deployment Inline, calls none, leads to Deployment, listening sidecar, switching',
    ],
    ['Deployment Inline', 'Sidecar Inline', runs, 'Sidecar Inline, calls none, leads to Sidecar, listening sidecar'],
    ['Sidecar Callback', 'Deployment Callback', {}, 'Sidecar Callback, calls Sidecar, leads to none, sidecar'],
    ['Deployment Callback', 'Sidecar Callback', runs, 'Sidecar Callback, calls Sidecar, leads to none, sidecar'],
    // Both at once.
    [
      'Sidecar Callback',
      'Deployment Inline',
      {},
      'Sidecar Callback, calls Sidecar, leads to Deployment, sidecar, switching',
    ],
    ['Sidecar Callback', 'Deployment Inline', runs, 'Deployment Inline, calls none, leads to Deployment'],
    [
      'Deployment Callback',
      'Sidecar Inline',
      {},
      'Deployment Callback, calls Deployment, leads to Sidecar, listening sidecar, switching',
    ],
    [
      'Deployment Inline',
      'Sidecar Callback',
      runs,
      'Deployment Inline, calls Sidecar, leads to Deployment, sidecar, switching',
    ],
    [
      'Sidecar Inline',
      'Deployment Callback',
      {},
      'Sidecar Inline, calls none, leads to Sidecar, listening sidecar, switching',
    ],
    [
      'Sidecar Inline',
      'Deployment Callback',
      runs,
      'Sidecar Inline, calls Deployment, leads to Sidecar, listening sidecar, switching',
    ],
    // The new guardrail stopped again after the gateway had been told to call it.
    [
      'Sidecar Inline',
      'Deployment Callback',
      isCalled,
      'Sidecar Inline, calls none, leads to Sidecar, listening sidecar, switching',
    ],
    [
      'Sidecar Inline',
      'Deployment Callback',
      { ...runs, ...isCalled },
      'Deployment Callback, calls Deployment, leads to none',
    ],
    // Both integrations.
    [
      undefined,
      'Sidecar CallbackAndInline',
      {},
      'Sidecar CallbackAndInline, calls Sidecar, leads to Sidecar, listening sidecar',
    ],
    [undefined, 'Deployment CallbackAndInline', {}, 'none, calls none, leads to Deployment, switching'],
    [
      'Sidecar Callback',
      'Sidecar CallbackAndInline',
      {},
      'Sidecar Callback, calls Sidecar, leads to Sidecar, listening sidecar, switching',
    ],
    [
      'Sidecar Callback',
      'Sidecar CallbackAndInline',
      runs,
      'Sidecar CallbackAndInline, calls Sidecar, leads to Sidecar, listening sidecar',
    ],
    [
      'Deployment Callback',
      'Deployment CallbackAndInline',
      {},
      'Deployment Callback, calls Deployment, leads to Deployment, switching',
    ],
    [
      'Deployment Callback',
      'Deployment CallbackAndInline',
      runs,
      'Deployment CallbackAndInline, calls Deployment, leads to Deployment',
    ],
    [
      'Sidecar CallbackAndInline',
      'Sidecar Inline',
      {},
      'Sidecar CallbackAndInline, calls Sidecar, leads to Sidecar, listening sidecar, switching',
    ],
    [
      'Sidecar CallbackAndInline',
      'Sidecar Inline',
      runs,
      'Sidecar Inline, calls none, leads to Sidecar, listening sidecar',
    ],
    // The rollout that makes the gateway call its sidecar must not take the call back.
    [
      'Sidecar Inline',
      'Sidecar CallbackAndInline',
      {},
      'Sidecar Inline, calls Sidecar, leads to Sidecar, listening sidecar, switching',
    ],
    [
      'Sidecar Inline',
      'Sidecar CallbackAndInline',
      { ...runs, ...isCalled },
      'Sidecar CallbackAndInline, calls Sidecar, leads to Sidecar, listening sidecar',
    ],
    [
      'Deployment Inline',
      'Deployment CallbackAndInline',
      runs,
      'Deployment Inline, calls Deployment, leads to Deployment, switching',
    ],
    // A gateway without the key calls no guardrail, also if both integrations were in use.
    [
      'Sidecar CallbackAndInline',
      'Sidecar Callback',
      runs,
      'Sidecar CallbackAndInline, calls Sidecar, leads to Sidecar, listening sidecar, switching',
    ],
    [
      'Sidecar CallbackAndInline',
      'Sidecar Callback',
      { ...runs, ...isCalled },
      'Sidecar Callback, calls Sidecar, leads to none, sidecar',
    ],
    [
      'Deployment CallbackAndInline',
      'Deployment Callback',
      isCalled,
      'Deployment Callback, calls Deployment, leads to none',
    ],
    [
      'Sidecar CallbackAndInline',
      'Deployment CallbackAndInline',
      {},
      'Sidecar CallbackAndInline, calls Sidecar, leads to Sidecar, listening sidecar, switching',
    ],
    [
      'Sidecar CallbackAndInline',
      'Deployment CallbackAndInline',
      runs,
      'Deployment CallbackAndInline, calls Deployment, leads to Deployment',
    ],
    [
      'Deployment CallbackAndInline',
      'Sidecar CallbackAndInline',
      {},
      'Deployment CallbackAndInline, calls Sidecar, leads to Deployment, listening sidecar, switching',
    ],
  ] as const) {
    const when = Object.keys(state).join(' and ') || 'does not run';
    it(`from ${before ?? 'none'} to ${wanted} that ${when}: ${expected}`, () => {
      expect(shown(progress(wanted, before, state))).to.equal(expected);
    });
  }

  for (const [before, wanted, state, expected] of [
    [undefined, 'Deployment Inline', {}, true],
    ['Sidecar Callback', 'Deployment Inline', {}, true],
    ['Deployment Inline', 'Deployment Callback', {}, true],
    ['Deployment Inline', 'Deployment Callback', isCalled, false],
    ['Sidecar Inline', 'Deployment Callback', {}, false],
    ['Deployment Callback', 'Deployment Callback', isCalled, false],
    ['Deployment Callback', 'Deployment CallbackAndInline', isCalled, true],
    ['Deployment CallbackAndInline', 'Deployment Callback', {}, true],
    ['Deployment CallbackAndInline', 'Deployment Callback', isCalled, false],
  ] as const) {
    it(`from ${before ?? 'none'} to ${wanted}, ${expected ? 'a' : 'no'} listener if ${JSON.stringify(state)}`, () => {
      expect(deploymentListens(progress(wanted, before, state))).to.equal(expected);
    });
  }

  it('include those of the guardrail in use, in every situation', () => {
    const names = (['Sidecar', 'Deployment'] as const).flatMap((mode) =>
      (['Callback', 'Inline', 'CallbackAndInline'] as const).map((integration): Name => `${mode} ${integration}`),
    );
    const states = [{}, runs, isCalled, { ...runs, ...isCalled }];
    const situations = names.flatMap((wanted) =>
      [undefined, ...names].flatMap((before) => states.map((state) => progress(wanted, before, state))),
    );
    for (const situation of situations) {
      const { active, callback, guarded, sidecar, sidecarListens } = pathsOf(situation);
      const what = `${JSON.stringify(situation)} ${shown(situation)}`;
      if (active === undefined) continue;
      expect([situation.before, situation.wanted], what).to.include(active);
      if (isCalledByGateway(active.integration)) expect(callback, what).to.not.equal(undefined);
      if (isCalledByApplications(active.integration)) expect(guarded, what).to.equal(active.mode);
      if (active.mode === 'Sidecar') expect(sidecar, what).to.equal(true);
      if (guarded === 'Sidecar') expect(sidecarListens, what).to.equal(true);
    }
  });

  for (const [active, wanted, expected] of [
    [undefined, 'Sidecar Inline', undefined],
    ['Sidecar Inline', 'Sidecar Inline', undefined],
    ['Sidecar Callback', 'Deployment Callback', undefined],
    [
      'Sidecar Callback',
      'Sidecar CallbackAndInline',
      'The integration Callback stays in use until CallbackAndInline is ready.',
    ],
    [
      'Sidecar CallbackAndInline',
      'Sidecar CallbackAndInline',
      'Applications can call http://guarded or the gateway itself: when all of them call the same, set spec.guardrail.integration to Inline or Callback.',
    ],
  ] as const) {
    it(`with ${active ?? 'none'} in use and ${wanted} to come, the condition adds ${expected ?? 'nothing'}`, () => {
      const used = active === undefined ? undefined : guardrailOf(active);
      expect(pathsNote(used, guardrailOf(wanted), 'http://guarded')).to.equal(expected);
    });
  }
});
