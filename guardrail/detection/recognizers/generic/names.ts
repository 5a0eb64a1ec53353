import { contextWords } from '../../languages/languages.ts';
import { smallWords } from '../../languages/smallWords.ts';
import { impersonalMailboxes } from '../../words/accounts.ts';
import { afterKeyword, afterPrefix, contextBefore, eachMatch, type Recognizer } from '../recognizer.ts';

/** A word of a name: `O'Neill`, `Jean-Luc`, `J.`, `山田`. */
const WORD = String.raw`(?:\p{Lu}[\p{L}\p{M}'’.-]{0,30}|\p{Lo}{1,12})`;
const PARTICLE = `(?:${smallWords('inName')})`;
const NAME = String.raw`${WORD}(?: (?:${PARTICLE} ){0,3}${WORD}){0,4}`;
const FULL_NAME = String.raw`${WORD}(?: (?:${PARTICLE} ){0,3}${WORD}){1,4}`;

const field = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${contextWords('personName')})["'] ?: ?["']$`, 'u');

const impersonal = new RegExp(`^(?:${impersonalMailboxes})`, 'i');

/** A message in an exported chat: 12/03/24, 10:22 - Lucia: … */
const chatMessage = afterPrefix({
  type: 'PERSON',
  rule: 'name.chat',
  pattern: new RegExp(
    String.raw`(^\u200e?\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[ \u202f]?[AaPp]\.?[Mm]\.?)?\]?(?: -)? )(${NAME})(?=: )`,
    'gmu',
  ),
  score: 0.9,
  mayMatch: ({ text, digits }) => digits >= 7 && text.includes(': '),
});

/** The value of a field whose key says that it is the name of a person. */
const fields = afterKeyword('personName', 48, [
  {
    type: 'PERSON',
    rule: 'name.field',
    pattern: new RegExp(String.raw`(?<=["'])${NAME}(?=\\{0,3}["'])`, 'gu'),
    mayMatch: ({ keywords }) => keywords.of('quotedKey').length > 0,
    score: (_name, { text, start }) => (field.test(contextBefore(text, start)) ? 0.9 : 0),
  },
]);

/** The address of a mailbox, behind the name: RFC 5322, section 3.4. Git writes authors and trailers like this. */
const address = /"? <([^\s<>@"]{1,64})@[^\s<>]{3,190}>/g;
const nameBefore = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${FULL_NAME}|\p{Lo}{2,6})$|(?<=[":] ?|^|\n)${WORD}, ${WORD}(?: ${WORD})?$`,
  'u',
);
/** The longest name before an address, in UTF-16 code units. */
const LONGEST_NAME = 160;

const mailbox: Recognizer = {
  type: 'PERSON',
  rule: 'name.mailbox',
  mayMatch: ({ text, hasAt }) => hasAt && text.includes(' <'),
  find(text, emit) {
    eachMatch(address, text, ({ index, 1: local = '' }) => {
      if (impersonal.test(local)) return;
      const [name] = nameBefore.exec(text.slice(Math.max(0, index - LONGEST_NAME), index)) ?? [];
      if (name !== undefined) emit(index - name.length, index, 0.95);
    });
  },
};

/** Names of persons that their place in data, mail headers and chats identifies. The tagger finds those in running text. */
export const names: readonly Recognizer[] = [fields, mailbox, chatMessage];
