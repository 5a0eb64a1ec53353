import type { Random } from './random.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Values that replace others. */
const ODDITIES: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  [],
  {},
  [[]],
  [null],
  { '': '' },
  { constructor: { prototype: {} } },
];

/** Makes a valid body invalid or odd in one to three places. The same random values give the same bytes. Pure. */
export function mutate(body: unknown, random: Random): Buffer {
  const copy = structuredClone(body) as Json;
  const times = 1 + random.int(3);
  for (let n = 0; n < times; n += 1) mutateValue(copy, random);
  const text = JSON.stringify(copy);
  return random.int(3) === 0 ? mutateBytes(Buffer.from(text), random) : Buffer.from(mutateText(text, random));
}

/** Changes one place of a value in place. */
function mutateValue(root: Json, random: Random): void {
  const places: { parent: Json[] | Record<string, Json>; name: string }[] = [];
  const visit = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, child] of Object.entries(value)) {
      places.push({ parent: value, name });
      visit(child);
    }
  };
  visit(root);
  if (places.length === 0) return;
  const { parent, name } = random.pick(places);
  const members = parent as Record<string, Json>;
  const change = random.int(6);
  if (change === 0) Reflect.deleteProperty(members, name);
  else if (change === 1) members[name] = nested(members[name] ?? null, 1 + random.int(200));
  else if (change === 2) members[name] = 'x'.repeat(random.int(20_000));
  else if (change === 3)
    members[name] = Array.from({ length: random.int(300) }, () => structuredClone(members[name] ?? null));
  else if (change === 4)
    addOwn(parent, random.pick(['__proto__', 'toString', 'constructor', '\u0000', 'é']), members[name] ?? null);
  else members[name] = structuredClone(random.pick(ODDITIES));
}

/** Sets a member, also `__proto__`, as an own property. Lists have no such members in JSON. */
function addOwn(parent: Json[] | Record<string, Json>, name: string, value: Json): void {
  if (!Array.isArray(parent))
    Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
}

function nested(value: Json, depth: number): Json {
  let whole = value;
  for (let level = 0; level < depth; level += 1) whole = level % 2 === 0 ? [whole] : { x: whole };
  return whole;
}

/** Adds what JSON.stringify does not write: repeated members, huge numbers, odd white space, a second value. */
function mutateText(text: string, random: Random): string {
  switch (random.int(8)) {
    case 0:
      return text.replace('{', `{"__proto__":{"x":1},`);
    case 1:
      return text.replace('{', `{"input_type":"response",`);
    case 2:
      return `${text}${text}`;
    case 3:
      return `\ufeff${text}`;
    case 4:
      return text.replace(/:("[^"]*")/, ':1e9999');
    case 5:
      return text.replace(/"([a-z_]+)":/, '"\\u0000$1":');
    default:
      return text;
  }
}

/** Breaks the encoding by cut, flipped, inserted or repeated bytes. */
function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.int(Math.max(1, bytes.length));
  switch (random.int(4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1: {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << random.int(8));
      return flipped;
    }
    case 2:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([0xc3, 0x28, 0xff, 0xed, 0xa0, 0x80]),
        bytes.subarray(at),
      ]);
    default:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at >> 1)]);
  }
}
