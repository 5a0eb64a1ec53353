/**
 * The guardrail's keys and their rotation. No call fails during a rotation: a new key is accepted everywhere before it
 * is used anywhere, and the old key is removed when it is no longer used. Pure except for the random source. API key:
 * stable → accepting (guardrails load the new key) → retiring (the gateway rolls out with it) → stable Encryption key:
 * stable → accepting (guardrails load it for decryption) → stable (it encrypts; older keys decrypt)
 */
import { randomBytes } from 'node:crypto';
import { annotations, GROUP } from '../api/v1alpha1/v1alpha1.ts';
import { API_KEY_TENANT, files } from './settings.ts';

/** The key in the Secret whose value the gateway sends. */
export const API_KEY = 'api-key';
/** The maximum number of encryption keys. Data that was encrypted with older keys has expired. */
const MOST_ENCRYPTION_KEYS = 16;

/** How the line of a key of the gateway begins. */
const GATEWAY_LINE = `${API_KEY_TENANT}:`;

const phaseAnnotation = `${GROUP}/key-phase`;
const dueAnnotation = `${GROUP}/key-phase-due`;

/** A Secret with keys, decoded. */
export interface KeySecret {
  readonly data: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The phase of a rotation. */
type Phase = 'stable' | 'accepting' | 'retiring';

/** The propagation of the keys to the pods. */
export interface KeyPropagation {
  /** Every running guardrail has loaded the keys of this revision. */
  readonly guardrailsHaveKey: boolean;
  /** Every running gateway was started with the current key; undefined if the operator cannot determine this. */
  readonly gatewayHasKey: boolean | undefined;
  /** How long replaced pods can run after the rollout, in milliseconds. */
  readonly graceMs: number;
  readonly now: Date;
}

/** The next step of a rotation. */
export interface RotationStep {
  readonly secret: KeySecret;
  /** Whether the Secret must be written. */
  readonly changed: boolean;
  /** Whether this step completes a rotation. */
  readonly finished: boolean;
  /** Whether a rotation is in progress. */
  readonly inProgress: boolean;
}

/** The key that the gateway sends; empty if there is none yet. */
export function apiKeyOf(secret: KeySecret): string {
  return secret.data[API_KEY] ?? '';
}

/** The newest accepted key, which a rotation introduces. */
export function newestApiKeyOf(secret: KeySecret): string {
  return acceptedOf(secret)[0] ?? '';
}

/** Whether a new key is accepted but not used yet, because not all guardrails have loaded it. */
export function isAccepting(secret: KeySecret): boolean {
  return phaseOf(secret) === 'accepting';
}

/** Incremented with each key that pods must load before it is used. */
export function revisionOf(secret: KeySecret): number {
  const revision = Number(secret.annotations[annotations.keyRevision] ?? '0');
  return Number.isSafeInteger(revision) ? revision : 0;
}

/**
 * Generates the missing API keys.
 * @returns the same object if no key is missing
 */
export function completeApiKeys(secret: KeySecret): KeySecret {
  const key = apiKeyOf(secret) || newestApiKeyOf(secret) || newApiKey();
  const accepted = acceptedOf(secret);
  if (apiKeyOf(secret) === key && accepted.includes(key)) return secret;
  return withApiKeys(secret, key, accepted.includes(key) ? accepted : [key, ...accepted]);
}

/**
 * Generates the missing keys of the guardrail.
 * @returns the same object if no key is missing
 */
export function completeGuardrailKeys(secret: KeySecret): KeySecret {
  const has = (name: string): boolean => (secret.data[name] ?? '').trim() !== '';
  if (has(files.sessionKey) && has(files.encryptionKeys)) return secret;
  return {
    ...secret,
    data: {
      ...secret.data,
      ...(has(files.sessionKey) ? {} : { [files.sessionKey]: newKey() }),
      ...(has(files.encryptionKeys) ? {} : { [files.encryptionKeys]: `${newKey()}\n` }),
    },
  };
}

/**
 * The next step of an API key's rotation.
 * @param requested value of the annotation that requests it
 */
export function rotateApiKeys(secret: KeySecret, requested: string | undefined, readers: KeyPropagation): RotationStep {
  const handled = secret.annotations[annotations.rotateApiKey];
  const isRequested = requested !== undefined && requested !== handled;
  const [newest = '', older] = acceptedOf(secret);
  switch (phaseOf(secret)) {
    case 'accepting': {
      if (!readers.guardrailsHaveKey) return waiting(secret);
      const used = withPhase(withApiKeys(secret, newest, acceptedOf(secret)), 'retiring');
      return { secret: used, changed: true, finished: false, inProgress: true };
    }
    case 'retiring': {
      if (isRequested && readers.gatewayHasKey !== false) return begin();
      // Where the operator cannot know which gateways send the old key, the key is accepted until the next rotation.
      if (readers.gatewayHasKey === undefined) return { secret, changed: false, finished: false, inProgress: false };
      if (!readers.gatewayHasKey || older === undefined) return waiting(secret);
      return afterGrace(secret, readers, () => withApiKeys(secret, newest, [newest]));
    }
    case 'stable':
      return isRequested ? begin() : { secret, changed: false, finished: false, inProgress: false };
  }

  function begin(): RotationStep {
    const current = apiKeyOf(secret);
    const grown = withApiKeys(secret, current, [newApiKey(), current]);
    return startRotation(grown, annotations.rotateApiKey, requested ?? '');
  }
}

/**
 * The next step of an encryption key's rotation.
 * @param requested value of the annotation that requests it
 */
export function rotateEncryptionKeys(
  secret: KeySecret,
  requested: string | undefined,
  readers: KeyPropagation,
): RotationStep {
  const ring = linesOf(secret.data[files.encryptionKeys]);
  if (phaseOf(secret) === 'accepting') {
    if (!readers.guardrailsHaveKey) return waiting(secret);
    const newest = ring.at(-1);
    const rest = ring.slice(0, -1);
    return afterGrace(secret, readers, () =>
      withRing(secret, newest === undefined ? rest : [newest, ...rest].slice(0, MOST_ENCRYPTION_KEYS)),
    );
  }
  if (requested === undefined || requested === secret.annotations[annotations.rotateEncryptionKey]) {
    return { secret, changed: false, finished: false, inProgress: false };
  }
  // At the end of the key ring, a key is used only for decryption.
  return startRotation(withRing(secret, [...ring, newKey()]), annotations.rotateEncryptionKey, requested);
}

function startRotation(secret: KeySecret, annotation: string, requested: string): RotationStep {
  const noted: KeySecret = {
    ...secret,
    annotations: {
      ...secret.annotations,
      [annotation]: requested,
      [annotations.keyRevision]: String(revisionOf(secret) + 1),
    },
  };
  return { secret: withPhase(noted, 'accepting'), changed: true, finished: false, inProgress: true };
}

/** Terminating pods still use the keys that they have loaded. The step waits for their grace period. */
function afterGrace(secret: KeySecret, { now, graceMs }: KeyPropagation, end: () => KeySecret): RotationStep {
  const due = Date.parse(secret.annotations[dueAnnotation] ?? '');
  if (Number.isNaN(due)) {
    const noted = {
      ...secret,
      annotations: { ...secret.annotations, [dueAnnotation]: new Date(now.getTime() + graceMs).toISOString() },
    };
    return { secret: noted, changed: true, finished: false, inProgress: true };
  }
  if (now.getTime() < due) return waiting(secret);
  return { secret: withPhase(end(), 'stable'), changed: true, finished: true, inProgress: false };
}

function waiting(secret: KeySecret): RotationStep {
  return { secret, changed: false, finished: false, inProgress: true };
}

function phaseOf(secret: KeySecret): Phase {
  const phase = secret.annotations[phaseAnnotation];
  return phase === 'accepting' || phase === 'retiring' ? phase : 'stable';
}

function withPhase(secret: KeySecret, phase: Phase): KeySecret {
  const { [phaseAnnotation]: _phase, [dueAnnotation]: _due, ...rest } = secret.annotations;
  return { ...secret, annotations: phase === 'stable' ? rest : { ...rest, [phaseAnnotation]: phase } };
}

function withApiKeys(secret: KeySecret, used: string, accepted: readonly string[]): KeySecret {
  const text = apiKeysFile(accepted, linesOfTools(secret));
  return { ...secret, data: { ...secret.data, [API_KEY]: used, [files.apiKeys]: text } };
}

function withRing(secret: KeySecret, ring: readonly string[]): KeySecret {
  return { ...secret, data: { ...secret.data, [files.encryptionKeys]: ring.map((key) => `${key}\n`).join('') } };
}

/**
 * The file with all API keys.
 * @param accepted the keys of the gateway
 * @param tools the lines of the tools
 */
export function apiKeysFile(accepted: readonly string[], tools: readonly string[]): string {
  return [...accepted.map((key) => `${GATEWAY_LINE}${key}`), ...tools].map((line) => `${line}\n`).join('');
}

/** The accepted keys of the gateway, newest first. */
export function acceptedOf(secret: KeySecret): readonly string[] {
  return linesOf(secret.data[files.apiKeys])
    .filter((line) => line.startsWith(GATEWAY_LINE))
    .map((line) => line.slice(GATEWAY_LINE.length));
}

/** The keys of the tools that may restore, which no rotation changes. */
function linesOfTools(secret: KeySecret): readonly string[] {
  return linesOf(secret.data[files.apiKeys]).filter((line) => !line.startsWith(GATEWAY_LINE));
}

/** The lines of a file with keys. */
export function linesOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A new API key, with 256 bits. */
export function newApiKey(): string {
  return `gk-${randomBytes(32).toString('base64url')}`;
}

/** Whether a text has the form of {@link newApiKey}. */
export function isApiKey(text: string): boolean {
  return /^gk-[\w-]{43}$/.test(text);
}

/** 256 bits, in the guardrail's format. */
function newKey(): string {
  return randomBytes(32).toString('base64');
}
