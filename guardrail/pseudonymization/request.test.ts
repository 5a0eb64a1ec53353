import { expect } from 'chai';
import type { Tenant } from '../ids.ts';
import type { CallIdentity } from './pseudonymization.ts';
import { rewritingTexts } from './documentTexts.ts';
import { callBy, createFakeAnalyzer, createTestGuard } from './testing/testGuard.ts';

/** The scope in which the texts of a caller are analyzed. */
async function scopeOf(identity: Partial<CallIdentity>): Promise<string | undefined> {
  let scope: string | undefined = 'not analyzed';
  const analyzer = createFakeAnalyzer({});
  const { guard } = createTestGuard({
    ...analyzer,
    analyze: (texts, context) => {
      scope = context.scope;
      return analyzer.analyze(texts, context);
    },
  });
  await guard.request({ texts: ['Anna'] }, callBy(identity));
  return scope;
}

describe('the scope of detection', () => {
  const nobody = { keyHash: undefined, endUser: undefined };
  const other = 'other' as Tenant;
  for (const [what, one, another] of [
    ['two keys of a team', { team: 'red', keyHash: 'a' }, { team: 'red', keyHash: 'b' }],
    ['two end users of a team', { team: 'red', endUser: 'ada' }, { team: 'red', endUser: 'bob' }],
    ['two calls of a key', { callId: '1' }, { callId: '2' }],
  ] as const) {
    it(`is shared by ${what}`, async () => {
      expect(await scopeOf(one))
        .to.be.a('string')
        .and.equal(await scopeOf(another));
    });
  }

  for (const [what, one, another] of [
    ['two teams', { team: 'red' }, { team: 'blue' }],
    ['two keys without a team', { keyHash: 'a' }, { keyHash: 'b' }],
    ['two tenants with teams of one name', { team: 'red' }, { team: 'red', tenant: other }],
    ['two tenants with one key', {}, { tenant: other }],
    ['a team and a key that has its name', { team: 'red' }, { keyHash: 'red' }],
  ] as const) {
    it(`is not shared by ${what}`, async () => {
      expect(await scopeOf(one)).not.to.equal(await scopeOf(another));
    });
  }

  it('is absent for a call of an unknown team and key', async () => {
    expect(await scopeOf(nobody)).to.equal(undefined);
    expect(await scopeOf({ ...nobody, team: '', endUser: 'ada' })).to.equal(undefined);
  });
});

describe('the turns of detection', () => {
  for (const [what, share, expected] of [
    ['the tenant', undefined, 'tenant'],
    ['the caller whose share it is', 'inline:digest' as Tenant, 'inline:digest'],
  ] as const) {
    it(`are those of ${what}`, async () => {
      let tenant: Tenant | undefined;
      const analyzer = createFakeAnalyzer({});
      const { guard } = createTestGuard({
        ...analyzer,
        analyze: (texts, context) => {
          ({ tenant } = context);
          return analyzer.analyze(texts, context);
        },
      });
      await guard.request({ texts: ['Anna'] }, { ...callBy({ tenant: 'tenant' as Tenant }), share });
      expect(tenant).to.equal(expected);
    });
  }
});

describe('the texts of a request', () => {
  const texts = Array.from({ length: 1000 }, (_, at) => `text ${at} ${'a'.repeat(300)}`);
  for (const [what, document] of [
    ['texts', { texts }],
    ['passages', { texts: [], passages: texts.map((text) => ({ text, kind: 'text' as const })) }],
    ['messages', { texts: [], structuredMessages: texts.map((content) => ({ role: 'user', content })) }],
    ['tools', { texts: [], tools: texts.map((description) => ({ type: 'function', function: { description } })) }],
  ] as const) {
    it(`are visited in short steps: ${what}`, () => {
      const visited: string[] = [];
      const numbers = { texts: [], toolCalls: [], imageTexts: [] };
      const work = rewritingTexts({ ...document, numbers }, (text) => {
        visited.push(text);
        return text.toUpperCase();
      });
      let steps = 0;
      let step = work.next();
      for (; step.done !== true; step = work.next()) steps += 1;
      expect(visited).to.have.length(1000);
      expect(steps).to.be.at.least(10);
      expect(JSON.stringify(step.value)).to.contain('TEXT 999 A');
    });
  }
});
