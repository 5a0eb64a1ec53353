import { contextWords } from '../../languages/languages.ts';
import { smallWords } from '../../languages/smallWords.ts';
import { declarations, fileEndings } from '../../words/code.ts';
import { accountWords, otherPlatforms, platforms, smallPlatforms } from '../../words/platforms.ts';
import { afterKeyword, afterPrefix, contextBefore, type Match, type Recognizer } from '../recognizer.ts';
import { isPersonal, NAME } from './accountName.ts';
import { accountsInLogs } from './accountsInLogs.ts';

/** A value that a person chose has a digit or a separator; a word without them can be a variable. */
const isDistinct = (name: string): boolean => /[\d._-]/.test(name) && /\p{L}/u.test(name);

/** Names of the annotations and at-rules of programming languages, which begin with the same sign as a handle. */
const isAloneOnLine = (text: string, start: number): boolean =>
  /(?:^|\n)[\s*/#>|-]*@$/.test(text.slice(Math.max(0, start - 40), start));

const label = String.raw`(?<![\p{L}\p{N}.$_-])(?:${contextWords('username')})`;
const quotedField = new RegExp(`${label}["'] ?: ?["']$`, 'u');
const assigned = new RegExp(`${label}=["']?$`, 'u');
/** What the account belongs to: "on Steam", "for the portal". */
const ofService = String.raw`(?: (?:${smallWords('ofService')}) (?:(?:${smallWords('article')}) )?[\p{L}\d.]{2,16}(?: \p{L}{2,16})?)?`;
const inProse = new RegExp(String.raw`${label}${ofService}(?: ?:| (?:${contextWords('is')})) ["'„“«]?$`, 'u');

const directly = new RegExp(`${label} $`, 'u');
const quoted = new RegExp(`${label} ["'„“«]$`, 'u');

/** Whether a text, in lower case, ends with a label of an account. */
export const isAccountLabel = (before: string): boolean =>
  inProse.test(before) || directly.test(before) || quoted.test(before);

/** Two words that a dot joins, as companies form the names of accounts; not the name of a file or a host. */
const isDotted = (name: string): boolean => /^\p{Ll}{2,20}\.\p{Ll}{1,20}$/u.test(name) && !fileName.test(name);

const declaration = new RegExp(String.raw`\b(?:${declarations})\s[^\n]{0,24}$`);
const fileName = new RegExp(String.raw`\.(?:${fileEndings})$`);

/** How sure a value after a label is a user name: "username": "jdoe", user=jdoe, login: jdoe.7 */
function labelledScore(name: string, { text, start, end }: Match): number {
  const isWord = /\s/.test(text.charAt(start - 1));
  if ((isWord && !isDistinct(name)) || !isPersonal(name)) return 0;
  const before = contextBefore(text, start);
  const after = text.slice(end, end + 8);
  if (quotedField.test(before)) return /^\\{0,3}["']/.test(after) ? 0.85 : 0;
  if (assigned.test(before)) {
    const isCode = declaration.test(before);
    return !isCode && /^\\{0,3}["']?(?:[\s;&|]|$)/.test(after) ? 0.85 : 0;
  }
  // Without a colon or quotes, only a name with an underscore or a dot is unlike a word.
  const isAnnounced =
    inProse.test(before) ||
    ((name.includes('_') || (isDotted(name) && !before.endsWith('handle '))) && directly.test(before)) ||
    quoted.test(before);
  return isDistinct(name) && isAnnounced && /^["'”“»]?(?:[.,;)]?(?:\s|$))/.test(after) ? 0.8 : 0;
}

const labelled = afterKeyword('username', 40, [
  {
    type: 'USERNAME',
    rule: 'username.label',
    pattern: new RegExp(String.raw`(?<=["'=:\s„“«])${NAME}`, 'gu'),
    mayMatch: () => true,
    score: labelledScore,
  },
]);

/** What announces a handle: a service, or a word with which people address each other. */
const beforeHandle = new RegExp(
  String.raw`\b(?:(?:${platforms}|${smallPlatforms}|${otherPlatforms})(?:[ :]| (?:${contextWords('is')})| handle| name)?|${smallWords('beforeHandle')})[ :]{1,2}@$`,
  'i',
);

/** A handle in prose. */
const handle = afterPrefix({
  type: 'USERNAME',
  rule: 'username.handle',
  pattern: /((?<![\p{L}\p{N}_@./\\`"'$&=-])@)([\p{L}][\p{L}\d_.-]{1,28}[\p{L}\d_])(?![\p{L}\d_/(@={-]|\.[\p{L}\d])/gu,
  score: 0.8,
  mayMatch: ({ hasAt }) => hasAt,
  accepts: (name, text, start) =>
    isPersonal(name) &&
    (!isAloneOnLine(text, start) || (/[_.]/.test(name) && /^ \p{Ll}/u.test(text.slice(start + name.length)))) &&
    ((/\d/.test(name) && /^\p{Ll}/u.test(name)) ||
      /[_.]/.test(name) ||
      beforeHandle.test(text.slice(Math.max(0, start - 28), start))),
});

/** The name of a service, and the name of an account behind it, as in profiles and signatures: GitHub: jdoe */
const profileName = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N}._/-])(?:${platforms})(?: (?:${accountWords}))?: (?:@|/?u/)?)([\p{L}\d][\p{L}\d_.-]{2,38}[\p{L}\d_])(?=[,;|)•·]|\.?(?:\s|$))`,
  'uy',
);

/** The same in small letters, where only a name with a separator, a digit or a capital within it is unlike a word. */
const smallProfileName = new RegExp(
  String.raw`(?<![\p{L}\p{N}._/-])(?:${smallPlatforms})(?: (?:${accountWords}))?(?:: | is )@?([\p{L}\d_][\p{L}\d_.-]{2,38}(?:#\d{4}|[\p{L}\d_]))(?=[,;|)•·!]|\.?(?:\s|$))`,
  'uy',
);
const isOdd = (name: string): boolean => isDistinct(name) || /#|\p{Ll}\p{Lu}/u.test(name);

const isProfileName = (name: string, text: string, end: number): boolean =>
  isPersonal(name) &&
  (isDistinct(name) || (/^\p{Ll}+$/u.test(name) && /^[.]?\s*(?:[,;|•·\n]|$)/.test(text.slice(end, end + 4))));

/** A name behind the name of its service. */
const profile: Recognizer = {
  type: 'USERNAME',
  rule: 'username.profile',
  mayMatch: ({ keywords }) => keywords.of('service').length > 0,
  find(text, emit, { keywords }) {
    let done = 0;
    for (const keyword of keywords.of('service')) {
      if (keyword < done) continue;
      profileName.lastIndex = keyword;
      const [, name] = profileName.exec(text) ?? [];
      if (name !== undefined) {
        done = profileName.lastIndex;
        if (isProfileName(name, text, done)) emit(done - name.length, done, 0.8);
        continue;
      }
      smallProfileName.lastIndex = keyword;
      const [, small] = smallProfileName.exec(text) ?? [];
      if (small === undefined || !isOdd(small) || !isPersonal(small)) continue;
      done = smallProfileName.lastIndex;
      emit(done - small.length, done, 0.8);
    }
  },
};

/** Names of accounts: behind labels, in logs and files, in chats, and as handles. */
export const usernames: readonly Recognizer[] = [labelled, handle, profile, accountsInLogs];
