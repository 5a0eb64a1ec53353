import { expect } from 'chai';
import fc from 'fast-check';
import { listHash, listKey, type ListHash } from './listHash.ts';
import { CustomerListError, readCustomerList, type CustomerList } from './readList.ts';
import {
  checksumOf,
  CustomerListTooLargeError,
  customerListRevision,
  shardName,
  writeCustomerList,
  type CustomerEntry,
  type UnknownCustomers,
} from './writeList.ts';

const key = listKey('a session key of more than thirty-two characters');
const customer = (n: number): ListHash => listHash(key, 'customer', `customer-${n}`);
const team = (n: number): ListHash => listHash(key, 'team', `team-${n}`);
const apiKey = (n: number): ListHash => listHash(key, 'key', `key-${n}`);

const small = fc.nat({ max: 3 });
const entry = fc
  .record(
    {
      n: fc.nat({ max: 500 }),
      blocked: fc.boolean(),
      callers: fc.record({ teams: fc.array(small.map(team)), keys: fc.array(small.map(apiKey)) }),
    },
    { requiredKeys: ['n'] },
  )
  .map(({ n, ...rest }): CustomerEntry => ({ customer: customer(n), ...rest }));
const entries = fc.uniqueArray(entry, { selector: (one) => one.customer, maxLength: 40 });
const revisionOf = (n: number): string => `${n % 10}`.repeat(32);
const withPolicy = fc.uniqueArray(
  fc
    .tuple(entry, fc.option(fc.nat(9), { nil: null }))
    .map(([one, n]) => ({ ...one, policy: n === null ? n : revisionOf(n) })),
  { selector: (one) => one.customer, maxLength: 40 },
);
/** Every policy has a text with other alphabets, line ends and half a surrogate pair. */
const policies = new Map(
  Array.from({ length: 10 }, (_, n) => [
    revisionOf(n),
    JSON.stringify({ deny: [`Müller-${n}\n\u2028\ud800😀`] }, undefined, 1),
  ]),
);
const unknown = fc.constantFrom<UnknownCustomers>('Allow', 'Block');
/** So small that lists have several shards. */
const maxShardBytes = 1000;

const read = (shards: readonly string[]): CustomerList => readCustomerList(new Map(shards.entries()));

/** What a list says about customers, as plain data. */
function contentOf(list: CustomerList, customers: readonly CustomerEntry[]): unknown[] {
  return customers.map(({ customer: hash }) => {
    const rules = list.find(hash);
    return (
      rules && {
        blocked: rules.blocked,
        callers: rules.callers && [[...rules.callers.teams].sort(), [...rules.callers.keys].sort()],
      }
    );
  });
}

/** Writes a list; entries that fit into no list are left out. */
function written(list: readonly CustomerEntry[], unknownCustomers: UnknownCustomers): string[] {
  return writeCustomerList(list, { unknownCustomers, maxShardBytes: 4000 });
}

