import { homedir } from 'node:os';
import { join } from 'node:path';

/** The project's cache on this machine. */
export const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'gateway-guardrail-operator');
