import { createHash } from 'node:crypto';
import type { ProxyConfig } from '../api/v1alpha1/v1alpha1.ts';
import { instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';

/** The key of the configuration within its ConfigMap. */
export function configKeyOf({ key }: ProxyConfig): string {
  return key ?? instanceDefaults.proxyConfig.key;
}

/** Digest of a configuration, on the pods that were started with it. */
export function configHashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
