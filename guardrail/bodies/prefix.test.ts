import { expect } from 'chai';
import {
  createAnalyzer,
  createBuiltinDetector,
  type Analyzer,
  type EntityType,
  type Finding,
} from '../detection/detection.ts';
import { callBy, createTestGuard } from '../pseudonymization/testing/testGuard.ts';
import { callsOf, changesIn, SHAPES, type Conversation, type Message, type Turn } from './testing/conversations.ts';

const analyzer = createAnalyzer({ detectors: [createBuiltinDetector()] });

const said = (text: string, answer: Turn['answer'] = () => 'Yes.'): Turn => ({
  messages: [{ role: 'user', text }],
  answer,
});
const looked = (q: string, result: string): Turn => ({
  messages: [
    { role: 'assistant', text: 'Let me look.', call: { q } },
    { role: 'tool', text: result },
  ],
  answer: () => 'Done.',
});

/** Each kind in which a later message once changed an earlier one. */
const KINDS: readonly [kind: string, earlier: string, later: string | Turn][] = [
  ['a colleague whose family name is a noun', 'Tighten each Bolt before use.', 'Please call my colleague Tamsin Bolt.'],
  ['a first name that is a country', 'Jordan borders Israel and Syria.', 'My name is Jordan.'],
  ['a first name that is a month', 'We start in August.', 'My brother August Lindqvist is five.'],
  ['a German family name that is an animal', 'Der Wolf ist wieder da.', 'Liebe Frau Wolf, ich melde mich bald.'],
  ['a French first name that is a stone', 'Une Pierre blanche est là.', "Je m'appelle Pierre Dubois."],
  ['a Spanish first name that is a city', 'La Paz es la capital de Bolivia.', 'Me llamo Paz Etxeberria.'],
  ['an Italian first name that is a star', 'La Stella brilla.', 'Mi chiamo Stella Brambilla.'],
  ['a signature', 'The Hunter walks in the wood.', 'See you soon.\n\nBest regards,\nHunter Ellsworth'],
  ['a relative', 'Summer is warm.', 'My daughter Summer is five.'],
  ['a doctor', 'The Winter was cold.', 'I saw Dr. Winter yesterday.'],
  ['an introduction', 'Kestrel is a bird.', "Hi, I'm Kestrel, nice to meet you."],
  ['a spelled name', 'The Ash is a tree.', 'My name is A-S-H, Ash.'],
  ['a patient', 'May is a month.', 'Patient: May Oyelaran, born 3 May 1971'],
  ['a log of a chat', 'Faith moves mountains.', 'Faith: u coming tn?\nJette: nah stuck at work\nFaith: ok'],
  ['a list of participants', 'Reading is fun.', 'Participants:\n- Otis Reading\n- Mara Stern'],
  ['a cell of a table', 'Price is high.', 'name,phone\nLeontyne Price,+49 30 901820'],
  ['a member of pasted JSON', 'Field is green.', '{"firstName":"Sally","lastName":"Field"}'],
  [
    'a public person who is private later',
    'Angela Merkel was chancellor.',
    'Name: Angela Merkel\nPhone: +49 30 901820',
  ],
  ['a number of a customer', 'The code 4711-2298 does not work.', 'Customer number: 4711-2298'],
  ['a number of an account', '1234567897 is a number.', 'Account number: 1234567897'],
  ['a number of a passport', 'L01X00T47 is on the label.', 'Passport number: L01X00T47'],
  ['a number for taxes', '36 574 261 809 is a number.', 'Steuer-ID: 36 574 261 809'],
  ['a licence plate', 'B-MW 1234 is the model.', 'My licence plate is B-MW 1234.'],
  ['a user name', 'nightowl77 was here at noon.', 'username: nightowl77'],
  ['a password', 'I typed sunshine42 twice.', 'password: sunshine42'],
  ['an API key', 'abcd1234efgh5678 is text.', 'api_key = "abcd1234efgh5678"'],
  ['a date of birth', 'We met on 3 May 1971 in a bar.', 'Date of birth: 3 May 1971'],
  ['the code of a card', '731 is prime.', 'Card 4111 1111 1111 1111, CVV 731'],
  ['the expiry of a card', '08/27 is a fraction.', 'Visa 4111 1111 1111 1111, exp 08/27'],
  ['the arguments of a tool call', 'The Winter was cold.', looked('Patient: Mara Winter, born 3 May 1971', 'nothing')],
  ['the result of a tool', 'The Winter was cold.', looked('who', 'Dear Mr Winter, my name is Otis Winter.')],
];

async function changed(conversation: Conversation, names = Object.keys(SHAPES)): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const name of names) {
    const shape = SHAPES[name];
    if (!shape) throw new Error(`There is no form ${name}.`);
    const changes = await changesIn(conversation, shape, createTestGuard(analyzer).guard);
    if (changes.length > 0) all[name] = changes;
  }
  return all;
}

