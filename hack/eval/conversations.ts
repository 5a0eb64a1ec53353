/** Generates conversations from the project's own texts, for the law of the prefix. */
import fc from 'fast-check';
import type { Conversation, Message, Turn } from '../../guardrail/bodies/testing/conversations.ts';
import { messagesFile, questionsFile, readKinds } from './kinds.ts';

const texts = [readKinds(), readKinds(messagesFile), readKinds(questionsFile)].flatMap((kinds) =>
  kinds.flatMap((kind) => kind.texts.map(({ text }) => text)),
);

/** How a message names a word of an earlier one as a value. */
const NAMINGS: readonly ((word: string, other: string) => string)[] = [
  (word) => `My name is ${word}.`,
  (word, other) => `Please tell ${word} ${other} that I am late.`,
  (word) => `Dear Mr ${word}, thank you for your letter.`,
  (word, other) => `Name: ${other} ${word}\nPhone: +49 30 901820`,
  (word) => `I am ${word} and I live at 12 ${word} Street, Springfield.`,
  (word) => `Patient: ${word}, born 3 May 1971`,
  (word) => `Liebe Frau ${word}, ich melde mich bald.`,
  (word) => `see https://example.org/~${word.toLowerCase()}${word.toLowerCase()} or mail ${word}@example.org`,
  (word) => `The password is ${word}.`,
  (word) => `it is just a ${word.toLowerCase()}, in lower case`,
];

/** What models answer. */
const ANSWERS: readonly ((sent: string) => string)[] = [
  (sent) => `You wrote: ${sent}`,
  (sent) => `Sure. ${sent.split(/(?<=[.!?])\s/)[0] ?? ''}`,
  (sent) =>
    `Dear ${/<[A-Z_]+_[0-9A-Z]+>/.exec(sent)?.[0] ?? 'Sir or Madam'},\n\nState your name and your address.\n\nBest,\nJordan`,
  (sent) => `The code in your text is ${/_([0-9A-Z]{8})>/.exec(sent)?.[1] ?? 'not there'}.`,
  () => 'I cannot help with that. Ask Robert Koch or Angela Merkel.',
  (sent) => `| Name | Text |\n|---|---|\n| ${sent.slice(0, 12)} | ${sent.slice(0, 60)} |`,
];

const text = fc.constantFrom(...texts);
const answer = fc.constantFrom(...ANSWERS);

/** What the user or a tool adds. */
const messages: fc.Arbitrary<readonly Message[]> = fc.oneof(
  { weight: 4, arbitrary: text.map((one): Message[] => [{ role: 'user', text: one }]) },
  {
    weight: 1,
    arbitrary: fc.tuple(text, text).map(([one, result]): Message[] => [
      { role: 'assistant', text: 'Let me look.', call: { q: one.slice(0, 80), limit: 3 } },
      { role: 'tool', text: result },
    ]),
  },
);
const turn: fc.Arbitrary<Turn> = fc.record({ messages, answer });
const option = fc.option(text, { nil: undefined, freq: 3 });

/** Conversations of several turns. */
export const conversationsOf = (minLength: number, maxLength: number): fc.Arbitrary<Conversation> =>
  fc.record({ system: option, tool: option, turns: fc.array(turn, { minLength, maxLength }) });

/** Conversations in which a later message names a word of an earlier one. */
export const namingConversations: fc.Arbitrary<Conversation> = fc
  .record({
    conversation: conversationsOf(1, 4),
    naming: fc.constantFrom(...NAMINGS),
    picks: fc.tuple(fc.nat(), fc.nat()),
    last: turn,
  })
  .map(({ conversation, naming, picks, last }) => {
    const said = conversation.turns.flatMap((one) => one.messages.map((message) => message.text)).join(' ');
    const words = said.match(/(?<![\p{L}\p{N}])\p{L}[\p{L}\p{M}]{2,}/gu) ?? ['State'];
    const [word, other] = picks.map((pick) => capitalized(words[pick % words.length] ?? ''));
    const named: Turn = {
      messages: [{ role: 'user', text: naming(word ?? '', other ?? '') }],
      answer: ANSWERS[0] ?? (() => ''),
    };
    return { ...conversation, turns: [...conversation.turns, named, last] };
  });

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
