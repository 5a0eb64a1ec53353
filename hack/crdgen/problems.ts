/** Something in the types that the CRD could not say, or the API server would silently forget. */
export interface Problem {
  /** The source file, relative to the working directory, with the line. */
  readonly file: string;
  /** The field as people know it, such as `spec.models[]`. */
  readonly field: string;
  /** What is wrong, and what to write instead. */
  readonly reason: string;
}

/** The types cannot be turned into CRDs without a loss. Nothing has been written. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ file, field, reason }) => `${file}: ${field}: ${reason}`).join('\n'));
    this.problems = problems;
  }
}
