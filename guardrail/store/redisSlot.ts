/** The number of slots of a Redis Cluster. */
const SLOTS = 16_384;

/**
 * The slot of a key in a Redis Cluster: the CRC-16 (XMODEM) of its hash tag, the part in the first braces.
 * @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#key-distribution-model
 */
export function slotOfKey(key: string): number {
  const tag = /\{([^}]+)\}/.exec(key)?.[1] ?? key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc % SLOTS;
}
