import { contextWords } from '../../languages/languages.ts';
import {
  afterKeyword,
  afterPrefix,
  contextBefore,
  type Match,
  type PrefixRecognizer,
  type Recognizer,
} from '../recognizer.ts';

/** A user name: letters, digits and the separators that most systems allow. Bounded: longer ones are rare. */
const NAME = String.raw`[\p{L}\d_][\p{L}\d_.-]{0,38}[\p{L}\d_]`;

/** Accounts of systems and programs, words of programs, and placeholders: they identify nobody. */
const IMPERSONAL = new Set(
  `a admin administrator all allusers all_users anonymous anyone app apache api auth backup bin bool boolean bot bob build
  builder cache centos channel char ci circleci client code config const container coder current currentuser data database
  debian default default_user demo deploy deployer developer dev devops dict docker domain dummy ec2-user email empty
  everyone example exists false fields file float foo function ftp game games gateway git github gitlab gitlab-runner guest
  here homebrew host hostname http id info input int integer invalid it item jdbc jenkins key keycloak kubernetes linux
  linuxbrew list local localhost log login logged lp mail main manager me member minio missing mongo mongodb my myapp mysql
  myuser name new nginx nil nobody node nodejs none nologin null number object oracle operator opc optional or owner param
  password path ping pi pip postgres postgresql prod production project public python rabbitmq read readonly redis regular
  required role root runner sa sample sandbox schema scott self server service session shared site some somebody someone ssh
  sshd staging std str string superuser support svc sys syslog system systemd target team temp test tester tests the this tmp
  tomcat true travis type ubuntu uid undefined unknown uint user user1 user_id userid user_name username users uuid vagrant
  value var vscode web webadmin webmaster whoami work worker world write www www-data xxx your your_username yourname you`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Whether a name can be that of a person. */
function isPersonal(name: string): boolean {
  const lower = name.toLowerCase();
  return !IMPERSONAL.has(lower) && /\p{L}/u.test(name) && !/^(?:your|my|some|example|test|x+$|\d)/.test(lower);
}

/** A value that a person chose has a digit or a separator; a word without them can be a variable. */
const isDistinct = (name: string): boolean => /[\d._-]/.test(name) && /\p{L}/u.test(name);

/** Names of the annotations and at-rules of programming languages, which begin with the same sign as a handle. */
const isAloneOnLine = (text: string, start: number): boolean =>
  /(?:^|\n)[\s*/#>|-]*@$/.test(text.slice(Math.max(0, start - 40), start));

const PATTERNS: readonly Omit<PrefixRecognizer, 'type'>[] = [
  // Home folders of Linux, macOS and Windows. A backslash is escaped in JSON and source code.
  {
    pattern: new RegExp(
      String.raw`((?<![\w.])(?:/export)?/(?:home|Users)/|\b[A-Za-z]:\\{1,4}Users\\{1,4})(${NAME})(?=[/\\\s"'\x60,;:)\]}]|$)`,
      'gu',
    ),
    score: 0.9,
    mayMatch: ({ text }) => text.includes('/home/') || text.includes('Users'),
  },
  // sshd, sudo, PAM and su, in syslog or the journal.
  {
    pattern: new RegExp(
      String.raw`(\b(?:(?:Accepted|Failed|Postponed) [\w/-]{1,24} for (?:invalid user )?|[Ii]nvalid user |session (?:opened|closed) for user |authenticating user |Disconnected from (?:invalid )?user |\bruser=|\(to \S{1,32}\) |\bsudo(?:\[\d+\])?:\s{1,6}|\buid=\d{1,10}\())(${NAME})(?=[\s():;,]|$)`,
      'gu',
    ),
    score: 0.9,
    mayMatch: ({ keywords }) => keywords.of('authenticationLog').length > 0,
  },
  // The third field of an access log in the common log format.
  {
    pattern: new RegExp(
      String.raw`(^\S{2,64} \S{1,64} )([\p{L}\d_][\p{L}\d_.@-]{1,39})(?= \[\d{1,2}/[A-Z][a-z]{2}/\d{4}:)`,
      'gmu',
    ),
    score: 0.9,
    mayMatch: ({ text }) => / \[\d{1,2}\/[A-Z][a-z]{2}\//.test(text),
  },
  // The name in a chat of IRC.
  {
    pattern: new RegExp(String.raw`(^\s{0,4}\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s{1,2}<[@+ ]?)(${NAME})(?=> )`, 'gmu'),
    score: 0.9,
    mayMatch: ({ text }) => text.includes('> '),
  },
  // A handle in prose.
  {
    pattern: /((?<![\p{L}\p{N}_@./\\`"'$&=-])@)([\p{L}][\p{L}\d_.]{1,28}[\p{L}\d_])(?![\p{L}\d_/(@={-]|\.[\p{L}\d])/gu,
    score: 0.8,
    mayMatch: ({ hasAt }) => hasAt,
    accepts: (name, text, start) =>
      (!isAloneOnLine(text, start) || (name.includes('_') && /^ \p{Ll}/u.test(text.slice(start + name.length)))) &&
      ((/\d/.test(name) && /^\p{Ll}/u.test(name)) ||
        /[_.]/.test(name) ||
        /\b(?:twitter|instagram|insta|ig|tiktok|telegram|mastodon|handle|follow|dm|ping|cc|hey|hi|hello|thanks|thx|ask)[ :]{1,2}@$/i.test(
          text.slice(Math.max(0, start - 20), start),
        )),
  },
];

const label = String.raw`(?<![\p{L}\p{N}.$_-])(?:${contextWords('username')})`;
const quotedField = new RegExp(`${label}["'] ?: ?["']$`, 'u');
const assigned = new RegExp(`${label}=["']?$`, 'u');
const inProse = new RegExp(String.raw`${label}(?: ?:| is| ist| est| es| è) ["'„“«]?$`, 'u');

const directly = new RegExp(`${label} $`, 'u');

/** How sure a value after a label is a user name: "username": "jdoe", user=jdoe, login: jdoe.7 */
function labelledScore(name: string, { text, start, end }: Match): number {
  const isWord = /\s/.test(text.charAt(start - 1));
  if ((isWord && !isDistinct(name)) || !isPersonal(name)) return 0;
  const before = contextBefore(text, start);
  const after = text.slice(end, end + 8);
  if (quotedField.test(before)) return /^\\{0,3}["']/.test(after) ? 0.85 : 0;
  if (assigned.test(before)) {
    const isCode = /\b(?:const|let|var|self|return)\s[^\n]{0,24}$/.test(before);
    return !isCode && /^\\{0,3}["']?(?:[\s;&|]|$)/.test(after) ? 0.85 : 0;
  }
  // Without a colon, only a name with an underscore is unlike a word.
  const isAnnounced = inProse.test(before) || (name.includes('_') && directly.test(before));
  return isDistinct(name) && isAnnounced && /^["'”“»]?(?:[.,;)]?(?:\s|$))/.test(after) ? 0.8 : 0;
}

const labelled = afterKeyword('username', 40, [
  {
    type: 'USERNAME',
    pattern: new RegExp(String.raw`(?<=["'=:\s„“«])${NAME}`, 'gu'),
    mayMatch: () => true,
    score: labelledScore,
  },
]);

/** Names of accounts: in paths, logs, fields, chats and as handles. */
export const usernames: readonly Recognizer[] = [
  labelled,
  ...PATTERNS.map(({ accepts = () => true, ...own }) =>
    afterPrefix({
      type: 'USERNAME',
      ...own,
      accepts: (name, text, start) => isPersonal(name) && accepts(name, text, start),
    }),
  ),
];
