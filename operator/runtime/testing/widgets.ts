import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { RestClient } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { customResourceDefinitions, ensureCrd, type CrdManifest } from '../manager/crds.ts';
import { RuntimeMetrics } from '../metrics.ts';
import type { KubeObject, ResourceKind } from '../objects.ts';
import { resource } from '../objects.ts';
import type { ReflectorOptions } from '../cache/reflector.ts';

/** A kind for tests. */
export type Widget = KubeObject & {
  readonly spec?: { readonly size?: number; readonly color?: string };
  readonly status?: Record<string, unknown>;
};

export const REVISION_ANNOTATION = 'test.guardrail.dev/revision';

/** Logs nothing. */
export const silentLog = pino({ level: 'silent' });

/** Short durations, so that tests of outages end soon. */
export const fastReflectorOptions: ReflectorOptions = {
  silentMs: 900,
  watchSeconds: 300,
  backoffMs: [20, 200],
  pageSize: 500,
  forbiddenMs: 500,
};

/** Creates the definition of a kind. @param kind the singular in upper camel case */
export function widgetCrd(kind = 'Widget', revision = 1): CrdManifest {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.test.guardrail.dev`, annotations: { [REVISION_ANNOTATION]: String(revision) } },
    spec: {
      group: 'test.guardrail.dev',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } },
                status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          },
        },
      ],
    },
  } as unknown as CrdManifest;
}

/** Describes the kind of {@link widgetCrd} to the runtime. */
export function widgetKind(kind = 'Widget'): ResourceKind<Widget> {
  return resource<Widget>({ group: 'test.guardrail.dev', version: 'v1', kind, plural: `${kind.toLowerCase()}s` });
}

export const widgets = widgetKind();

/** Installs the Widget kind. */
export async function installWidgets(client: RestClient, clock: Clock = systemClock): Promise<void> {
  await ensureCrd(widgetCrd(), {
    client,
    clock,
    log: silentLog,
    revisionAnnotation: REVISION_ANNOTATION,
    install: true,
  });
}

/** Deletes a definition and all its objects. Does not wait for completion. */
export async function uninstall(client: RestClient, crd: CrdManifest): Promise<void> {
  await client.delete(customResourceDefinitions, { namespace: '', name: crd.metadata.name });
}

/** A widget for creation. */
export function widget(namespace: string, name = `w-${randomBytes(4).toString('hex')}`, size = 1): Widget {
  return { metadata: { namespace, name }, spec: { size } } as unknown as Widget;
}

/** Default dependencies of a transport. */
export function transportOptions(): { clock: Clock; metrics: RuntimeMetrics; userAgent: string } {
  return { clock: systemClock, metrics: new RuntimeMetrics(), userAgent: 'test' };
}
