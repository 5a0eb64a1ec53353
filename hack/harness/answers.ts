import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';

/** Whether an address answers a GET with success within two seconds. As for a kubelet, any certificate will do. */
export async function answers(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(2_000);
  try {
    if (url.startsWith('https:')) {
      const sent = request(url, { signal, rejectUnauthorized: false, agent: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.destroy();
      return response.statusCode === 200;
    }
    const response = await fetch(url, { signal });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
