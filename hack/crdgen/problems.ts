/** A part of the types that a CRD cannot express, or that the API server would silently drop. */
export interface Problem {
  /** The source file, relative to the working directory, with the line. */
  readonly file: string;
  /** The path of the field, such as `spec.models[]`. */
  readonly field: string;
  /** The fault, and its remedy. */
  readonly reason: string;
}

/** The types cannot be converted to CRDs without a loss. Nothing was written. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ file, field, reason }) => `${file}: ${field}: ${reason}`).join('\n'));
    this.problems = problems;
  }
}
