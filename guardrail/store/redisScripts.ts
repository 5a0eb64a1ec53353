import type { Cluster, Redis } from 'ioredis';
import { SLOT_CHARACTERS } from './contract.ts';
import { COMPARE_BYTES, KEY_ID_BYTES } from './cipher.ts';

/** A sealed value begins with these: see cipher.ts. */
const STAMP_BYTES = COMPARE_BYTES + KEY_ID_BYTES;

/**
 * The common part of all scripts. A session is a hash from pseudonym indexes to sealed values; its field `u` contains the
 * end user. An end user is a sorted set of session ids by expiry. A tombstone contains the time of an erasure.
 *
 * All keys of a call have the same hash tag, the first characters of the session's and the end user's id. So the keys
 * that are built here are on the same node as the given ones.
 */
const PRELUDE = `
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local stamp = string.format('%.0f', now)

local function key(kind, id)
  return 'guardrail:{' .. string.sub(id, 1, ${SLOT_CHARACTERS}) .. '}:' .. kind .. ':' .. id
end

-- Renews the expiry after a hundredth of it has passed, so that not every read is also a write. A longer expiry comes from
-- an earlier policy, and ends with it.
local function renew(session, id, subject, ttl)
  local left = redis.call('PTTL', session)
  if left > ttl * 0.99 and left <= ttl then return end
  redis.call('PEXPIRE', session, ttl)
  if subject then
    local index = key('subject', subject)
    redis.call('ZREMRANGEBYSCORE', index, '-inf', '(' .. string.format('%.0f', now / 1000))
    redis.call('ZADD', index, string.format('%.0f', now / 1000 + ttl), id)
    -- Another session of the end user can have a longer expiry, from another setting.
    if redis.call('PTTL', index) < ttl then redis.call('PEXPIRE', index, ttl) end
  end
end

-- The Lua stack limits unpack().
local BATCH = 1000
`;

/**
 * KEYS: session, its tombstone, the end user's tombstone if any. ARGV: session, end user or '', fence, TTL, tombstone TTL,
 * field, value … Of a value that should be stored already, only its compare digest and key id are given. If it is not, or
 * with another key, nothing is stored: the caller must give all values in full.
 */
const PUT = `
local session, id, subject = KEYS[1], ARGV[1], ARGV[2]
local fence, ttl, retention = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
-- For a request older than the retention, a tombstone may have expired.
if fence > 0 and now - fence > retention * 1000 then return {stamp, 'erased'} end
for i = 2, #KEYS do
  local erased = redis.call('GET', KEYS[i])
  if erased and fence <= tonumber(erased) then return {stamp, 'erased'} end
end

local taken, write = {}, {}
for from = 6, #ARGV, 2 * BATCH do
  local fields = {}
  for at = from, math.min(from + 2 * BATCH - 1, #ARGV), 2 do fields[#fields + 1] = ARGV[at] end
  local stored = redis.call('HMGET', session, unpack(fields))
  for n = 1, #fields do
    local old, new = stored[n], ARGV[from + 2 * n - 1]
    local same_key = old and string.sub(old, ${COMPARE_BYTES + 1}, ${STAMP_BYTES}) == string.sub(new, ${COMPARE_BYTES + 1}, ${STAMP_BYTES})
    if #new == ${STAMP_BYTES} and not same_key then return {stamp, 'incomplete'} end
    if not old then
      write[#write + 1] = fields[n]
      write[#write + 1] = new
    elseif string.sub(old, 1, ${COMPARE_BYTES}) ~= string.sub(new, 1, ${COMPARE_BYTES}) then
      taken[#taken + 1] = fields[n]
      taken[#taken + 1] = old
    elseif not same_key then
      -- The same value, encrypted with another key: the newer encryption replaces it.
      write[#write + 1] = fields[n]
      write[#write + 1] = new
    end
  end
end
if #taken > 0 then return {stamp, 'collision', unpack(taken, 1, math.min(#taken, 2 * BATCH))} end

if #write > 0 and subject ~= '' then
  write[#write + 1] = 'u'
  write[#write + 1] = subject
end
for from = 1, #write, 2 * BATCH do
  redis.call('HSET', session, unpack(write, from, math.min(from + 2 * BATCH - 1, #write)))
end
renew(session, id, subject ~= '' and subject or nil, ttl)
return {stamp, 'stored'}
`;