describe('the customer list', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(entries, unknown, (list, unknownCustomers) => {
        const shards = written(list, unknownCustomers);
        const result = read(shards);
        expect(result.unknownCustomers).to.equal(unknownCustomers);
        expect(result.size).to.equal(list.length);
        expect(result.revision).to.equal(customerListRevision(shards));
        expect(contentOf(result, list)).to.deep.equal(
          list.map(({ blocked = false, callers }) => ({
            blocked,
            callers: callers && [[...new Set(callers.teams)].sort(), [...new Set(callers.keys)].sort()],
          })),
        );
        expect(result.find(customer(501))).to.equal(undefined);
      }),
    );
  });

  it('has the policies of its customers', () => {
    fc.assert(
      fc.property(withPolicy, fc.boolean(), (list, allowLooserPolicies) => {
        const shards = writeCustomerList(list, {
          unknownCustomers: 'Allow',
          allowLooserPolicies,
          policies,
          maxShardBytes: 4000,
        });
        const result = read(shards);
        expect(result.allowLooserPolicies).to.equal(allowLooserPolicies);
        expect(result.size).to.equal(list.length);
        for (const { customer: hash, policy } of list) expect(result.find(hash)?.policy).to.equal(policy);
        const documents = (texts: ReadonlyMap<string, string>): unknown[] =>
          Array.from(texts, ([revision, text]): unknown[] => [revision, JSON.parse(text)]).sort();
        expect(documents(result.policies)).to.deep.equal(documents(policies));
        expect(shards.join('')).to.match(/^[\x20-\x7e\n]*$/);
      }),
    );
  });

  it('is refused if it lacks a policy of a customer', () => {
    const [one = '', other = ''] = policies.keys();
    const texts = new Map([[one, '{}']]);
    const write = (policy: string): string[] =>
      writeCustomerList([{ customer: customer(1), policy }], { unknownCustomers: 'Allow', policies: texts });
    expect(read(write(one)).policies).to.deep.equal(texts);
    expect(() => read(write(other))).to.throw(CustomerListError, 'lacks the policy of a customer');
  });

  it('has the same bytes and the same revision, whatever the order of its entries', () => {
    fc.assert(
      fc.property(entries, unknown, (list, unknownCustomers) => {
        const shards = written(list, unknownCustomers);
        expect(written(list.toReversed(), unknownCustomers)).to.deep.equal(shards);
      }),
    );
  });

  it('has another revision if it says something else', () => {
    fc.assert(
      fc.property(entries, unknown, (list, unknownCustomers) => {
        const without = list.filter(({ customer: hash }) => hash !== customer(0));
        const revision = customerListRevision(written(without, unknownCustomers));
        expect(customerListRevision(written([...without, { customer: customer(0) }], unknownCustomers))).not.to.equal(
          revision,
        );
        const other = unknownCustomers === 'Allow' ? 'Block' : 'Allow';
        expect(customerListRevision(written(without, other))).not.to.equal(revision);
      }),
    );
  });

  const list = Array.from({ length: 60 }, (_, n): CustomerEntry => ({ customer: customer(n), blocked: n % 3 === 0 }));
  const shards = writeCustomerList(list, { unknownCustomers: 'Block', maxShardBytes });

  it('is refused if any character changes', () => {
    expect(shards.length).to.be.above(1);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.constantFrom('x', ' ', '\n', '0'), (shardSeed, at, character) => {
        const shard = shardSeed % shards.length;
        const text = shards[shard] ?? '';
        const place = at % text.length;
        fc.pre(text[place] !== character);
        const changed = shards.with(shard, text.slice(0, place) + character + text.slice(place + 1));
        expect(() => read(changed)).to.throw(CustomerListError);
      }),
    );
  });

  it('is refused if it ends anywhere before its end', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (shardSeed, at) => {
        const shard = shardSeed % shards.length;
        const text = shards[shard] ?? '';
        expect(() => read(shards.with(shard, text.slice(0, at % text.length)))).to.throw(CustomerListError);
      }),
    );
  });

  it('is refused without one of its parts', () => {
    for (const missing of shards.keys()) {
      const rest = new Map([...shards.entries()].filter(([shard]) => shard !== missing));
      expect(() => readCustomerList(rest)).to.throw(CustomerListError, /^(?:has no first part|lacks part \d)/);
    }
  });

  it('is refused if its parts belong to different layouts, or to different rules for other customers', () => {
    const one = writeCustomerList(list, { unknownCustomers: 'Block' });
    const open = writeCustomerList(list, { unknownCustomers: 'Allow', maxShardBytes });
    expect(() => read(shards.with(0, one[0] ?? ''))).not.to.throw();
    expect(() => read(shards.with(1, open[1] ?? ''))).to.throw(CustomerListError, /another version/);
    expect(() => read([one[0] ?? '', ...shards.slice(1)].with(0, shards[0] ?? '').with(1, one[0] ?? ''))).to.throw(
      CustomerListError,
      /another version/,
    );
  });

  it('is refused if a newer operator wrote it', () => {
    const newer = (shards[0] ?? '').replace('"version":1', '"version":2');
    expect(() => read(shards.with(0, newer))).to.throw(CustomerListError, /unknown format/);
  });

  it('contains no id', () => {
    const text = writeCustomerList(
      [
        {
          customer: listHash(key, 'customer', 'acme'),
          callers: { teams: [listHash(key, 'team', 'sales')], keys: [listHash(key, 'key', 'ab12')] },
        },
      ],
      { unknownCustomers: 'Allow' },
    ).join('');
    expect(text).not.to.match(/acme|sales|ab12/);
  });

  it('hashes ids by key and kind', () => {
    const other = listKey('another session key of more than thirty-two characters');
    const hashes = [
      listHash(key, 'customer', 'a'),
      listHash(key, 'team', 'a'),
      listHash(key, 'key', 'a'),
      listHash(other, 'customer', 'a'),
    ];
    expect(new Set(hashes).size).to.equal(4);
    for (const hash of hashes) expect(hash).to.match(/^[\w-]{22}$/);
  });

  it('holds 100,000 customers, each with two callers', () => {
    const many = Array.from({ length: 100_000 }, (_, n): CustomerEntry => {
      const hash = Buffer.alloc(16);
      hash.writeUInt32BE((n * 2_654_435_761) >>> 0);
      hash.writeUInt32BE(n, 4);
      return {
        customer: hash.toString('base64url') as ListHash,
        callers: { teams: [team(n % 50)], keys: [apiKey(n % 70)] },
      };
    });
    const parts = writeCustomerList(many, { unknownCustomers: 'Block' });
    expect(parts.length).to.be.at.most(16);
    expect(Math.max(...parts.map(({ length }) => length))).to.be.at.most(700_000);
    expect(read(parts).size).to.equal(100_000);
    expect(parts.map((_, shard) => shardName(shard))[0]).to.equal('customers-0');
  });

  it('is refused if it contains a customer twice, or customers in another order', () => {
    const twice = [...list, { customer: customer(7), blocked: true }];
    expect(() => writeCustomerList(twice, { unknownCustomers: 'Allow' })).to.throw(RangeError, 'twice');
    const [head = '', one = '', other = ''] = (writeCustomerList(list, { unknownCustomers: 'Allow' })[0] ?? '').split(
      '\n',
    );
    const signed = (...lines: string[]): string[] => {
      const text = [...lines, ''].join('\n');
      return [`${text}end ${lines.length - 1} ${checksumOf(text)}\n`];
    };
    expect(read(signed(head, one, other)).size).to.equal(2);
    for (const lines of [
      [head, one, one],
      [head, other, one],
      [head, one, `${other.slice(0, 22)} {"policy":"strict"}`],
      [head, `policy ${'0'.repeat(31)} {}`, one],
      [head, `policy ${'0'.repeat(32)} text`, one],
      [head, one, `policy ${'0'.repeat(32)} {}`],
      [head, one, `${other.slice(0, 22)} {"blocked":false}`],
      [head, one, `${other.slice(0, 22)}{"blocked":true}`],
    ]) {
      expect(() => read(signed(...lines)), lines.join()).to.throw(CustomerListError, 'damaged or incomplete');
    }
  });

  it('is refused if it does not fit', () => {
    const write = (): string[] => writeCustomerList(list, { unknownCustomers: 'Allow', maxShardBytes: 100 });
    expect(write).to.throw(CustomerListTooLargeError, 'larger than 16 ConfigMaps');
  });
});
