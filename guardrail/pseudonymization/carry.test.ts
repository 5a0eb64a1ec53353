import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../hack/harness/scale.ts';
import { createMonitor, withoutWrites } from '../pipeline/monitor.ts';
import { MAX_CARRY, type CallContext, type Guard, type TextPiece } from './contract.ts';
import { InvalidCarryError } from './errors.ts';
import { callBy, createFakeAnalyzer, createTestGuard } from './testing/testGuard.ts';

const people = { 'Anna Schmidt': 'PERSON', 'a@b.example': 'EMAIL_ADDRESS' };
const callOf = (id: string, tenant = 'gateway'): CallContext =>
  callBy({ tenant: tenant as never, endUser: '', keyHash: id, callId: id, samePseudonyms: 'team' });
const call = callOf('one');
const otherKey = createSecretKey(Buffer.alloc(32, 2));

const { guard, store } = createTestGuard(createFakeAnalyzer(people));

async function sendText(text: string, context = call): Promise<string> {
  const outcome = await guard.request({ texts: [text] }, context);
  return outcome.action === 'GUARDRAIL_INTERVENED' ? (outcome.texts[0] ?? '') : text;
}

/** Restores a text in pieces. @returns the text, and the carry after each piece */
async function restored(pieces: readonly string[], context = call, by: Guard = guard) {
  let text = '';
  const carries = [''];
  for (const [at, piece] of pieces.entries()) {
    const carry = carries.at(-1) ?? '';
    const outcome = await by.piece(pieceOf(piece, carry, at === pieces.length - 1), context);
    text += outcome.text;
    carries.push(outcome.carry);
  }
  return { text, carries };
}

function pieceOf(text: string, carry = '', isLast = false): TextPiece {
  return { text, kind: 'either', carry, isLast };
}

