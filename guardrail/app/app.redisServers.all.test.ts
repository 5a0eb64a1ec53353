import { expect } from 'chai';
import { startRedisCluster, startRedisSentinel, type RedisGroup } from '../../hack/harness/redis.ts';
import { eventually, PLANTED } from '../testing/appHarness.ts';
import { ready, request, response, startReady, storeOf, textOf } from '../testing/appRedisHarness.ts';

describe('the service on Redis with several servers', () => {
  const share = async (group: RedisGroup, users: number): Promise<void> => {
    const [one, two] = await Promise.all([startReady(group.url), startReady(group.url)]);
    try {
      for (let user = 0; user < users; user += 1) {
        const text = `Mail person.${user}@example.org`;
        const sent = textOf(await request(one, `user-${user}`, text));
        expect(textOf(await response(two, `user-${user}`, sent))).to.equal(text);
        expect((await two.call('POST', '/subjects/erase', { end_user_id: `user-${user}` })).body).to.deep.equal({
          erased: 1,
        });
        expect(textOf(await response(one, `user-${user}`, sent))).to.equal(sent);
      }
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  };

  it('shares sessions in a Cluster of three nodes, and erases end users', async function () {
    this.timeout(60_000);
    const cluster = await startRedisCluster();
    try {
      await share(cluster, 30);
      for (const server of cluster.servers) expect((await server.cli('KEYS', '*')).trim()).to.not.equal('');
    } finally {
      await cluster.stop();
    }
  });

  it('returns 502 for the part of a Cluster that is down, serves the other parts, and recovers', async function () {
    this.timeout(60_000);
    const cluster = await startRedisCluster();
    const harness = await startReady(cluster.url);
    try {
      await cluster.servers[2]?.kill();
      const statuses = await Promise.all(
        Array.from({ length: 30 }, async (_, user) => {
          const started = performance.now();
          const { status } = await request(harness, `user-${user}`, `Mail person.${user}@example.org`);
          // The timeout of the store is 1 s and of the call 25 s. All thirty calls run at the same time.
          expect(performance.now() - started).to.be.lessThan(10_000);
          return status;
        }),
      );
      expect([...new Set(statuses)].sort()).to.deep.equal([200, 502]);
      // Ready, because otherwise the calls for the other parts would fail too.
      const partly = await harness.call('GET', '/readyz');
      expect([partly.status, storeOf(partly).up]).to.deep.equal([200, true]);
      expect(storeOf(partly).reason).to.match(/^1 of 3 masters of the Redis Cluster are unavailable\. .*\.$/);
      expect(Date.parse(storeOf(partly).since ?? '')).to.be.closeTo(Date.now(), 60_000);
      for (const at of [0, 1]) await cluster.servers[at]?.kill();
      await eventually(async () => !(await ready(harness)));
      for (const at of [0, 1]) await cluster.servers[at]?.restart();
      await cluster.servers[2]?.restart();
      await eventually(async () => storeOf(await harness.call('GET', '/readyz')).reason === undefined, 20_000);
      await Promise.all(
        Array.from({ length: 30 }, (_, user) =>
          eventually(
            async () => (await request(harness, `user-${user}`, `Mail person.${user}@example.org`)).status === 200,
          ),
        ),
      );
    } finally {
      await harness.stop();
      await cluster.stop();
    }
  });

  it('is not ready if the Cluster serves nothing while a part is down', async function () {
    this.timeout(60_000);
    const cluster = await startRedisCluster({ args: ['--cluster-require-full-coverage', 'yes'] });
    const harness = await startReady(cluster.url);
    try {
      await cluster.servers[2]?.kill();
      await eventually(async () => !(await ready(harness)), 20_000);
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, user) => request(harness, `user-${user}`, `Mail person.${user}@example.org`)),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal([502, 502, 502, 502, 502]);
    } finally {
      await harness.stop();
      await cluster.stop();
    }
  });

  it('follows a failover of Sentinel', async function () {
    this.timeout(60_000);
    const group = await startRedisSentinel();
    const harness = await startReady(group.url);
    try {
      const text = `Mail ${PLANTED.email}`;
      const sent = textOf(await request(harness, 'failover', text));
      const [master, replica] = group.servers;
      await eventually(async () => (await replica?.cli('KEYS', '*'))?.includes(':session:') ?? false);
      await master?.kill();
      await eventually(async () => {
        const answer = await response(harness, 'failover', sent);
        return answer.status === 200 && textOf(answer) === text;
      }, 20_000);
      // The new master may close its connections again while Sentinel configures it.
      await eventually(async () => (await request(harness, 'after', text)).status === 200);
    } finally {
      await harness.stop();
      await group.stop();
    }
  });
});
