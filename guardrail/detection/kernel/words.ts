/**
 * The scores of words, in a cache: a frequent word costs additions only. A word is in one of the two slots of its pair, and two
 * hashes identify it.
 */
import {
  endsAt,
  exact2At,
  exactAt,
  featuresAt,
  keysAt,
  LINE,
  recentAt,
  SLOT,
  slotKnownAt,
  slotOfAt,
  slots,
  slotSumsAt,
  SUM,
  wordAt,
} from './memory';
import { wordFeatures } from './features';
import { firstEntry, flagsOfWord } from './gazetteer';
import { mostWordScore, offsets } from './numbers';
import { scoresOf } from './rows';

function pairOf(exact: i32): i32 {
  return (exact ^ (exact >>> 15)) & ((slots >> 1) - 1);
}

/** What {@link prefetch} has read. It keeps compilers from removing the accesses. */
export let read: i32 = 0;

/**
 * Reads what {@link slotOf} and the sums of the tokens from `from` to `to` will need. The processor loads the memory of many
 * tokens concurrently here, and that of one token after the other where it has to compute in between.
 */
export function prefetch(from: i32, to: i32): void {
  let sum = 0;
  for (let token = from; token < to; token++) {
    const exact = load<i32>(exactAt + 4 * token);
    const pair = pairOf(exact);
    const key = keysAt + 16 * pair;
    const slot = load<i32>(key) == exact ? 2 * pair : load<i32>(key, 8) == exact ? 2 * pair + 1 : -1;
    if (slot < 0) {
      sum ^= firstEntry(load<i32>(wordAt + 4 * token));
      continue;
    }
    const sums = slotSumsAt + slot * SLOT;
    sum ^= load<i32>(sums) ^ load<i32>(sums, LINE);
  }
  read = sum;
}

/** Finds or fills the slot of a token. Does not replace a slot that one of the four tokens before it uses. */
export function slotOf(token: i32): i32 {
  const exact = load<i32>(exactAt + 4 * token);
  const exact2 = load<i32>(exact2At + 4 * token);
  const pair = pairOf(exact);
  const key = keysAt + 16 * pair;
  const recent = recentAt + pair;
  if (load<i32>(key) == exact && load<i32>(key, 4) == exact2) {
    store<u8>(recent, 0);
    return 2 * pair;
  }
  if (load<i32>(key, 8) == exact && load<i32>(key, 12) == exact2) {
    store<u8>(recent, 1);
    return 2 * pair + 1;
  }
  let slot = 2 * pair + 1 - <i32>load<u8>(recent);
  while (isNeeded(slot, token)) slot = (slot + 1) & (slots - 1);
  store<u8>(recentAt + (slot >> 1), slot & 1);
  store<i32>(keysAt + 8 * slot, exact);
  store<i32>(keysAt + 8 * slot, exact2, 4);
  fill(slot, token);
  return slot;
}

function fill(slot: i32, token: i32): void {
  const known = flagsOfWord(load<i32>(wordAt + 4 * token));
  store<u8>(slotKnownAt + slot, known);
  wordFeatures(token, known);
  const least = i16x8.splat(<i16>-mostWordScore);
  const most = i16x8.splat(<i16>mostWordScore);
  const to = slotSumsAt + slot * SLOT;
  let from = featuresAt;
  for (let offset = 0; offset < offsets; offset++) {
    const end = featuresAt + 4 * load<i32>(endsAt + 4 * offset);
    v128.store(to + offset * SUM, i16x8.max_s(least, i16x8.min_s(most, scoresOf(from, end))));
    from = end;
  }
}

/** Whether one of the four tokens before a token uses the slot. That of token `n` is at `n + 2`. */
function isNeeded(slot: i32, token: i32): bool {
  const at = slotOfAt + 4 * token;
  return (
    load<i32>(at, 4) == slot ||
    load<i32>(at) == slot ||
    (token > 0 && load<i32>(at - 4) == slot) ||
    (token > 1 && load<i32>(at - 8) == slot)
  );
}
