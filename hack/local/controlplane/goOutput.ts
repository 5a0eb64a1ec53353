/** What the go command prints while it works, and what that says about how far it is. Pure. */
import { describePace, type Pace } from '../estimate.ts';

/** Sorts the lines of go's error output into progress and errors. */
export class GoOutput {
  /** Lines of standard output. */
  readonly lines: string[] = [];
  /** Packages whose compilation has begun. */
  packages = 0;
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
    else if (/^[\w.-]+(\/[\w.~-]+)*$/.test(line)) this.packages += 1;
    else this.errors.push(line);
  }
}

/** What happens before anything is compiled. */
export function describeDownload({ modules, toolchain }: GoOutput, atMost: number): string {
  if (modules > 0) return `downloading Go modules (${modules} of at most ${atMost})`;
  return toolchain === '' ? 'reading the Go modules' : `downloading Go ${toolchain}`;
}

/** @param pace of packages: those that were not in Go's build cache when the build began, and how many it has begun */
export function describeBuild(pace: Pace): string {
  const number = (count: number): string => count.toLocaleString('en');
  if (pace.done >= pace.total) return 'linking';
  return `${describePace(pace)} (${number(pace.done)} of ${number(pace.total)} packages)`;
}
