/** Bearer tokens (RFC 6750) of ports that know one token only. */
import { hash, timingSafeEqual } from 'node:crypto';

const MIN_TOKEN_LENGTH = 16;

/** Reads a token. @throws Error that completes the sentence "<setting> …" and does not repeat the token. */
export function parseBearerToken(text: string): string {
  const token = text.trim();
  if (token.length < MIN_TOKEN_LENGTH || /[^\x21-\x7e]/.test(token)) {
    throw new Error(`must contain a token of at least ${MIN_TOKEN_LENGTH} visible ASCII characters`);
  }
  return token;
}

/** Whether a header `Authorization` presents the token. Takes the same time for every token. */
export function presentsBearer(authorization: string | undefined, token: string): boolean {
  const [, presented = ''] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return timingSafeEqual(hash('sha256', presented, 'buffer'), hash('sha256', token, 'buffer'));
}
