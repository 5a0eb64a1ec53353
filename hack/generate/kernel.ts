/** Compiles the kernels of the detector: the inner loops of its models. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The paths of the modules in the project. */
export const KERNEL_PATHS = [
  'guardrail/detection/kernel/kernel.wasm',
  'guardrail/detection/kernel/network.wasm',
] as const;

// The runtime without a collector: the kernel divides its memory itself, and begins with pages for what has a fixed size.
const OPTIONS = ['-O3', '--runtime', 'stub', '--initialMemory', '4', '--enable', 'simd', '--noAssert'];

/**
 * Compiles a kernel. The same sources and the same compiler give the same bytes.
 * @param root of the project.
 * @param path one of {@link KERNEL_PATHS}: its source has the same name.
 * @throws Error with the messages of the compiler.
 */
export function buildKernel(root: string, path: (typeof KERNEL_PATHS)[number]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'));
  try {
    const asc = join(root, 'node_modules/assemblyscript/bin/asc.js');
    const outFile = join(folder, 'kernel.wasm');
    execFileSync(process.execPath, [asc, path.replace(/wasm$/, 'ts'), '--outFile', outFile, ...OPTIONS], { cwd: root });
    return readFileSync(outFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
