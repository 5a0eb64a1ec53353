/**
 * Envoy's external processor: the calls of model APIs that pass an Envoy are checked and restored by the same code as those
 * that pass the inline proxy. Envoy carries them to the upstream and back.
 */
import { createServer } from './server.ts';
import { auditCalls, callMiddleware, describeError, ServiceError, type Listening } from '../http/http.ts';
import { ProxyError, serveCall, type InlineOptions } from '../proxy/proxy.ts';
import { Exchange } from './exchange.ts';
import type { ProcessingRequest } from './messages.ts';
import { modesOf, type Modes } from './modes.ts';
import type { ListenAddress } from './server.ts';
import { ProcessorStream, type ProcessorCall } from './stream.ts';

export type { ListenAddress } from './server.ts';

export interface ExtProc {
  /** @throws Error with one sentence if it cannot listen */
  listen(address: ListenAddress): Promise<Listening>;
  /** Asks Envoy to open its next streams on another connection. */
  goAway(): void;
  /** Ends the calls that still run, each with an error. For calls that have outlived a drain. */
  abort(): void;
}

export type ExtProcOptions = Omit<InlineOptions, 'protocol'>;

export function createExtProc(options: ExtProcOptions): ExtProc {
  const { logger, metrics, audit, maxBody } = options;
  const inline: InlineOptions = { ...options, protocol: 'ext_proc' };
  const running = new Set<ProcessorStream>();
  const run = callMiddleware({ logger, metrics, audit: audit && auditCalls(audit, { protocol: inline.protocol }) });

  async function serve(stream: ProcessorStream, first: ProcessingRequest): Promise<void> {
    const modes = modesOf(first);
    const problem = typeof modes === 'string' ? new ProxyError('unsupported_mode', modes) : undefined;
    const exchange = new Exchange(stream, first.requestHeaders ?? {}, typeof modes === 'string' ? REFUSED : modes);
    const { context } = exchange;
    const call = { context, client: exchange, upstream: exchange, ...(problem && { problem }) };
    await run(context, () => serveCall(call, inline));
    await exchange.finish();
  }

  async function handle(call: ProcessorCall): Promise<void> {
    const stream = new ProcessorStream(call);
    running.add(stream);
    try {
      const first = await stream.next();
      if (first) await serve(stream, first);
      else stream.end();
    } catch (thrown) {
      if (!stream.signal.aborted) logger.error({ error: describeError(thrown) }, 'A call failed unexpectedly.');
      stream.fail();
    } finally {
      running.delete(stream);
    }
  }

  const server = createServer((call) => void handle(call), { maxBody });
  return {
    listen: (address) => server.listen(address),
    goAway: () => {
      server.goAway();
    },
    abort() {
      for (const stream of running) stream.abort(new ServiceError('draining', { waitMs: 0 }));
    },
  };
}

/** The modes of a call that is refused at once. */
const REFUSED: Modes = { request: 'duplex', response: 'duplex' };