async function failureOf(piece: TextPiece, context = call, by = guard): Promise<unknown> {
  return by.piece(piece, context).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a text whose state the caller keeps between its pieces', () => {
  it('is restored as a whole text is, for every split', async () => {
    const sent = await sendText('Anna Schmidt and a@b.example');
    const [person = '', email = ''] = sent.split(' and ');
    const answers = [
      `Dear ${person}, your address is ${email}.`,
      `![x](https://e.example/?q=${person}) is not ${person}`,
      `{"to":"${person}","n":1,"s":"<img src='//e.example/${email}'>"} ${email}`,
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...answers), fc.array(fc.nat(100)), async (answer, cuts) => {
        const places = [0, ...[...new Set(cuts)].sort((a, b) => a - b), answer.length];
        const pieces = places.map((place, at) => answer.slice(place, places[at + 1] ?? place));
        const whole = await guard.response({ texts: [answer] }, call);
        const { text, carries } = await restored(pieces);
        expect(text).to.equal(whole.texts[0]).and.to.include('Anna Schmidt');
        expect(carries.at(-1)).to.equal('');
      }),
      { numRuns: runs(300) },
    );
  });

  it('counts each pseudonym once', async () => {
    const person = await sendText('Anna Schmidt');
    const first = await guard.piece(pieceOf(`${person} <PERSON_K7Q2RTM4> ${person.slice(0, 9)}`), call);
    expect(first).to.include({ text: 'Anna Schmidt <PERSON_K7Q2RTM4> ', restored: 1, unknown: 1 });
    expect(await guard.piece(pieceOf(person.slice(9), first.carry, true), call)).to.deep.equal({
      ...{ session: guard.sessionOf(call.identity), text: 'Anna Schmidt', carry: '' },
      ...{ restored: 1, withheld: 0, unknown: 0, isEnumeration: false },
    });
  });

  it('has a state that contains no text, and is never written twice', async () => {
    const person = await sendText('Anna Schmidt');
    const pieces = [`${person}<img alt=${person}`, '<PERSON'];
    const [one, other] = [await restored([...pieces, '']), await restored([...pieces, ''])];
    for (const carry of one.carries) {
      for (const form of [carry, Buffer.from(carry, 'base64url').toString('latin1')]) {
        // Words and marks that encrypted bytes do not contain by chance: "img" alone stands in one of 200 states.
        expect(form).not.to.match(/schmidt|person|<img/i);
      }
    }
    expect(one.carries[2]).to.have.length.greaterThan(100).and.not.to.equal(other.carries[2]);
  });

  it('rejects a state that was changed in any way, and gives nothing of it', async () => {
    const person = await sendText('Anna Schmidt');
    const { carry } = await guard.piece(pieceOf(`Hello ${person.slice(0, 9)}`), call);
    const bytes = Buffer.from(carry, 'base64url');
    const changed = fc.oneof(
      fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, mask]) => {
        const copy = Buffer.from(bytes);
        copy[at] = (copy[at] ?? 0) ^ mask;
        return copy.toString('base64url');
      }),
      fc.nat(bytes.length - 1).map((length) => bytes.subarray(0, length).toString('base64url')),
      fc.uint8Array({ minLength: 1 }).map((more) => Buffer.concat([bytes, more]).toString('base64url')),
      fc.string({ minLength: 1 }),
      fc.json(),
      fc.constant('A'.repeat(MAX_CARRY + 1)),
    );
    await fc.assert(
      fc.asyncProperty(
        changed.filter((text) => text !== ''),
        fc.boolean(),
        async (text, isLast) => {
          expect(await failureOf(pieceOf(person, text, isLast))).to.be.instanceOf(InvalidCarryError);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('rejects the state of another call, tenant, kind or service', async () => {
    const { carry } = await guard.piece(pieceOf('Hello <PERS'), call);
    const elsewhere = createTestGuard(createFakeAnalyzer(people), { sessionKey: otherKey }).guard;
    const failures = await Promise.all([
      failureOf(pieceOf('', carry), callOf('two')),
      failureOf(pieceOf('', carry), callOf('one', 'another')),
      failureOf({ ...pieceOf('', carry), kind: 'text' }),
      failureOf(pieceOf('', carry), call, elsewhere),
    ]);
    for (const failure of failures) expect(failure).to.be.instanceOf(InvalidCarryError);
    expect((await guard.piece(pieceOf('', carry, true), call)).text).to.equal('<PERS');
  });

  it('has a bounded state, whatever the text', async () => {
    const flood = (part: (at: number) => string): string => Array.from({ length: 300 }, (_, at) => part(at)).join('');
    const nested = (text: string, depth: number): string =>
      depth === 0 ? text : nested(`{"a":${JSON.stringify(text).slice(0, -1)}`, depth - 1);
    const tags = flood((at) => `<img${at} src="\ud83d${at}`);
    const soup = `${'['.repeat(255)}${tags}${flood(() => '![[](x')}${'<PERSON_'.repeat(40)}`;
    let largest = 0;
    for (const depth of [0, 1, 2, 3]) {
      const { carry } = await guard.piece(pieceOf(nested(soup, depth)), call);
      largest = Math.max(largest, carry.length);
    }
    expect(largest).to.be.lessThan(MAX_CARRY).and.greaterThan(10_000);
    const { carry } = await guard.piece(pieceOf('Hello, how can I help you today? '.repeat(100)), call);
    expect(carry.length).to.be.lessThan(2000);
  });

  it('is sent unchanged in monitor mode, and is ended if it began in enforce mode', async () => {
    const person = await sendText('Anna Schmidt');
    const inner = createTestGuard(createFakeAnalyzer(people), { store: withoutWrites(store) }).guard;
    const monitor = createMonitor(inner, inner);
    const pieces = ['Hi ', person.slice(0, 9), person.slice(9)];
    expect(await restored(pieces, call, monitor)).to.deep.equal({ text: pieces.join(''), carries: ['', '', '', ''] });
    const { text, carry } = await guard.piece(pieceOf(pieces.slice(0, 2).join('')), call);
    const rest = await monitor.piece(pieceOf(pieces[2] ?? '', carry), call);
    expect([text, rest.text, rest.carry]).to.deep.equal(['Hi ', person, '']);
  });
});

describe('the pseudonyms of a team', () => {
  it('are the same in all its calls, and are restored only in the call that contained the value', async () => {
    const person = await sendText('Anna Schmidt');
    const other = callOf('another');
    expect((await restored([person], other)).text).to.equal(person);
    expect((await guard.response({ texts: [person] }, other)).texts).to.deep.equal([person]);
    expect(await sendText('Anna Schmidt', other)).to.equal(person);
    expect((await restored([person], other)).text).to.equal('Anna Schmidt');
  });

  it('differ from those of another tenant, of another team and of a session', async () => {
    const { identity, signal } = callOf('x');
    const sent = await Promise.all([
      sendText('Anna Schmidt'),
      sendText('Anna Schmidt', callOf('one', 'another')),
      sendText('Anna Schmidt', { identity: { ...identity, team: 'red' }, signal }),
      sendText('Anna Schmidt', { identity: { ...identity, samePseudonyms: 'session' }, signal }),
    ]);
    expect(new Set(sent)).to.have.lengthOf(sent.length);
  });
});
