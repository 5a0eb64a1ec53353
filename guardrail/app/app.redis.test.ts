import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { startRedis, type RedisServer } from '../../hack/harness/redis.ts';
import { ENCRYPTION_KEY, eventually, PLANTED, startHarness } from '../testing/appHarness.ts';
import { ready, request, response, startReady, storeOf, textOf, type Body } from '../testing/appRedisHarness.ts';
import { withRedis } from '../testing/redis.ts';

/** A TCP proxy in front of Redis that can stop forwarding, like a hung server or a lost network. */
async function startHangingProxy(target: number): Promise<{ port: number; hang(on: boolean): void; close(): void }> {
  const sockets = new Set<Socket>();
  let hanging = false;
  const server: Server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk) => hanging || upstream.write(chunk));
    upstream.on('data', (chunk) => hanging || client.write(chunk));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    hang: (on) => {
      hanging = on;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('the service on Redis', () => {
  const redis = withRedis();

  it('shares mappings between processes: each uses the same pseudonyms and restores those of the other', async () => {
    const [one, two] = await Promise.all([startReady(redis().url), startReady(redis().url)]);
    try {
      const seen = new Map<string, string>();
      const users = Array.from({ length: 40 }, (_, at) => `person.${at % 10}@example.org`);
      await Promise.all(
        users.map(async (person, at) => {
          const sent = textOf(await request(at % 2 === 0 ? one : two, 'shared', person));
          expect(seen.get(person) ?? sent).to.equal(sent);
          seen.set(person, sent);
          expect(textOf(await response(at % 2 === 0 ? two : one, 'shared', `<<${sent}>>`))).to.equal(`<<${person}>>`);
        }),
      );
      expect(new Set(seen.values()).size).to.equal(10);
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  });

  it('stores nothing readable in Redis, and nothing of an end user after an erasure', async () => {
    const harness = await startReady(redis().url);
    try {
      await redis().cli('FLUSHALL');
      const text = `Mail ${PLANTED.email} about ${PLANTED.iban}`;
      const sent = await request(harness, PLANTED.endUser, text);
      const pseudonym = /<EMAIL_ADDRESS_\w+>/.exec(textOf(sent))?.[0] ?? 'none';
      const before = await everything(redis());
      for (const secret of [...Object.values(PLANTED), pseudonym, pseudonym.slice(15, -1)]) {
        expect(before.includes(secret), secret).to.equal(false);
      }
      expect(before).to.include(sent.headers.get('x-session-id'));
      const erased = await harness.call('POST', '/subjects/erase', { end_user_id: PLANTED.endUser });
      expect(erased.body).to.deep.equal({ erased: 1 });
      const keys = (await redis().cli('KEYS', '*')).trim().split('\n');
      expect(keys).to.have.length(1);
      expect(keys[0]).to.match(/^guardrail:\{[0-9a-f]{4}\}:erased:[0-9a-f]{32}$/);
      expect(Number(await redis().cli('PTTL', keys[0] ?? ''))).to.be.within(1, 600_000);
      expect(textOf(await response(harness, PLANTED.endUser, pseudonym))).to.equal(pseudonym);
    } finally {
      await harness.stop();
    }
  });

  it('needs one round trip for a request and one for a response', async () => {
    const harness = await startReady(redis().url);
    try {
      const text = textOf(await request(harness, 'counted', `Mail ${PLANTED.email}`));
      // The first use of a script on a connection is an EVAL, the next ones are EVALSHA.
      const scripts = async (): Promise<number> => {
        const stats = await redis().cli('INFO', 'commandstats');
        const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].map(([, count]) => Number(count));
        return calls.reduce((sum, count) => sum + count, 0);
      };
      const before = await scripts();
      await request(harness, 'counted', `Mail ${PLANTED.email} and ${PLANTED.otherEmail}, ${PLANTED.iban}`);
      expect(await scripts()).to.equal(before + 1);
      await response(harness, 'counted', `${text} ${text}`);
      expect(await scripts()).to.equal(before + 2);
    } finally {
      await harness.stop();
    }
  });

  it('works after Redis has flushed its scripts', async () => {
    const harness = await startReady(redis().url);
    try {
      const sent = textOf(await request(harness, 'flushed', `Mail ${PLANTED.email}`));
      await redis().cli('SCRIPT', 'FLUSH');
      expect(textOf(await response(harness, 'flushed', sent))).to.equal(`Mail ${PLANTED.email}`);
      await redis().cli('SCRIPT', 'FLUSH');
      expect((await request(harness, 'flushed', `Mail ${PLANTED.otherEmail}`)).status).to.equal(200);
    } finally {
      await harness.stop();
    }
  });

  it('decrypts with an old key, encrypts with the new one, and keeps a pseudonym whose key is removed', async () => {
    const newKey = Buffer.alloc(32, 9).toString('base64');
    const old = await startReady(redis().url);
    const sent = textOf(await request(old, 'rotated', `Mail ${PLANTED.email}`));
    await old.stop();
    const both = await startReady(redis().url, { GUARDRAIL_ENCRYPTION_KEYS: `${newKey},${ENCRYPTION_KEY}` });
    expect(textOf(await response(both, 'rotated', sent))).to.equal(`Mail ${PLANTED.email}`);
    const other = textOf(await request(both, 'rotated', `Mail ${PLANTED.otherEmail}`));
    expect(textOf(await request(both, 'rotated', `Mail ${PLANTED.email}`))).to.equal(sent);
    await both.stop();
    const onlyNew = await startReady(redis().url, { GUARDRAIL_ENCRYPTION_KEYS: newKey });
    expect(textOf(await response(onlyNew, 'rotated', other))).to.equal(`Mail ${PLANTED.otherEmail}`);
    // Because it was used with both keys, it is encrypted with the new one.
    expect(textOf(await response(onlyNew, 'rotated', sent))).to.equal(`Mail ${PLANTED.email}`);
    await onlyNew.stop();
    const wrong = await startReady(redis().url, { GUARDRAIL_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64') });
    expect(textOf(await response(wrong, 'rotated', sent))).to.equal(sent);
    expect(wrong.logs.join('')).to.include('encrypted with a key that is not configured');
    expect(await wrong.metrics()).to.include('guardrail_store_decryption_failures_total 1');
    await wrong.stop();
  });

  it('does not restore a value that was changed or moved in Redis', async () => {
    const harness = await startReady(redis().url);
    try {
      await redis().cli('FLUSHALL');
      const sent = textOf(await request(harness, 'tampered', `${PLANTED.email} ${PLANTED.otherEmail}`));
      // Swaps the two encrypted values in the hash of the session.
      await redis().cli(
        'EVAL',
        "local key = redis.call('KEYS', 'guardrail:*:session:*')[1] local all = redis.call('HGETALL', key) local fields = {} for i = 1, #all, 2 do if #all[i] == 16 then fields[#fields + 1] = i end end redis.call('HSET', key, all[fields[1]], all[fields[2] + 1], all[fields[2]], all[fields[1] + 1])",
        '0',
      );
      expect(textOf(await response(harness, 'tampered', sent))).to.equal(sent);
      expect(harness.logs.join('')).to.include('was modified, or it belongs to another session or pseudonym');
    } finally {
      await harness.stop();
    }
  });

  it('keeps all pseudonyms of a session that Redis has evicted', async () => {
    const harness = await startReady(redis().url);
    try {
      const text = `${PLANTED.email} ${PLANTED.otherEmail}`;
      const sent = await request(harness, 'evicted', text);
      const id = sent.headers.get('x-session-id') ?? '';
      await redis().cli('UNLINK', `guardrail:{${id.slice(0, 4)}}:session:${id}`);
      expect(textOf(await response(harness, 'evicted', textOf(sent)))).to.equal(textOf(sent));
      expect(textOf(await request(harness, 'evicted', text))).to.equal(textOf(sent));
      expect(textOf(await response(harness, 'evicted', textOf(sent)))).to.equal(text);
    } finally {
      await harness.stop();
    }
  });

  it('erases, restores, and reports that writing fails, if Redis is out of memory', async () => {
    const harness = await startReady(redis().url);
    const erased = { end_user_id: 'full-subject' };
    try {
      const sent = await request(harness, 'full-subject', `Mail ${PLANTED.email}`);
      const other = await request(harness, 'full-session', `Mail ${PLANTED.email}`);
      await redis().cli('CONFIG', 'SET', 'maxmemory', '1');
      const readiness = async (): Promise<ReturnType<typeof storeOf>> => storeOf(await harness.call('GET', '/readyz'));
      await eventually(async () => (await readiness()).reason !== undefined);
      const store = await readiness();
      expect(store)
        .to.include({ up: true })
        .and.to.have.property('reason')
        .that.matches(/refuses to store new mappings/);
      expect(textOf(await response(harness, 'full-subject', textOf(sent)))).to.contain(PLANTED.email);
      expect((await harness.call('POST', '/subjects/erase', erased)).body).to.deep.equal({ erased: 1 });
      const id = other.headers.get('x-session-id') ?? '';
      expect((await harness.call('DELETE', `/sessions/${id}`)).body).to.deep.equal({ deleted: true });
      expect((await harness.call('DELETE', `/sessions/${id}`)).body).to.deep.equal({ deleted: false });
      expect(textOf(await response(harness, 'full-subject', textOf(sent)))).to.equal(textOf(sent));
    } finally {
      await redis().cli('CONFIG', 'SET', 'maxmemory', '0');
      await harness.stop();
    }
  });

  it('returns 502 if Redis is out of memory', async () => {
    const harness = await startReady(redis().url);
    try {
      await redis().cli('CONFIG', 'SET', 'maxmemory', '1');
      const answer = await request(harness, 'full', `Mail ${PLANTED.email}`);
      expect(answer.status).to.equal(502);
      expect((answer.body as Body).error.message).to.match(/OOM/);
      expect((await request(harness, 'full', 'Hello.')).status).to.equal(200);
    } finally {
      await redis().cli('CONFIG', 'SET', 'maxmemory', '0');
      await harness.stop();
    }
  });
});

describe('the service during failures of Redis', () => {
  it('starts without Redis, reports which dependency is down since when, and recovers', async function () {
    this.timeout(30_000);
    const redis = await startRedis();
    await redis.kill();
    const harness = await startHarness({ env: { GUARDRAIL_STORE: redis.url } });
    try {
      const down = await harness.call('GET', '/readyz');
      expect(down.status).to.equal(503);
      const { dependencies } = down.body as {
        dependencies: Record<string, { up: boolean; since?: string; reason?: string }>;
      };
      expect(dependencies.detector).to.deep.equal({ up: true });
      expect(dependencies.store?.up).to.equal(false);
      expect(Date.parse(dependencies.store?.since ?? '')).to.be.closeTo(Date.now(), 5000);
      expect(dependencies.store?.reason).to.match(/^Redis .*\.$/);
      expect((await harness.call('GET', '/healthz')).status).to.equal(200);
      expect((await request(harness, 'down', `Mail ${PLANTED.email}`)).status).to.equal(502);
      // Also a call without values: it needs the store, whatever it contains.
      expect((await request(harness, 'down', 'Hello.')).status).to.equal(502);
      expect((await response(harness, 'down', '<EMAIL_ADDRESS_K7Q2RTM4>')).status).to.equal(502);
      await redis.restart();
      await eventually(async () => (await request(harness, 'down', `Mail ${PLANTED.email}`)).status === 200);
      await eventually(() => ready(harness));
    } finally {
      await harness.stop();
      await redis.stop();
    }
  });

  it('responds within its timeout when Redis hangs, then at once, and recovers with Redis', async function () {
    this.timeout(30_000);
    const redis = await startRedis();
    const proxy = await startHangingProxy(redis.port);
    const harness = await startReady(`redis://127.0.0.1:${proxy.port}`);
    try {
      const sent = textOf(await request(harness, 'hanging', `Mail ${PLANTED.email}`));
      proxy.hang(true);
      const first = performance.now();
      const answers = await Promise.all(Array.from({ length: 20 }, () => response(harness, 'hanging', sent)));
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 502));
      // One time limit of a second, not one for each call.
      expect(performance.now() - first).to.be.lessThan(5000);
      const second = performance.now();
      expect((await response(harness, 'hanging', sent)).status).to.equal(502);
      // It does not wait for the time limit.
      expect(performance.now() - second).to.be.lessThan(1000);
      expect(await ready(harness)).to.equal(false);
      expect((await request(harness, 'hanging', 'Hello.')).status).to.equal(502);
      proxy.hang(false);
      await eventually(async () => (await request(harness, 'hanging', 'Hello.')).status === 200);
      await eventually(async () => (await response(harness, 'hanging', sent)).status === 200);
      expect(textOf(await response(harness, 'hanging', sent))).to.equal(`Mail ${PLANTED.email}`);
    } finally {
      await harness.stop();
      proxy.close();
      await redis.stop();
    }
  });

  it('never restores a wrong value after Redis restarts empty, among many calls', async function () {
    this.timeout(60_000);
    const redis = await startRedis();
    const harness = await startReady(redis.url);
    const statuses = new Map<number, number>();
    const wrong: string[] = [];
    const exchange = async (n: number): Promise<void> => {
      const user = `user-${n % 20}`;
      const value = `person.${n % 20}.${n % 7}@example.org`;
      const sent = await request(harness, user, `Mail ${value}.`);
      statuses.set(sent.status, (statuses.get(sent.status) ?? 0) + 1);
      if (sent.status !== 200) return;
      if (textOf(sent).includes(value)) wrong.push(textOf(sent));
      const back = await response(harness, user, textOf(sent));
      statuses.set(back.status, (statuses.get(back.status) ?? 0) + 1);
      if (back.status !== 200) return;
      // After an empty restart, a pseudonym may remain, but the value of another user must not appear.
      if (textOf(back) !== `Mail ${value}.` && textOf(back) !== textOf(sent)) wrong.push(textOf(back));
    };

    try {
      let next = 0;
      /** Makes exchanges, some at the same time, until a condition is true. */
      const exchangeUntil = (isOver: () => boolean): Promise<unknown> =>
        Promise.all(
          Array.from({ length: 32 }, async () => {
            while (!isOver()) await exchange((next += 1));
          }),
        );
      const count = (status: number): number => statuses.get(status) ?? 0;
      await exchangeUntil(() => count(200) > 300);
      let isKilled = false;
      await Promise.all([exchangeUntil(() => isKilled), redis.kill().then(() => (isKilled = true))]);
      await exchangeUntil(() => count(502) > 50);
      let isBack = false;
      const restart = redis.restart().then(() => (isBack = true));
      // The calls are answered again within seconds, with the values that this Redis has received.
      const answered = (): boolean => isBack && count(200) > 900;
      await Promise.all([exchangeUntil(answered), restart]);
      expect(wrong).to.deep.equal([]);
      expect([...statuses.keys()].sort()).to.deep.equal([200, 502]);
    } finally {
      await harness.stop();
      await redis.stop();
    }
  });
});

/** The complete content of Redis as text. */
async function everything(redis: RedisServer): Promise<string> {
  const keys = (await redis.cli('KEYS', '*')).trim().split('\n');
  const dumps = await Promise.all(keys.map((key) => redis.cli('--no-raw', 'DUMP', key)));
  const values = await Promise.all(
    keys.map(async (key) => {
      const type = (await redis.cli('TYPE', key)).trim();
      if (type === 'hash') return redis.cli('HGETALL', key);
      return type === 'zset' ? redis.cli('ZRANGE', key, '0', '-1') : redis.cli('GET', key);
    }),
  );
  return [...keys, ...dumps, ...values].join('\n');
}
