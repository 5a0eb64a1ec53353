/**
 * Invisible characters: control and format characters, characters for private use, all spaces but U+0020, and others that
 * are shown as nothing or as a blank. The rule of `spec.customerId` in the CRD is the same.
 */
const invisible =
  // oxlint-disable-next-line no-misleading-character-class -- Each combining character is meant alone.
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2065\u2800\u3164\uFFA0\uFE00-\uFE0F\uFFF0-\uFFF8\u{E0000}-\u{E0FFF}]/u;

/**
 * Whether a customer id contains invisible characters. Two ids that look the same are then different customers: the limits and
 * the block of the one do not apply to the other.
 */
export function hasInvisibleCharacters(customerId: string): boolean {
  return invisible.test(customerId);
}
