/** The names for which an authority can issue certificates of servers (RFC 5280, section 4.2.1.10). Pure. */

/** The object identifier of the extension. */
export const NAME_CONSTRAINTS = '2.5.29.30';

/** The tags of DER. */
const tags = { sequence: 0x30, dnsName: 0x82, ipAddress: 0x87, permitted: 0xa0, excluded: 0xa1 } as const;

/** Addresses and masks, all zero: every address of IPv4 and of IPv6. */
const ALL_ADDRESSES = [8, 32];

/**
 * The value of the extension that permits these DNS names and what is below them, and no address. Names of other forms
 * stay permitted: a client has none that a server's name is compared with.
 */
export function nameConstraints(dnsNames: readonly string[]): Buffer {
  const permitted = dnsNames.map((name) => der(tags.sequence, der(tags.dnsName, Buffer.from(name, 'ascii'))));
  const excluded = ALL_ADDRESSES.map((bytes) => der(tags.sequence, der(tags.ipAddress, Buffer.alloc(bytes))));
  return der(tags.sequence, der(tags.permitted, ...permitted), der(tags.excluded, ...excluded));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content)]), content]);
}

function lengthOf({ length }: Buffer): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
