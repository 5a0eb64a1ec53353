import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { portInUse } from './processes.ts';
import { findRedisServer, startRedis, startRedisCluster, startRedisTls } from './redis.ts';

describe('local Redis', () => {
  let folder: string;
  const before_ = { PATH: process.env.PATH, REDIS_SERVER: process.env.REDIS_SERVER };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'redis-test-'));
  });
  afterEach(() => {
    Object.assign(process.env, { PATH: before_.PATH });
    if (before_.REDIS_SERVER === undefined) delete process.env.REDIS_SERVER;
    else process.env.REDIS_SERVER = before_.REDIS_SERVER;
    rmSync(folder, { recursive: true });
  });
  const program = (name: string): string => {
    const path = join(folder, name);
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, 0o755);
    return path;
  };

  it('is the program in REDIS_SERVER, or else on PATH, under either name', async () => {
    const valkey = program('valkey-server');
    process.env.PATH = folder;
    delete process.env.REDIS_SERVER;
    expect(await findRedisServer()).to.match(/redis-server$|valkey-server$/);
    const redis = program('redis-server');
    expect(await findRedisServer()).to.equal(redis);
    process.env.REDIS_SERVER = valkey;
    expect(await findRedisServer()).to.equal(valkey);
    process.env.REDIS_SERVER = join(folder, 'missing');
    const problem = await findRedisServer().catch((error: unknown) => (error as Error).message);
    expect(problem).to.match(/^REDIS_SERVER is .*missing, which is not an executable file\.$/);
  });

  it('starts on a loopback port, restarts empty after a crash, and leaves nothing when it is stopped', async function () {
    this.timeout(30_000);
    const redis = await startRedis({ password: 'secret-1' });
    expect(redis.url).to.equal(`redis://:secret-1@127.0.0.1:${redis.port}/0`);
    await redis.cli('SET', 'key', 'value');
    expect((await redis.cli('CONFIG', 'GET', 'bind')).trim().split('\n')).to.deep.equal(['bind', '127.0.0.1']);
    await redis.restart();
    expect((await redis.cli('DBSIZE')).trim()).to.equal('0');
    await redis.stop();
    expect(await portInUse(redis.port)).to.equal(false);
  });

  it('serves only TLS if requested', async function () {
    this.timeout(30_000);
    const redis = await startRedisTls();
    expect(redis.url).to.match(/^rediss:\/\/127\.0\.0\.1:\d+\/0\?ca=/);
    expect((await redis.cli('PING')).trim()).to.equal('PONG');
    await redis.stop();
  });

  it('forms a Cluster of three that serves all slots', async function () {
    this.timeout(30_000);
    const cluster = await startRedisCluster();
    const info = (await cluster.servers[0]?.cli('CLUSTER', 'INFO')) ?? '';
    expect(info).to.include('cluster_size:3').and.include('cluster_slots_ok:16384');
    await cluster.stop();
    for (const { port } of cluster.servers) expect(await portInUse(port)).to.equal(false);
  });
});
