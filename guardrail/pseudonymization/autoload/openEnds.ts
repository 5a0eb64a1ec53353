import { Level, type SavedLevel } from './level.ts';

/** Maximum number of different states. Beyond it, everything that follows counts as an address. */
const MAX_ENDS = 16;

/** The states in which texts of an answer leave what a client joins to them: an address that is open, or has begun. */
export class OpenEnds {
  /** As JSON: readers change their state in place. */
  private readonly states: Set<string>;
  private flooded: boolean;

  constructor(earlier?: OpenEnds) {
    this.states = new Set(earlier?.states);
    this.flooded = earlier?.flooded ?? false;
  }

  get isFlooded(): boolean {
    return this.flooded;
  }

  get isEmpty(): boolean {
    return this.states.size === 0 && !this.flooded;
  }

  flood(): void {
    this.flooded = true;
  }

  /** Adds the state at the end of a text. Some clients join texts by a new line. */
  add(level: Level): void {
    this.addState(stateOf(level));
    if (level.needsLine) this.addState(stateOf(level.after('\n')));
  }

  addAll({ states, flooded }: OpenEnds): void {
    if (flooded) this.flood();
    for (const state of states) this.addState(state);
  }

  /** Readers that continue from each state. */
  levels(): Level[] {
    return Array.from(this.states, levelOf);
  }

  private addState(state: string): void {
    if (this.states.size >= MAX_ENDS && !this.states.has(state)) this.flood();
    else this.states.add(state);
  }
}

const levelOf = (state: string): Level => new Level(JSON.parse(state) as SavedLevel);
const stateOf = (level: Level): string => JSON.stringify(level.saveOpen());
