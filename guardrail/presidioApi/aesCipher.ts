/** AES in CBC mode as Presidio writes it: the initialization vector and the ciphertext, in URL-safe Base64 with padding. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const BLOCK = 16;

/** Whether a key has 128, 192 or 256 bits. */
export function isKey(key: Buffer): boolean {
  return [16, 24, 32].includes(key.length);
}

export function encrypt(key: Buffer, text: string): string {
  const vector = randomBytes(BLOCK);
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, vector);
  const bytes = Buffer.concat([vector, cipher.update(text, 'utf8'), cipher.final()]);
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

/** @returns undefined if the text was not encrypted with this key */
export function decrypt(key: Buffer, text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64');
  try {
    const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, bytes.subarray(0, BLOCK));
    const plain = Buffer.concat([decipher.update(bytes.subarray(BLOCK)), decipher.final()]);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain);
  } catch {
    return undefined;
  }
}
