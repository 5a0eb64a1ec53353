/** What the go command prints while it works, and what that says about how far it is. Pure. */
import { describePace } from '../estimate.ts';

/** Sorts the lines of go's error output into progress and errors. */
export class GoOutput {
  /** Lines of standard output. */
  readonly lines: string[] = [];
  /** Paths of the packages whose compilation has begun. */
  readonly packages: string[] = [];
  /** Modules whose download has begun. */
  modules = 0;
  /** The version of the Go that is being downloaded. */
  toolchain = '';
  readonly errors: string[] = [];

  /** Takes in one line of the error output. */
  read(line: string): void {
    const downloading = /^go: downloading (?:go(\d\S*) \(|\S+ v)/.exec(line);
    if (downloading?.[1] !== undefined) this.toolchain = downloading[1];
    else if (downloading) this.modules += 1;
    else if (/^[\w.-]+(\/[\w.~-]+)*$/.test(line)) this.packages.push(line);
    else this.errors.push(line);
  }
}

/** What happens before anything is compiled. */
export function describeDownload({ modules, toolchain }: GoOutput, atMost: number): string {
  if (modules > 0) return `downloading Go modules (${modules} of at most ${atMost})`;
  return toolchain === '' ? 'reading the Go modules' : `downloading Go ${toolchain}`;
}

/**
 * How far a build is, by the size of the sources that are compiled: packages differ too much in size to be counted alone.
 * @param sizes of the packages that were not in Go's build cache when the build began
 */
export function describeBuild(
  compiled: readonly string[],
  sizes: ReadonlyMap<string, number>,
  elapsedMs: number,
): string {
  const number = (count: number): string => count.toLocaleString('en');
  if (compiled.length >= sizes.size) return 'linking';
  const sum = (some: Iterable<number>): number => Iterator.from(some).reduce((total, size) => total + size, 0);
  const done = sum(compiled.map((path) => sizes.get(path) ?? 0));
  const pace = describePace({ done, total: sum(sizes.values()), elapsedMs });
  return `${pace} (${number(compiled.length)} of ${number(sizes.size)} packages)`;
}
