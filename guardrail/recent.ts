/** The results that were computed last, by a name of what they were computed from. Forgets the oldest ones. */
export class Recent<T> {
  private readonly results = new Map<string, T>();
  /** A new iterator would pass over all deleted names at each call: Map keeps their places for a while. */
  private readonly oldest = this.results.keys();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  get(name: string): T | undefined {
    return this.results.get(name);
  }

  set(name: string, result: T): void {
    if (this.results.size >= this.max && !this.results.has(name)) {
      const oldest = this.oldest.next();
      if (oldest.done !== true) this.results.delete(oldest.value);
    }
    this.results.set(name, result);
  }
}
