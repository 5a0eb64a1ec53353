/** The memory of the guardrail's container: its limit, its heap and its largest body, each computed from the others. Pure. */
import { DEFAULT_MAX_BODY, heapOf, limitFor, maxBodyOf } from '../../guardrail/guardrail.ts';
import type { Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { bytes, quantityBytes } from './sizes.ts';

const MIB = 2 ** 20;

export interface Memory {
  /** As a quantity; undefined where the instance sets limits without one of memory. */
  readonly limit: string | undefined;
  /** For `NODE_OPTIONS`; undefined without a limit. */
  readonly nodeOptions: string | undefined;
  /** What the instance asks for, or as much of it as fits into its own limit; in bytes. */
  readonly maxBody: number;
}

/** @param spec the guardrail as asked for, with the CRD's defaults filled in or not */
export function memoryOf(spec: Guardrail): Memory {
  const asked = spec.maxBody === undefined ? DEFAULT_MAX_BODY : bytes(spec.maxBody);
  const limits = spec.resources?.limits;
  if (limits === undefined) {
    const limit = limitFor(asked);
    return { limit: `${limit / MIB}Mi`, nodeOptions: nodeOptions(limit), maxBody: asked };
  }
  const given = limits.memory;
  const limit = given === undefined ? undefined : quantityBytes(String(given));
  return {
    limit: given === undefined ? undefined : String(given),
    nodeOptions: limit === undefined ? undefined : nodeOptions(limit),
    maxBody: limit === undefined ? asked : Math.min(asked, maxBodyOf(limit)),
  };
}

/** The young generation is kept small: what a call leaves behind there counts as much as what it needs. */
function nodeOptions(limit: number): string {
  return `--max-old-space-size=${Math.floor(heapOf(limit) / MIB)} --max-semi-space-size=8`;
}
