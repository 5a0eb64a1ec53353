import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { HttpServers } from './httpServers.ts';

describe('the HTTP servers of the manager', () => {
  const TOKEN = 'Bearer of-prometheus';
  const sources = { ready: {}, metrics: new Registry(), observe: () => undefined };
  const started: HttpServers[] = [];
  afterEach(async () => {
    for (const servers of started.splice(0)) await servers.stop();
  });

  async function start(mayScrape?: (authorization: string | undefined) => boolean): Promise<HttpServers> {
    const servers = new HttpServers(pino({ level: 'silent' }));
    started.push(servers);
    const ports = { host: '127.0.0.1', port: 0, metricsPort: 0 };
    await servers.start({ ...ports, ...(mayScrape && { mayScrape }) }, sources);
    return servers;
  }

  async function status(port: number | undefined, path: string, authorization?: string): Promise<number> {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await fetch(`http://127.0.0.1:${port ?? 0}${path}`, { headers });
    await response.body?.cancel();
    return response.status;
  }

  it('serve metrics to everybody by default', async () => {
    const { metricsPort } = await start();
    expect(await status(metricsPort, '/metrics')).to.equal(200);
  });

  it('serve metrics only to those who may scrape, and probes to everybody', async () => {
    const { httpPort, metricsPort } = await start((authorization) => authorization === TOKEN);
    expect(await status(metricsPort, '/metrics')).to.equal(401);
    expect(await status(metricsPort, '/metrics', 'Bearer of-nobody')).to.equal(401);
    expect(await status(metricsPort, '/metrics', TOKEN)).to.equal(200);
    expect(await status(httpPort, '/healthz')).to.equal(200);
    expect(await status(httpPort, '/readyz')).to.equal(200);
  });
});
