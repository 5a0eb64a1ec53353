/**
 * Every error that the proxy adds to those of the service: its stable code, its status and its message. The room
 * `bodies` writes them in the format of the API that was called.
 */
const PROBLEMS = {
  invalid_target: {
    status: 400,
    message: 'The request target is ambiguous: send a path without empty or dotted segments.',
  },
  invalid_framing: {
    status: 400,
    message: 'The request has no clear length: send Content-Length, or Transfer-Encoding: chunked.',
  },
  unexpected_body: { status: 400, message: 'A request with this method must not have a body.' },
  guardrail_blocked: { status: 400, message: 'The request was blocked.' },
  identity_missing: { status: 401, message: 'The request does not identify its caller.' },
  invalid_message: {
    status: 400,
    message: 'The body is not a message of JSON-RPC 2.0, or a list of them, in which each member occurs once.',
  },
  origin_refused: {
    status: 403,
    message: 'The guardrail does not serve web pages of this origin: add it to GUARDRAIL_MCP_ORIGINS.',
  },
  method_refused: { status: 405, message: 'This path takes GET, POST and DELETE.' },
  unknown_route: {
    status: 404,
    message: 'The guardrail does not know this path, and GUARDRAIL_PROXY_UNKNOWN refuses unknown paths.',
  },
  admin_route: {
    status: 404,
    message: 'The guardrail forwards calls of models only: send this request to the gateway itself.',
  },
  upgrade_refused: {
    status: 501,
    message: 'WebSocket connections are refused, because they cannot be checked: send HTTP requests.',
  },
  unsupported_mode: { status: 502, message: 'The hop before the guardrail does not send all of the call.' },
  upstream_failed: { status: 502, message: 'The upstream of the guardrail is unreachable, or ended the connection.' },
  answer_too_large: { status: 502, message: 'The answer of the upstream is larger than the limit of the guardrail.' },
  answer_unreadable: {
    status: 502,
    message: 'The answer of the upstream cannot be read, so that nothing in it can be restored.',
  },
  redirect_refused: {
    status: 502,
    message: 'The upstream redirects this request to another server, where nothing would check it.',
  },
  call_too_long: {
    status: 504,
    message:
      'The call of the tool began more than 10 minutes ago, so that its values cannot be stored: use a tool that answers sooner.',
  },
  upstream_timeout: { status: 504, message: 'The upstream of the guardrail did not answer in time.' },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>;

export type ProxyProblem = keyof typeof PROBLEMS;

/** A call cannot be forwarded, or its answer cannot be relayed. The message contains nothing of the call. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: ProxyProblem;
  readonly status: number;

  /** @param message replaces the message of the table */
  constructor(code: ProxyProblem, message: string = PROBLEMS[code].message) {
    super(message);
    this.code = code;
    this.status = PROBLEMS[code].status;
  }
}

/** The client disconnected: nobody reads an answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}
