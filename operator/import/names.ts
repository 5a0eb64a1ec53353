/** The names of imported resources. Pure. */
import { createHash } from 'node:crypto';

/** A name of a resource: an RFC 1123 subdomain, in the length of a label. */
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;
const MAX_LENGTH = 63;
const HASH_LENGTH = 10;
/** The end of a derived name. An id that ends like this gets a derived name too, so that the two kinds never meet. */
const DERIVED = new RegExp(`(^|-)[0-9a-f]{${HASH_LENGTH}}$`);

/**
 * The name of the resource for an id: the id itself if it is a valid name, otherwise what is readable of it and a hash.
 * The same id always has the same name.
 * @param instance namespace and name of the instance, which the hash includes
 * @param isTaken whether a resource in the cluster has a name
 */
export function resourceName(id: string, instance: string, isTaken: (name: string) => boolean = () => false): string {
  const isName = id.length <= MAX_LENGTH && NAME.test(id) && !DERIVED.test(id);
  if (isName && !isTaken(id)) return id;
  const hash = createHash('sha256').update(`${instance}\n${id}`).digest('hex').slice(0, HASH_LENGTH);
  const readable = id
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH - HASH_LENGTH - 1)
    .replace(/^-+|-+$/g, '');
  return readable === '' ? `id-${hash}` : `${readable}-${hash}`;
}
