/** Instances of the kernel: see {@link file://./kernel/kernel.ts}. */
import { readFileSync } from 'node:fs';

/** An address that changes when memory is divided anew. */
interface Address {
  readonly value: number;
}

/** What the kernel exports. */
export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** The most code units and the most tokens for which the arrays have room. */
  readonly capacity: Address;
  readonly automatonAt: Address;
  readonly classesAt: Address;
  readonly kindsAt: Address;
  readonly foldedAt: Address;
  readonly featuresAt: Address;
  readonly endsAt: Address;
  readonly sumsAt: Address;
  readonly rowsAt: Address;
  readonly gazetteerAt: Address;
  readonly firstWordsAt: Address;
  readonly spanKindAt: Address;
  readonly namesAt: Address;
  readonly spanRowsAt: Address;
  readonly spanFirstAt: Address;
  readonly spanLastAt: Address;
  readonly spanStepAt: Address;
  readonly spanKnownAt: Address;
  readonly textAt: Address;
  readonly startAt: Address;
  readonly endAt: Address;
  readonly wordAt: Address;
  readonly shapeAt: Address;
  readonly gapAt: Address;
  readonly lineCaseAt: Address;
  readonly knownAt: Address;
  readonly labelAt: Address;
  readonly scoresAt: Address;
  reserveTagger(slots: number, rows: number, words: number, confident: number): void;
  reserveAutomaton(size: number): void;
  reserveClassifier(rows: number): void;
  reserveNames(count: number): void;
  reserveText(length: number): number;
  scan(length: number): number;
  readTokens(length: number): number;
  flagsOfWord(word: number): number;
  flagsOfName(name: number): number;
  indexNames(): void;
  knownName(first: number, last: number, count: number): number;
  setKnown(token: number, known: number): void;
  wordFeatures(token: number, known: number): void;
  pairFeatures(token: number, count: number, to: number): void;
  sumFeatures(count: number): void;
  readSpans(tokens: number, spans: number, size: number, marks: number, words: number): void;
  spanFeatures(span: number): number;
  setTransition(gap: number, before: number, label: number, score: number): void;
  setSpread(most: number): void;
  decode(from: number, to: number, count: number): void;
  label(count: number): void;
}

/** What Node has and its types lack. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

const module = new WebAssembly.Module(readFileSync(new URL('./kernel/kernel.wasm', import.meta.url)));

/** An instance without tables: the tagger and the classifier reserve their own. */
export const createKernel = (): Kernel => new WebAssembly.Instance(module).exports as Kernel;

/** Views of what the kernel reads and writes. They are lost when its memory grows. */
export const bytesAt = ({ memory }: Kernel, { value }: Address, length: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(memory.buffer, value, length);
export const numbersAt = ({ memory }: Kernel, { value }: Address, length: number): Int32Array<ArrayBuffer> =>
  new Int32Array(memory.buffer, value, length);
export const halvesAt = ({ memory }: Kernel, { value }: Address, length: number): Int16Array<ArrayBuffer> =>
  new Int16Array(memory.buffer, value, length);

/** A text in the memory of a kernel, and what the kernel writes about it. The next text overwrites both. */
export class KernelText {
  /** Where each token begins and ends; of an automaton, the places where words may end, and the states there. */
  start = new Int32Array();
  end = new Int32Array();
  readonly kernel: Kernel;
  private units = Buffer.alloc(0);

  /** @param kernel one whose tables have their places. */
  constructor(kernel: Kernel) {
    this.kernel = kernel;
  }

  write(text: string): void {
    if (this.kernel.reserveText(text.length) !== 0) this.view(this.kernel.capacity.value);
    this.units.write(text, 'utf16le');
  }

  /** Finds the arrays again, after the memory is divided for longer texts. */
  protected view(capacity: number): void {
    const { kernel } = this;
    this.units = Buffer.from(kernel.memory.buffer, kernel.textAt.value, 2 * capacity);
    this.start = numbersAt(kernel, kernel.startAt, capacity);
    this.end = numbersAt(kernel, kernel.endAt, capacity);
  }
}
