/**
 * The paths of calls through the guardrail, and how they are switched: the new path is ready before the old one goes.
 * Pure.
 */
import { type GatewayInstance, type Guardrail, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import type { GuardrailMode } from './basics.ts';

/** How calls pass the guardrail: the gateway calls it, applications call it in place of the gateway, or both. */
export type Integration = NonNullable<Guardrail['integration']>;

/** The guardrail that checks the calls. */
export interface ActiveGuardrail {
  readonly mode: GuardrailMode;
  readonly integration: Integration;
  /** The address of its API. */
  readonly url: string;
}

/** What decides which paths exist. */
export interface Progress {
  /** The guardrail of the spec. */
  readonly wanted: ActiveGuardrail;
  /** The guardrail in use until now; undefined: none. */
  readonly before: ActiveGuardrail | undefined;
  /** Whether the guardrail of the spec runs: for Inline, every pod of it takes calls. */
  readonly runs: boolean;
  /** Whether every pod of the gateway calls the guardrail of the spec. */
  readonly isCalled: boolean;
}

/** The paths that must exist now. */
export interface Paths {
  /** The guardrail in use from now on: `wanted` or `before` itself. */
  readonly active: ActiveGuardrail | undefined;
  /** The address that the gateway must call; undefined: it must call none. */
  readonly callback: string | undefined;
  /** The guardrail to which the Service for applications leads; undefined: no such Service. */
  readonly guarded: GuardrailMode | undefined;
  /** Whether the gateway's pods need the sidecar. */
  readonly sidecar: boolean;
  /** Whether the sidecar takes calls of applications. */
  readonly sidecarListens: boolean;
  /** Whether the old path still exists beside the new one. Its objects must be kept. */
  readonly isSwitching: boolean;
}

/** The integration of the spec, or its default. */
export function integrationOf(spec: Guardrail): Integration {
  return spec.integration ?? instanceDefaults.guardrail.integration;
}

/** Whether the gateway calls the guardrail. */
export function isCalledByGateway(integration: Integration): boolean {
  return integration !== 'Inline';
}

/** Whether applications can call the guardrail in place of the gateway. */
export function isCalledByApplications(integration: Integration): boolean {
  return integration !== 'Callback';
}

/** The guardrail in use according to the status. */
export function activeBefore({ status }: GatewayInstance): ActiveGuardrail | undefined {
  if (status?.guardrail === undefined) return undefined;
  const { mode, integration = 'Callback', endpoint } = status.guardrail;
  return { mode, integration, url: endpoint };
}

/** The paths of an instance with a guardrail. */
export function pathsOf(progress: Progress): Paths {
  const { wanted, before } = progress;
  const active = isReady(progress) ? wanted : before;
  const inUse = active === undefined ? [wanted] : [active, wanted];
  const inline = inUse.filter(({ integration }) => isCalledByApplications(integration));
  return {
    active,
    callback: callbackOf(progress, active),
    guarded: inline[0]?.mode,
    sidecar: inUse.some(({ mode }) => mode === 'Sidecar'),
    sidecarListens: inline.some(({ mode }) => mode === 'Sidecar'),
    isSwitching: isSwitching(active, wanted),
  };
}

/**
 * A sentence for the condition GuardrailReady that says which paths exist beside the one of the spec, and what ends that.
 * @param guardedUrl the address of the guardrail for applications
 * @returns undefined if the path of the spec is the only one
 */
export function pathsNote(
  active: ActiveGuardrail | undefined,
  wanted: ActiveGuardrail,
  guardedUrl: string,
): string | undefined {
  if (active !== undefined && active.integration !== wanted.integration) {
    return `The integration ${active.integration} stays in use until ${wanted.integration} is ready.`;
  }
  if (active?.integration !== 'CallbackAndInline') return undefined;
  return `Applications can call ${guardedUrl} or the gateway itself: when all of them call the same, set spec.guardrail.integration to Inline or Callback.`;
}

/** Whether the guardrail of a Deployment takes calls of applications. It is decided before its rollout is known. */
export function deploymentListens({ wanted, before, isCalled }: Omit<Progress, 'runs'>): boolean {
  if (isCalledByApplications(wanted.integration)) return true;
  if (before?.mode !== 'Deployment') return false;
  return isCalledByApplications(before.integration) && !isCalled;
}

/** Whether calls can take the path of the spec from now on. */
function isReady({ wanted, before, runs, isCalled }: Progress): boolean {
  // The first sidecar comes with the rollout of the gateway: there is no other path to keep.
  if (before === undefined) return runs || wanted.mode === 'Sidecar';
  const wasInline = isCalledByApplications(before.integration);
  const becomesCalled = wanted.integration !== before.integration && isCalledByGateway(wanted.integration);
  // Applications can leave the guardrail only for a gateway that calls it.
  if (wasInline && becomesCalled && !isCalled) return false;
  // The Deployment that served Inline already runs: it restarts without the listener when the gateway calls it.
  return runs || (wasInline && wanted.integration === 'Callback' && isCalled && before.mode === wanted.mode);
}

function callbackOf({ wanted, runs }: Progress, active: ActiveGuardrail | undefined): string | undefined {
  // A gateway that calls its sidecar starts together with it.
  const canBeCalled = runs || wanted.mode === 'Sidecar';
  if (isCalledByGateway(wanted.integration) && canBeCalled) return wanted.url;
  return active !== undefined && isCalledByGateway(active.integration) ? active.url : undefined;
}

function isSwitching(active: ActiveGuardrail | undefined, wanted: ActiveGuardrail): boolean {
  const willBeInline = isCalledByApplications(wanted.integration);
  if (active === undefined) return willBeInline;
  return active.integration !== wanted.integration || (willBeInline && active.mode !== wanted.mode);
}
