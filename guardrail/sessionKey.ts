const MIN_CHARACTERS = 32;

/**
 * The bytes of a session key.
 * @throws Error that completes the sentence "<name> …", and does not repeat the text
 */
export function sessionKey(text: string): Buffer {
  const key = Buffer.from(text.trim(), 'utf8');
  if (key.length < MIN_CHARACTERS) {
    throw new Error(`must have at least ${MIN_CHARACTERS} characters: generate one with \`openssl rand -hex 32\``);
  }
  return key;
}
