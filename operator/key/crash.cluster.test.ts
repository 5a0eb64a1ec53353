/** The operator ends at each step of a key, and starts again without memory. */
import { expect } from 'chai';
import { keys } from '../api/kinds.ts';
import type { GatewayKey } from '../api/v1alpha1/v1alpha1.ts';
import { eventually } from '../customer/testing/testOperator.ts';
import { noFault, withTestbed } from '../customer/testing/testbed.ts';
import type { Fault, SeenCall } from '../gateway/testing/testProxy.ts';
import { keyHashOf } from './secret.ts';
import { KeyBed } from './testing/keyBed.ts';

const hourMs = 3_600_000;

/**
 * What is under way when the operator ends, at which call, counted from the beginning of the phase, and whether the gateway has
 * handled the call. The Secret is written after `/key/generate` and before the second `/key/list`.
 */
const crashes = [
  ['create', '/key/generate', 1, 'before'],
  ['create', '/key/generate', 1, 'after'],
  ['create', '/key/list', 2, 'before'],
  ['update', '/key/update', 1, 'before'],
  ['update', '/key/update', 1, 'after'],
  ['rotate', '/key/generate', 1, 'before'],
  ['rotate', '/key/generate', 1, 'after'],
  ['rotate', '/key/list', 2, 'before'],
  ['retire', '/key/delete', 1, 'before'],
  ['retire', '/key/delete', 1, 'after'],
  ['replaceSecret', '/key/generate', 1, 'after'],
  ['delete', '/key/delete', 1, 'before'],
  ['delete', '/key/delete', 1, 'after'],
] as const;

describe('a key whose operator ends', function () {
  this.timeout(60_000);
  const bed = withTestbed();
  const { plural } = keys;
  const at = new KeyBed(
    () => bed.user,
    () => bed.admin,
  );

  /** Keeps the nth call of a path from being answered. @returns when the call has come that far */
  function holdAt(path: string, nth: number, when: 'before' | 'after'): Promise<void> {
    let seen = 0;
    return new Promise((resolve) => {
      bed.proxy.fault = (call: SeenCall): Fault | undefined => {
        if (!call.path.startsWith(path) || (seen += 1) !== nth) return undefined;
        if (when === 'after') return { kind: 'hangAfter', done: resolve };
        resolve();
        return { kind: 'hang' };
      };
    });
  }

  const settled = (key: GatewayKey): boolean =>
    key.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True' &&
    key.status.observedGeneration === key.metadata.generation;

  for (const [phase, path, nth, when] of crashes) {
    it(`${when} call ${nth} of ${path}, in the phase ${phase}, has one valid key in its Secret in the end`, async () => {
      let held: Promise<void> | undefined;
      let ahead = 0;
      if (phase === 'create') {
        held = holdAt(path, nth, when);
        await bed.user.key('app', { maxBudget: 5 });
      } else {
        await bed.user.key('app', { maxBudget: 5 });
        await bed.user.untilKeyReason('app', 'Created');
        await bed.operator.untilIdle();
        if (phase === 'retire') {
          await bed.user.annotate('app', 'rotateKey', 'now', plural);
          await bed.user.untilKey('app', ({ status }) => status?.liveKeys === 2);
          await bed.operator.untilIdle();
          ahead = 2 * hourMs;
          bed.operator.advance(ahead);
        }
        if (phase === 'replaceSecret') await bed.user.deleteSecret('app');
        held = holdAt(path, nth, when);
        if (phase === 'update') await bed.user.patch('app', { spec: { maxBudget: 6 } }, plural);
        else if (phase === 'rotate') await bed.user.annotate('app', 'rotateKey', 'now', plural);
        else if (phase === 'delete') await bed.user.delete('app', plural);
        else await bed.user.annotate('app', 'syncRequested', 'now', plural);
      }
      await held;
      const key = await bed.user.untilKey('app', () => true);
      if (phase === 'rotate' || phase === 'retire' || phase === 'update') {
        // No gap: what applications read is valid at every moment.
        const value = (await at.valueOf('app')) ?? '';
        expect((await at.rowsOf(key)).map(({ token }) => token)).to.include(keyHashOf(value));
      }
      await bed.stopOperator();
      bed.proxy.fault = noFault;
      await bed.startOperator({ advanceMs: ahead });

      if (phase === 'delete') {
        await eventually(async () => {
          expect(await bed.user.getKey('app')).to.equal(undefined);
        });
        expect(await at.rowsOf(key)).to.deep.equal([]);
        return;
      }
      await bed.user.untilKey('app', settled);
      const after = await at.syncNow('app');
      const [current] = await at.rowsOf(after);
      expect(current).to.include({ max_budget: phase === 'update' ? 6 : 5 });
      expect(keyHashOf((await at.valueOf('app')) ?? '')).to.equal(current?.token);
      // The previous key of a rotation stays for the grace period, and so does what may be it.
      const isRotated = phase === 'rotate' || phase === 'replaceSecret';
      if (!isRotated) await at.onlyRowOf(after);
      else {
        if (phase === 'rotate') expect(await at.rowsOf(after)).to.have.length(2);
        bed.operator.advance(2 * hourMs);
        await at.syncNow('app');
        await at.onlyRowOf(after);
      }
    });
  }

  it('deletes a new key that does not reach the Secret', async () => {
    let isRaced = false;
    bed.proxy.fault = async ({ path }): Promise<undefined> => {
      if (path !== '/key/generate' || isRaced) return;
      isRaced = true;
      await bed.user.secret('app', 'of others');
    };
    await bed.user.key('app');
    const key = await bed.user.untilKeyReason('app', 'NameTaken');
    expect(isRaced).to.equal(true);
    const user = String(bed.callsOf('/key/generate')[0]?.body.user_id);
    expect(await bed.admin.keyList(user)).to.deep.equal([]);
    expect(key.status?.liveKeys).to.equal(undefined);
    expect((await bed.user.readSecret('app'))?.data).to.have.all.keys('key');
  });
});
