import { createHash, hash, randomBytes } from 'node:crypto';

/** Only the memory of this process has the key. Without the key, nobody can compare a digest with those of guessed texts. */
const KEY = randomBytes(32).toString('base64');

/**
 * The name of a text in the caches of this process, which keep no text and no id of a person. A plain hash with a key in
 * front is enough, and faster than HMAC: no digest leaves the process, so nobody can extend one.
 * @param text well-formed; UTF-8 writes all lone surrogates alike
 */
export function processDigest(text: string): string {
  return hash('sha256', KEY + text, 'base64');
}

/**
 * Creates a function that returns the digest of the beginning of a text up to a place. The places of its calls ascend, and
 * split no surrogate pair, so that the text is read once.
 * @param text well-formed
 */
export function beginningDigests(text: string): (place: number) => string {
  const running = createHash('sha256').update(KEY);
  let from = 0;
  return (place) => {
    running.update(text.slice(from, place));
    from = place;
    return running.copy().digest('base64');
  };
}