/** KEYS: session. ARGV: session, TTL, field … */
const GET = `
local session = KEYS[1]
local reply = {stamp}
for from = 3, #ARGV, BATCH do
  local values = redis.call('HMGET', session, unpack(ARGV, from, math.min(from + BATCH - 1, #ARGV)))
  for n = 1, #values do reply[#reply + 1] = values[n] end
end
local ttl = tonumber(ARGV[2])
if ttl > 0 and redis.call('EXISTS', session) == 1 then
  renew(session, ARGV[1], redis.call('HGET', session, 'u'), ttl)
end
return reply
`;

/**
 * A tombstone is never earlier than a fence of its caller. It is written after the mappings are removed: a full Redis refuses the
 * first write of a script if it takes memory, and lets a script go on that has removed something.
 */
const TOMBSTONE = `
local function write_tombstone(tombstone, fence, retention)
  redis.call('SET', tombstone, string.format('%.0f', math.max(now, tonumber(fence))), 'PX', retention)
end

local function replicas()
  return tonumber(string.match(redis.call('INFO', 'replication'), 'connected_slaves:(%d+)') or '0')
end
`;

/** KEYS: session, its tombstone. ARGV: session, fence, tombstone TTL. */
const ERASE_SESSION = `${TOMBSTONE}
local subject = redis.call('HGET', KEYS[1], 'u')
local erased = redis.call('UNLINK', KEYS[1])
if subject then redis.call('ZREM', key('subject', subject), ARGV[1]) end
write_tombstone(KEYS[2], ARGV[2], ARGV[3])
return {stamp, erased, replicas()}
`;

/** KEYS: the end user's sessions, its tombstone. ARGV: end user, fence, tombstone TTL. */
const ERASE_SUBJECT = `${TOMBSTONE}
local erased = 0
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  erased = erased + redis.call('UNLINK', key('session', id))
end
redis.call('UNLINK', KEYS[1])
write_tombstone(KEYS[2], ARGV[2], ARGV[3])
return {stamp, erased, replicas()}
`;

/** KEYS: session. */
const DESCRIBE = `
return {stamp, redis.call('HLEN', KEYS[1]) - redis.call('HEXISTS', KEYS[1], 'u'), redis.call('PTTL', KEYS[1])}
`;

/** The Lua sources. Every script returns the server's time first. */
export const SCRIPTS = {
  putMappings: PRELUDE + PUT,
  getMappings: PRELUDE + GET,
  eraseSession: PRELUDE + ERASE_SESSION,
  eraseSubject: PRELUDE + ERASE_SUBJECT,
  describeSession: PRELUDE + DESCRIBE,
} as const;
export type ScriptName = keyof typeof SCRIPTS;

type RunScript = (keyCount: number, ...keysAndArguments: (string | Buffer)[]) => Promise<unknown>;
export type ScriptClient = Readonly<Record<ScriptName, RunScript>>;

/** Defines the scripts as commands of a client. ioredis sends a source once per connection, and then its digest. */
export function defineScripts(client: Redis | Cluster): ScriptClient {
  const commands = Object.entries(SCRIPTS).map(([name, lua]): [string, RunScript] => {
    client.defineCommand(name, { lua });
    // Sealed values are not UTF-8, so replies must be buffers.
    const run = (client as unknown as Readonly<Record<string, RunScript>>)[`${name}Buffer`];
    if (!run) throw new Error(`ioredis has not defined the command ${name}.`);
    return [name, run.bind(client)];
  });
  return Object.fromEntries(commands) as ScriptClient;
}
