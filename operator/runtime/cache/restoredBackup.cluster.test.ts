/** A reflector whose API server is restored from a backup of etcd: resourceVersions go back. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ControlPlane, startControlPlane } from '../../../hack/harness/controlplane.ts';
import { RestClient } from '../client/client.ts';
import { Transport } from '../client/transport.ts';
import { RuntimeMetrics } from '../metrics.ts';
import { eventually } from '../testing/eventually.ts';
import { SkippingClock } from '../testing/skippingClock.ts';
import { fastReflectorOptions, silentLog, transportOptions } from '../testing/testing.ts';
import { installWidgets, type Widget, widget, widgets } from '../testing/widgets.ts';
import { ObjectCache } from './cache.ts';
import { Reflector } from './reflector.ts';

const BACKOFF_MS = 60_000;

describe('the reflector, after a restore of etcd', function () {
  this.timeout(240_000);
  const dir = mkdtempSync(join(tmpdir(), 'restored-'));
  let plane: ControlPlane | undefined;
  after(async () => {
    await plane?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('lists again, and misses no change', async () => {
    const data = join(dir, 'etcd');
    const backup = join(dir, 'backup');
    plane = await startControlPlane({ dir, temporary: false });
    const api = Number(new URL(plane.url).port);
    const namespace = await plane.createNamespace();
    let transport = new Transport(plane.kubeConfig(), transportOptions());
    let direct = new RestClient(transport);
    await installWidgets(direct);
    await direct.create(widgets, widget(namespace, 'kept'));
    await direct.create(widgets, widget(namespace, 'deleted-later'));
    await plane.stop();
    await transport.close();
    cpSync(data, backup, { recursive: true });

    plane = await startControlPlane({ dir, temporary: false, ports: { api } });
    transport = new Transport(plane.kubeConfig(), transportOptions());
    direct = new RestClient(transport);
    const clock = new SkippingClock();
    const cache = new ObjectCache<Widget>();
    const stop = new AbortController();
    const ownTransport = new Transport(plane.kubeConfig(), { ...transportOptions(), clock });
    const reflector = new Reflector<Widget>({
      ...{ kind: widgets, namespace, cache, clock, log: silentLog, metrics: new RuntimeMetrics() },
      client: new RestClient(ownTransport),
      // One attempt fails while the server is down: after more of them, the list is read again anyway.
      options: { ...fastReflectorOptions, backoffMs: [BACKOFF_MS, BACKOFF_MS] },
    });
    const running = reflector.run(stop.signal);
    const names = (): string[] => cache.list().map(({ metadata, spec }) => `${metadata.name} ${spec?.size}`);
    try {
      for (let size = 2; size < 50; size += 1) {
        await direct.patch(widgets, { namespace, name: 'kept' }, { spec: { size } });
      }
      await direct.create(widgets, widget(namespace, 'lost'));
      await direct.delete(widgets, { namespace, name: 'deleted-later' });
      await eventually(() => {
        expect(names()).to.have.members(['kept 49', 'lost 1']);
      });

      await plane.stop();
      rmSync(data, { recursive: true });
      cpSync(backup, data, { recursive: true });
      plane = await startControlPlane({ dir, temporary: false, ports: { api } });
      await eventually(async () => {
        expect(await direct.list(widgets, { namespace })).to.have.length(2);
        expect(clock.pending).to.be.above(0);
      });
      clock.skip(2 * BACKOFF_MS);
      await direct.create(widgets, widget(namespace, 'after', 3));
      await eventually(() => {
        expect(names()).to.have.members(['kept 1', 'deleted-later 1', 'after 3']);
      });
    } finally {
      stop.abort();
      await running;
      await Promise.all([transport.close(), ownTransport.close()]);
    }
  });
});
