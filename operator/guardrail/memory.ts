/**
 * The memory of the guardrail's container: its limit, its heap and its largest body, computed from each other. Pure.
 */
import { DEFAULT_MAX_BODY, heapOf, limitFor, maxBodyOf } from '../../guardrail/guardrail.ts';
import { instanceDefaults, type Guardrail } from '../api/v1alpha1/v1alpha1.ts';

const MIB = 2 ** 20;

export interface Memory {
  /** A quantity; undefined if the instance sets limits without a memory limit. */
  readonly limit: string | undefined;
  /** For `NODE_OPTIONS`; undefined without a limit. */
  readonly nodeOptions: string | undefined;
  /** The requested size in bytes, or less if the memory limit of the instance is too small for it. */
  readonly maxBody: number;
}

/** @param spec the requested guardrail, with or without the CRD's defaults */
export function memoryOf(spec: Guardrail): Memory {
  const requested = spec.maxBody === undefined ? DEFAULT_MAX_BODY : bytes(spec.maxBody);
  const readsImages = mayRedactImages(spec);
  const limits = spec.resources?.limits;
  if (limits === undefined) {
    const limit = limitFor(requested, readsImages);
    return { limit: `${limit / MIB}Mi`, nodeOptions: nodeOptions(limit, readsImages), maxBody: requested };
  }
  const given = limits.memory;
  const limit = given === undefined ? undefined : quantityBytes(String(given));
  return {
    limit: given === undefined ? undefined : String(given),
    nodeOptions: limit === undefined ? undefined : nodeOptions(limit, readsImages),
    maxBody: limit === undefined ? requested : Math.min(requested, maxBodyOf(limit, readsImages)),
  };
}

/** A policy can redact images that the settings refuse or forward. */
function mayRedactImages({ images = instanceDefaults.guardrail.images, policy, policyRef }: Guardrail): boolean {
  return images === 'Redact' || policy !== undefined || policyRef !== undefined;
}

/** A small young generation: garbage in it needs as much memory as live objects. */
function nodeOptions(limit: number, readsImages: boolean): string {
  return `--max-old-space-size=${Math.floor(heapOf(limit, readsImages) / MIB)} --max-semi-space-size=8`;
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/**
 * The bytes of a size such as `10Mi`.
 * @throws RangeError if the text is not a size
 */
export function bytes(size: string): number {
  const [, number, unit = ''] = /^(\d+)(Ki|Mi)?$/.exec(size) ?? [];
  if (number === undefined) throw new RangeError(`${size} is not a size. Use a format such as 10Mi.`);
  return Number(number) * (UNITS[unit] ?? 1);
}

/** The bytes of a Kubernetes quantity; undefined if it has a unit that memory limits do not have. */
export function quantityBytes(quantity: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?(?:[eE]\d+)?)([kMGT]|[KMGT]i)?$/.exec(quantity) ?? [];
  return number === undefined ? undefined : Math.floor(Number(number) * (UNITS[unit] ?? 1));
}
