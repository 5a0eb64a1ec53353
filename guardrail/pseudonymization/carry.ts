import { createCipheriv, createDecipheriv, createHmac, randomBytes, type KeyObject } from 'node:crypto';
import type { SessionId } from '../ids.ts';
import type { TextKind } from '../messages/messages.ts';
import type { SavedAnswer } from './answerStream.ts';
import { MAX_CARRY } from './contract.ts';
import { InvalidCarryError } from './errors.ts';

/** Seals the state of a text that the caller keeps between two pieces. */
export interface CarrySeal {
  close(state: SavedAnswer): string;
  /** @throws InvalidCarryError */
  open(carry: string): SavedAnswer;
}

/** Increase it with each change of {@link SavedAnswer}: replicas of two versions may serve one stream. */
const VERSION = 3;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates the seal of the texts of one kind in one session: AES-256-GCM, as `version | nonce | ciphertext | tag` in
 * base64url. The state contains the end of the restored text, which may be a value, and what the rules for addresses and
 * guesses have read so far. Therefore the caller can neither read nor change it.
 */
export function createCarrySeal(sessionKey: KeyObject, session: SessionId, kind: TextKind): CarrySeal {
  const key = createHmac('sha256', sessionKey)
    .update(JSON.stringify(['carry', VERSION, session, kind]))
    .digest();
  return {
    close(state) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const content = [cipher.update(JSON.stringify(state)), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat([Buffer.of(VERSION), nonce, ...content]).toString('base64url');
    },

    open(carry) {
      const sealed = Buffer.from(carry.length <= MAX_CARRY ? carry : '', 'base64url');
      const [from, to] = [1 + NONCE_BYTES, sealed.length - TAG_BYTES];
      if (sealed[0] !== VERSION || to <= from) throw new InvalidCarryError();
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, from), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(sealed.subarray(to));
      const content = decipher.update(sealed.subarray(from, to));
      try {
        decipher.final();
      } catch {
        throw new InvalidCarryError();
      }
      return JSON.parse(content.toString()) as SavedAnswer;
    },
  };
}
