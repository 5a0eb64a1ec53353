/** A call by HTTP, as the steps around it see it: its log line, its metrics, its audit event. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { CallScope, CallState } from './context.ts';

/**
 * What Koa's context would tell, without the objects that Koa makes and keeps for each call: an open stream would hold
 * them for minutes.
 */
export class HttpCall implements CallScope {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  // The request id and the log follow in a step.
  readonly state: CallState = { requestId: '', log: {} };
  /** The headers of the answer that are the guardrail's, by their names in lower case. */
  readonly headers: OutgoingHttpHeaders = {};

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.req = request;
    this.res = response;
    this.method = request.method ?? '';
  }

  get status(): number {
    return this.res.statusCode;
  }

  set status(status: number) {
    this.res.statusCode = status;
  }

  get(name: string): string {
    const value = this.req.headers[name.toLowerCase()];
    return typeof value === 'string' ? value : '';
  }

  set(name: string, value: string): void {
    this.headers[name.toLowerCase()] = value;
  }
}
