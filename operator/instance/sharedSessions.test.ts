import { expect } from 'chai';
import type { Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { lastCallWithoutEndUser, sharedSessionsNote } from './sharedSessions.ts';
import { instanceOf } from './testing/instances.ts';

const now = new Date('2026-01-02T12:00:00Z');
const ago = (hours: number): string => new Date(now.getTime() - hours * 3_600_000).toISOString();

interface Case {
  readonly guardrail?: Guardrail | undefined;
  readonly known?: string;
  readonly reported?: string | Error;
  readonly isReady?: boolean;
  readonly askedAt?: number;
}

/** The time that a reconcile reports, and how often it asked the guardrail. */
async function reported({ known, reported: answer, isReady = true, askedAt, ...rest }: Case): Promise<unknown[]> {
  const guardrail = 'guardrail' in rest ? rest.guardrail : {};
  const base = instanceOf(guardrail === undefined ? {} : { guardrail });
  const status = {
    guardrailReady: isReady ? ('True' as const) : ('False' as const),
    guardrail: {
      ...{ mode: 'Deployment' as const, endpoint: 'http://g', apiKeySecretName: 's' },
      ...(known === undefined ? {} : { lastCallWithoutEndUser: known }),
    },
  };
  let asked = 0;
  const ask = (): Promise<Date | undefined> => {
    asked += 1;
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve(answer === undefined ? undefined : new Date(answer));
  };
  const state = { lastCallAskedAt: askedAt };
  const context = { ask, now, monotonic: 1_000_000, state };
  const time = await lastCallWithoutEndUser({ ...base, status }, context, new AbortController().signal);
  return [time, asked];
}

describe('calls without an end user', () => {
  for (const [what, given, expected] of [
    ['a new time', { reported: ago(1) }, [ago(1), 1]],
    ['a later time', { known: ago(9), reported: ago(2) }, [ago(2), 1]],
    ['an earlier time of another pod', { known: ago(2), reported: ago(9) }, [ago(2), 1]],
    ['no such call', {}, [undefined, 1]],
    ['a restart of the guardrail', { known: ago(9) }, [ago(9), 1]],
    ['a guardrail that does not answer', { known: ago(9), reported: new Error('x') }, [ago(9), 1]],
    ['a recent time, without asking', { known: ago(0.5), reported: ago(0) }, [ago(0.5), 0]],
    ['what it knows, if it has asked before', { known: ago(9), reported: ago(0), askedAt: 900_000 }, [ago(9), 0]],
    ['the answer to a later question', { reported: ago(0), askedAt: 100_000 }, [ago(0), 1]],
    ['what it knows, while the guardrail is not ready', { reported: ago(0), isReady: false }, [undefined, 0]],
    ['nothing if they are refused', { guardrail: { requireEndUser: true }, known: ago(1) }, [undefined, 0]],
    ['nothing if sessions are those of calls', { guardrail: { sessionScope: 'Call' }, known: ago(1) }, [undefined, 0]],
    ['nothing without a guardrail', { guardrail: undefined, known: ago(1) }, [undefined, 0]],
  ] as const satisfies readonly (readonly [string, Case, unknown[]])[])
    it(`are reported with ${what}`, async () => {
      expect(await reported(given)).to.deep.equal(expected);
    });

  it('are a warning in the condition for a day', () => {
    expect(sharedSessionsNote(ago(23), now)).to.match(/^Warning: an application names no end user/);
    expect([ago(24), undefined].map((time) => sharedSessionsNote(time, now))).to.deep.equal([undefined, undefined]);
  });
});
