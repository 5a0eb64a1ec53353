/** For tests: a guardrail pod that can be made to fail. */
import { createServer, type Server } from 'node:http';
import { listen } from '../../../hack/harness/gateway/listen.ts';

export interface GuardrailPod {
  readonly url: string;
  /** The status of its next responses. */
  status: number;
  /** The end users whose sessions were erased. */
  readonly erased: string[];
  stop(): Promise<void>;
}

/** Starts a server that responds like a guardrail. */
export async function startGuardrailPod(): Promise<GuardrailPod> {
  const erased: string[] = [];
  const server: Server = createServer((incoming, outgoing) => {
    incoming.setEncoding('utf8').once('data', (text: string) => {
      const ours = incoming.url === '/subjects/erase' && incoming.headers['x-api-key'] === 'gk-1';
      if (ours && pod.status === 200) erased.push((JSON.parse(text) as { end_user_id: string }).end_user_id);
      outgoing.writeHead(ours ? pod.status : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const { url, stop } = await listen(server);
  const pod: GuardrailPod = {
    url,
    status: 200,
    erased,
    stop,
  };
  return pod;
}
