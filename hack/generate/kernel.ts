/** Compiles the kernel of the detector. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOURCE = 'guardrail/detection/kernel/kernel.ts';
/** The path of the module in the project. */
export const KERNEL_PATH = 'guardrail/detection/kernel/kernel.wasm';

// The runtime without a collector: the kernel divides its memory itself, and begins with pages for what has a fixed size.
const OPTIONS = ['-O3', '--runtime', 'stub', '--initialMemory', '4', '--enable', 'simd', '--noAssert'];

/**
 * Compiles the kernel. The same sources and the same compiler give the same bytes.
 * @param root of the project.
 * @throws Error with the messages of the compiler.
 */
export function buildKernel(root: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'));
  try {
    const asc = join(root, 'node_modules/assemblyscript/bin/asc.js');
    const outFile = join(folder, 'kernel.wasm');
    execFileSync(process.execPath, [asc, SOURCE, '--outFile', outFile, ...OPTIONS], { cwd: root });
    return readFileSync(outFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
