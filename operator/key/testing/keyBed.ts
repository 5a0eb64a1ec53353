/** For tests: what a key is at its gateway and in its Secret. */
import { expect } from 'chai';
import { keys } from '../../api/kinds.ts';
import type { GatewayKey } from '../../api/v1alpha1/v1alpha1.ts';
import type { KubectlUser } from '../../customer/testing/testOperator.ts';
import type { GatewayClient, KeyRow } from '../../gateway/gateway.ts';
import { keyHashOf } from '../secret.ts';

/** Reads the keys of one user. */
export class KeyBed {
  readonly #user: () => KubectlUser;
  readonly #admin: () => GatewayClient;
  #requests = 0;

  constructor(user: () => KubectlUser, admin: () => GatewayClient) {
    this.#user = user;
    this.#admin = admin;
  }

  /** The value in the Secret of a key; undefined if there is none. */
  async valueOf(name: string): Promise<string | undefined> {
    const encoded = (await this.#user().readSecret(name))?.data?.['api-key'];
    return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString();
  }

  /** The keys that the gateway has for a resource, the newest first. */
  async rowsOf({ status }: GatewayKey): Promise<readonly KeyRow[]> {
    return await this.#admin().keyList(`gkey-${status?.keyId ?? ''}`);
  }

  /** Checks that the gateway has exactly one key for a resource, and that it is in the Secret. @returns its row */
  async onlyRowOf(key: GatewayKey): Promise<KeyRow> {
    const rows = await this.rowsOf(key);
    const value = (await this.valueOf(key.metadata.name)) ?? '';
    expect(rows.map(({ token }) => token)).to.deep.equal([keyHashOf(value)]);
    const [row] = rows;
    if (row === undefined) throw new Error('The gateway has no key.');
    return row;
  }

  /** Requests a sync, and waits until it is done. */
  async syncNow(name: string): Promise<GatewayKey> {
    const token = String((this.#requests += 1));
    await this.#user().annotate(name, 'syncRequested', token, keys.plural);
    return await this.#user().untilKey(name, ({ status }) => status?.lastHandledSyncRequest === token);
  }
}
