import { gatewayRoutesOf } from '../../gateways/gateways.ts';
import { RESTORE_PATH } from '../routes/restore/restoreRoute.ts';
import { ERASE_SUBJECT_PATH, SESSION_PATH } from '../routes/sessionRoutes.ts';

/** @returns the route of a guarded call, a restore or an erasure, by its pattern or its path; undefined: it is none of them */
export type AuditedPaths = (
  method: string,
  path: string,
) => { readonly route: string; readonly phase: 'restore' | 'erasure' | undefined } | undefined;

/**
 * The calls to the API of the service that are audited. A call that is refused before it has a route is known by its path.
 * @param canRestore whether there is a route for tools
 */
export function auditedPaths(proxyNames: readonly string[], canRestore: boolean): AuditedPaths {
  const guarded = new Map(gatewayRoutesOf(proxyNames).map(({ path }) => [path.toLowerCase(), path]));
  return (method, path) => {
    // As the router compares paths.
    const name = path.toLowerCase().replace(/\/$/, '');
    if (method === 'DELETE' && /^\/sessions\/[^/]+$/.test(name)) return { route: SESSION_PATH, phase: 'erasure' };
    if (method !== 'POST') return undefined;
    if (name === ERASE_SUBJECT_PATH) return { route: ERASE_SUBJECT_PATH, phase: 'erasure' };
    if (canRestore && name === RESTORE_PATH) return { route: RESTORE_PATH, phase: 'restore' };
    const route = guarded.get(name);
    return route === undefined ? undefined : { route, phase: undefined };
  };
}
