import type { Json } from './json.ts';

/** What the model received in one call, and the call's identifiers. It never contains what the client received. */
export interface Seen {
  readonly time: string;
  readonly call_id: string;
  readonly model: string;
  readonly end_user: string | null;
  /** Whether a guardrail was called before the model. */
  readonly guarded: boolean;
  readonly messages: Json;
  readonly tools: Json;
}

const KEPT = 1000;

/** Records the latest calls of the model, and reports each on one line. */
export class SeenLog {
  readonly #entries: Seen[] = [];
  readonly #print: (line: string) => void;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  add(entry: Seen): void {
    this.#entries.push(entry);
    if (this.#entries.length > KEPT) this.#entries.shift();
    const whose = entry.end_user === null ? '' : ` for end user ${entry.end_user}`;
    const unguarded = entry.guarded ? '' : ' (no guardrail)';
    this.#print(`model ${entry.model}${whose} saw${unguarded}: ${JSON.stringify(entry.messages)}`);
  }

  /** @returns the entries, oldest first. */
  all(): readonly Seen[] {
    return [...this.#entries];
  }
}
