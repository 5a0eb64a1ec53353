interface SecretData {
  readonly data?: Readonly<Record<string, string>>;
}

/** All values of a Secret, as text. */
export function secretValues({ data }: SecretData): Record<string, string> {
  return Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [key, decode(value)]));
}

/** One value of a Secret, trimmed; undefined if the value is missing or empty. */
export function secretValue(secret: SecretData, key: string): string | undefined {
  const value = decode(secret.data?.[key] ?? '').trim();
  return value === '' ? undefined : value;
}

/** Encodes texts for the `data` of a Secret. */
export function encodedSecretData(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
}

function decode(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8');
}