describe('a message that was sent stays as it was', () => {
  for (const [kind, earlier, later] of KINDS) {
    it(`when a later one has ${kind}`, async () => {
      const turn = typeof later === 'string' ? said(later) : later;
      expect(await changed({ turns: [said(earlier), turn] })).to.deep.equal({});
    });
  }

  it('when a later answer names its word', async () => {
    const answer = (): string => 'Dear Mr Hunter,\nmy colleague Tamsin Bolt will call.';
    const turns = [said('Each Hunter has a Bolt.', answer), said('Thanks.')];
    expect(await changed({ turns })).to.deep.equal({});
  });

  it('when the model writes the code of a pseudonym', async () => {
    const code = (sent: string): string => `The code is ${/_([0-9A-Z]{8})[>\]]/.exec(sent)?.[1] ?? 'not there'}.`;
    expect(await changed({ turns: [said('Mail anna.schmidt@example.org', code), said('Thanks.')] })).to.deep.equal({});
  });

  it('when the user types a pseudonym of the session', async () => {
    const tag = await tagOf('Mail anna.schmidt@example.org');
    expect(await changed({ turns: [said('Mail anna.schmidt@example.org'), said(`What is ${tag}?`)] })).to.deep.equal(
      {},
    );
  });

  it('when an earlier call of the session knew its word', async () => {
    const { guard } = createTestGuard(analyzer);
    const first: Conversation = { turns: [said('Tighten each Bolt before use.')] };
    for (const shape of Object.values(SHAPES)) {
      const before = await lastOf(first, shape, guard);
      await lastOf({ turns: [said('Please call my colleague Tamsin Bolt.')] }, shape, guard);
      expect(await lastOf(first, shape, guard)).to.deep.equal(before);
    }
  });

  it('and the system prompt and the tools too', async () => {
    const conversation = {
      system: 'Tighten each Bolt.',
      tool: 'Finds a Bolt.',
      turns: [said('Hi'), said('I saw Dr. Bolt.')],
    };
    expect(await changed(conversation)).to.deep.equal({});
  });
});

describe('a value that becomes known later', () => {
  const text = async (conversation: Conversation, shape = SHAPES['chat completions']): Promise<readonly string[]> => {
    if (!shape) throw new Error('There is no such form.');
    return (await lastOf(conversation, shape, createTestGuard(analyzer).guard)).messages;
  };

  it('is replaced from there on', async () => {
    const turns = [said('The Winter was cold.'), said('I saw Dr. Winter yesterday.'), said('Was the Winter cold?')];
    const sent = (await text({ turns })).join('\n');
    expect(sent)
      .to.match(/The Winter was cold/)
      .and.to.match(/Dr\. <PERSON_\w+> yest/)
      .and.to.match(/Was the <PERSON_\w+> cold/);
  });

  it('is replaced in all parts of its message', async () => {
    const turns = [looked('The Winter was cold. See Mara Winter, phone +49 30 901820.', 'The Winter of Dr. Winter')];
    expect((await text({ turns })).join('\n')).not.to.contain('Winter');
  });

  it('that the system prompt or a tool names is replaced in all messages', async () => {
    const turns = [said('Tell Whitfield.')];
    for (const first of [{ system: 'You help Dr. Mara Whitfield.' }, { tool: 'Calls Dr. Mara Whitfield.' }]) {
      for (const shape of [SHAPES['Anthropic messages'], SHAPES['chat completions'], SHAPES.callback])
        expect((await text({ ...first, turns }, shape)).join('\n')).not.to.contain('Whitfield');
    }
  });

  it('keeps the type of the first message that has it', async () => {
    const types: Record<string, [EntityType, number]> = {
      'Ask Bolt.': ['PERSON', 0.6],
      'Buy Bolt.': ['LOCATION', 0.9],
    };
    const judging: Analyzer = {
      ...analyzer,
      analyze: (texts) =>
        Promise.resolve(
          texts.map((one): Finding[] => {
            const [type, score] = types[one] ?? [];
            if (type === undefined || score === undefined) return [];
            return [{ start: 4, end: 8, type, score, detector: 'fake', rule: 'fake', action: 'pseudonymize' }];
          }),
        ),
    };
    const { guard } = createTestGuard(judging);
    const conversation = { turns: [said('Ask Bolt.'), said('Buy Bolt.')] };
    for (const shape of Object.values(SHAPES)) {
      expect(await changesIn(conversation, shape, guard)).to.deep.equal([]);
      expect((await lastOf(conversation, shape, guard)).messages.join('\n')).to.match(/Buy <PERSON_/);
    }
  });
});

async function lastOf(
  conversation: Conversation,
  shape: (typeof SHAPES)[string],
  guard: Parameters<typeof callsOf>[2],
): Promise<{ readonly before: string; readonly messages: readonly string[] }> {
  let last: { before: string; messages: readonly string[] } = { before: '', messages: [] };
  for await (const { before, messages } of callsOf(conversation, shape, guard)) last = { before, messages };
  return last;
}

/** The pseudonym in a text. Sessions of tests share their key. */
async function tagOf(text: string): Promise<string> {
  const message: Message = { role: 'user', text };
  const sent = await SHAPES.texts?.({ messages: [message] }, createTestGuard(analyzer).guard, callBy());
  return /<\w+>/.exec(sent?.lastText ?? '')?.[0] ?? '';
}
