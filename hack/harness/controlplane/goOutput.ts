/** Parses the output of the go command and computes its progress. Pure. */

/** Sorts the lines of go's error output into progress and errors. */
export class GoOutput {
  /** Lines of standard output. */
  readonly lines: string[] = [];
  /** Paths of the packages whose compilation has started. */
  readonly packages: string[] = [];
  /** Modules whose download has started. */
  modules = 0;
  /** The version of Go that is being downloaded. */
  toolchain = '';
  readonly errors: string[] = [];

  /** Adds one line of the error output. */
  read(line: string): void {
    const downloading = /^go: downloading (?:go(\d\S*) \(|\S+ v)/.exec(line);
    if (downloading?.[1] !== undefined) this.toolchain = downloading[1];
    else if (downloading) this.modules += 1;
    else if (/^[\w.-]+(\/[\w.~-]+)*$/.test(line)) this.packages.push(line);
    else this.errors.push(line);
  }
}

/** The progress before the compilation. */
export function describeDownload({ modules, toolchain }: GoOutput, atMost: number): string {
  if (modules > 0) return `downloading Go modules (${modules} of at most ${atMost})`;
  return toolchain === '' ? 'reading the Go modules' : `downloading Go ${toolchain}`;
}

/** The progress of a build. `all` are the packages that were not in Go's build cache when it started. */
export function describeBuild(compiled: readonly string[], all: ReadonlySet<string>): string {
  const number = (count: number): string => count.toLocaleString('en');
  return compiled.length >= all.size ? 'linking' : `${number(compiled.length)} of ${number(all.size)} packages`;
}
