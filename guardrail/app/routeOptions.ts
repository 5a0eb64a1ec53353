import type { Logger } from 'pino';
import type * as http from '../http/http.ts';
import type { Settings } from '../settings/settings.ts';
import type { Components } from './components.ts';

/** What the routes of one API are made of. */
export interface ApiOptions {
  readonly settings: Settings;
  readonly components: Components;
  readonly metrics: http.Metrics;
  readonly logger: Logger;
}

/** What all routes are made of. */
export interface RouteOptions extends ApiOptions {
  readonly admission: http.Admission;
}
