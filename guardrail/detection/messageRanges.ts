/** The texts of one message among those of a call: `texts.slice(from, to)`. */
export interface MessageRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Groups the texts of a call by their messages.
 * @param count the number of texts
 * @param messages the number of the message of each text, in ascending order; undefined: all texts are of one message
 */
export function messageRangesOf(count: number, messages: readonly number[] | undefined): readonly MessageRange[] {
  if (!messages) return [{ from: 0, to: count }];
  const ranges: MessageRange[] = [];
  for (let from = 0; from < count;) {
    let to = from + 1;
    while (to < count && messages[to] === messages[from]) to++;
    ranges.push({ from, to });
    from = to;
  }
  return ranges;
}
