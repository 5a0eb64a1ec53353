/**
 * The paths of calls through the guardrail, and how they are switched: the new path is ready before the old one goes.
 * Pure.
 */
import type { GatewayInstance, Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import type { GuardrailMode } from './mode.ts';

/** How calls pass the guardrail: the gateway calls it, or applications call it in place of the gateway. */
export type Integration = 'Callback' | 'Inline';

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
  /** The guardrail in use from now on. */
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
  const isInline = (guardrail: ActiveGuardrail | undefined): boolean => guardrail?.integration === 'Inline';
  const guarded = [active, wanted].find(isInline)?.mode;
  return {
    active,
    callback: callbackOf(progress, active),
    guarded,
    sidecar: [active, wanted].some((one) => one?.mode === 'Sidecar'),
    sidecarListens: [active, wanted].some((one) => isInline(one) && one?.mode === 'Sidecar'),
    isSwitching: isInline(active) !== isInline(wanted) || (isInline(wanted) && active?.mode !== wanted.mode),
  };
}

/** Whether the guardrail of a Deployment takes calls of applications. It is decided before its rollout is known. */
export function deploymentListens({ wanted, before, isCalled }: Omit<Progress, 'runs'>): boolean {
  if (wanted.integration === 'Inline') return true;
  return before?.integration === 'Inline' && before.mode === 'Deployment' && !isCalled;
}

/** Whether calls can take the path of the spec from now on. */
function isReady({ wanted, before, runs, isCalled }: Progress): boolean {
  // The first sidecar comes with the rollout of the gateway: there is no other path to keep.
  if (before === undefined) return runs || wanted.mode === 'Sidecar';
  if (wanted.integration === 'Inline') return runs;
  if (before.integration === 'Callback') return runs;
  // The Deployment that served Inline already runs: it restarts without the listener when the gateway calls it.
  return isCalled && (runs || before.mode === wanted.mode);
}

function callbackOf({ wanted, runs }: Progress, active: ActiveGuardrail | undefined): string | undefined {
  if (wanted.integration === 'Callback' && runs) return wanted.url;
  return active?.integration === 'Callback' ? active.url : undefined;
}
