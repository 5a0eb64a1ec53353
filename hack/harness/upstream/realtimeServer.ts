import type { Server } from 'node:http';
import { WebSocketServer } from 'ws';
import type { JsonObject } from '../gateway/gateway.ts';

const REALTIME_PATH = /^(\/v1)?\/realtime(\?|$)/;

/** The text of the last item that the client added to the conversation. */
function textOf(event: JsonObject): string {
  const [part] = ((event.item as JsonObject | undefined)?.content ?? []) as JsonObject[];
  return typeof part?.text === 'string' ? part.text : '';
}

/** The answers of the model in a conversation. It repeats the last text. */
function* answer(input: string): Iterable<JsonObject> {
  const at = { response_id: 'resp_1', item_id: 'item_1', output_index: 0, content_index: 0 };
  const text = `You said: ${input}`;
  yield { type: 'response.created', response: { id: 'resp_1', object: 'realtime.response', status: 'in_progress' } };
  yield { type: 'response.output_text.delta', ...at, delta: text };
  yield { type: 'response.output_text.done', ...at, text };
  const item = { id: 'item_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
  yield {
    type: 'response.done',
    response: { id: 'resp_1', object: 'realtime.response', status: 'completed', output: [item] },
  };
}

/**
 * Serves OpenAI's realtime protocol, for text only, on the WebSockets of a server.
 * @param remember called with each event of a client
 */
export function serveRealtime(server: Server, remember: (event: string) => void): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (!REALTIME_PATH.test(request.url ?? '')) {
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      let lastText = '';
      let count = 0;
      const send = (event: JsonObject): void => {
        client.send(JSON.stringify({ event_id: `event_${(count += 1)}`, ...event }));
      };
      const session = { id: 'sess_1', object: 'realtime.session', type: 'realtime', model: 'fake' };
      send({ type: 'session.created', session });
      client.on('message', (data) => {
        const text = (data as Buffer).toString('utf8');
        remember(text);
        const event = JSON.parse(text) as JsonObject;
        if (event.type === 'session.update') send({ type: 'session.updated', session });
        if (event.type === 'conversation.item.create') {
          lastText = textOf(event);
          send({ type: 'conversation.item.added', item: event.item ?? null });
        }
        if (event.type === 'response.create') for (const part of answer(lastText)) send(part);
      });
    });
  });
  return sockets;
}
