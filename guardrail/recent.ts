/** The results that were computed last, by a name of what they were computed from. Forgets the oldest ones. */
export class Recent<T> {
  private readonly results = new Map<string, T>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  get(name: string): T | undefined {
    return this.results.get(name);
  }

  set(name: string, result: T): void {
    const [oldest] = this.results.size < this.max ? [] : this.results.keys();
    if (oldest !== undefined) this.results.delete(oldest);
    this.results.set(name, result);
  }
}
