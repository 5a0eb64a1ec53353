import { afterPrefix, eachMatch, type PrefixRecognizer, type Recognizer } from '../recognizer.ts';
import { codeNotes, gitTrailers, homeRoots, ircEvents, systemLogPhrases } from '../../words/code.ts';
import { isPersonal, NAME } from './accountName.ts';

type Place = Omit<PrefixRecognizer, 'type'>;

/** Home folders of Linux, macOS and Windows. A backslash is escaped in JSON and source code. */
const homeFolder: Place = {
  rule: 'username.homeFolder',
  pattern: new RegExp(
    String.raw`((?<![\w.])(?:/(?:${homeRoots}))?/(?:home|Users)/|\b[A-Za-z]:\\{1,4}Users\\{1,4})(${NAME})(?=[/\\\s"'\x60,;:)\]}]|$)`,
    'gu',
  ),
  score: 0.9,
  near: { keyword: 'homeFolder' },
};

/** Lines of sshd, sudo, PAM, su, logind, useradd, cron, Samba and auditd, in syslog or the journal. */
const systemLog: Place = {
  rule: 'username.systemLog',
  pattern: new RegExp(String.raw`(\b(?:${systemLogPhrases}))(${NAME})(?=\.?(?:[\s():;,"']|$))`, 'gu'),
  score: 0.9,
  near: { keyword: 'authenticationLog' },
};

/** A down-level logon name of Windows: the domain, a backslash and the name. */
const domainAccount: Place = {
  rule: 'username.domainAccount',
  pattern:
    /()((?<![\w\\/.:-])(?!HK(?:LM|CU|CR|U)\\)[A-Z][A-Z\d-]{2,14}\\{1,2}\p{Ll}[\p{Ll}\d_.-]{2,30}[\p{Ll}\d])(?=[\s()"',;:]|$)(?![.:]\\)/gu,
  score: 0.8,
  near: { keyword: 'domainAccount' },
};

/** The common name of a client in the log of a VPN, before its address. */
const vpnClient: Place = {
  rule: 'username.vpnClient',
  pattern: new RegExp(String.raw`((?:^|[\s\]"'])(?=\S{2,40}/\d))(${NAME})(?=/\d{1,3}(?:\.\d{1,3}){3}:\d)`, 'gmu'),
  score: 0.85,
  mayMatch: ({ keywords }) => keywords.of('vpn').length > 0,
};

/** The address of a host behind `@`, or its name and the folder in the prompt of a shell. */
const host = /@(?:\d{1,3}(?:\.\d{1,3}){3}\b|\[?[\da-f]{1,4}:[\da-f:]{2,39}|[\p{L}\d-]{1,40}:[~/]\S{0,80}[$#%] )/giu;
const accountBefore = new RegExp(String.raw`(?:^|[\s"'(\[])(${NAME})$`, 'mu');
/** The longest name of an account and the character before it, in UTF-16 code units. */
const LONGEST_ACCOUNT = 41;

/** The account of a remote shell or copy, and the prompt of a shell. */
const remoteAccount: Recognizer = {
  type: 'USERNAME',
  rule: 'username.shell',
  mayMatch: ({ hasAt }) => hasAt,
  find(text, emit) {
    eachMatch(host, text, ({ index }) => {
      const [, name] = accountBefore.exec(text.slice(Math.max(0, index - LONGEST_ACCOUNT), index)) ?? [];
      if (name !== undefined && isPersonal(name))
        emit(index - name.length, index, 0.85, 'USERNAME', remoteAccount.rule);
    });
  },
};

/** The third field of an access log in the common log format. */
const accessLog: Place = {
  rule: 'username.accessLog',
  pattern: new RegExp(
    String.raw`(^\S{2,64} \S{1,64} )([\p{L}\d_][\p{L}\d_.@-]{1,39})(?= \[\d{1,2}/[A-Z][a-z]{2}/\d{4}:)`,
    'gmu',
  ),
  score: 0.9,
  near: { sign: ' [' },
};

const event = new RegExp(String.raw` (?:${ircEvents})\b`);

/** The names in a chat of IRC: of speakers, and of those who come, go and change their names. */
const chat: Place = {
  rule: 'username.chat',
  pattern: new RegExp(
    String.raw`(^\s{0,4}\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s{1,2}(?:<[@+ ]?|(?:\*|-!-|-->|<--) ))(${NAME})(?=> |\s|$)`,
    'gmu',
  ),
  score: 0.9,
  mayMatch: ({ digits, keywords }) => digits > 2 && keywords.of('chat').length > 0,
  accepts: (_name, text, start) => {
    const line = text.slice(text.lastIndexOf('\n', start) + 1, start + 96).split('\n')[0] ?? '';
    return line.includes('<') || event.test(line);
  },
};

/** The old name in a change of names in IRC stands before the new one, so both need a match of their own. */
const renamed: Place = {
  rule: 'username.renamed',
  pattern: new RegExp(String.raw`(\bis now known as )(${NAME})(?=[\s.]|$)`, 'gmu'),
  score: 0.9,
  near: { keyword: 'renamed' },
};

/** Authors in trailers of git who give the name of their account. {@link names} finds full names. */
const trailer: Place = {
  rule: 'username.trailer',
  pattern: new RegExp(String.raw`(^\s{0,8}(?:${gitTrailers}): )([\p{L}\d_][\p{L}\d_.-]{1,38}[\p{L}\d_])(?= <)`, 'gimu'),
  score: 0.85,
  near: { sign: ' <' },
  mayMatch: ({ hasAt }) => hasAt,
};

/** The person to whom a note in code is assigned. */
const assignee: Place = {
  rule: 'username.assignee',
  pattern: new RegExp(
    String.raw`(\b(?:${codeNotes})\(@?)(?!(?:py|es|ie|v|rfc)\d)([\p{Ll}][\p{L}\d_.-]{1,30}[\p{L}\d])(?=\))`,
    'gu',
  ),
  score: 0.8,
  near: { keyword: 'assignee' },
};

/** The owners of files in a CODEOWNERS file. Teams have a slash. */
const codeOwner: Place = {
  rule: 'username.codeOwner',
  pattern: /(^(?:[*/.]\S{0,120}|\*)\s{1,40}(?:@[\w./-]{2,80} ){0,8}@)([\p{L}\d][\p{L}\d-]{1,38})(?=\s|$)/gmu,
  score: 0.85,
  near: { sign: ' @' },
};

/** Members of chats: the notation of Slack and Discord. */
const member: Place = {
  rule: 'username.member',
  pattern: /(<@!?)([UW][A-Z\d]{7,11}|\d{17,20})(?=[>|])/gu,
  score: 0.9,
  near: { sign: '<@' },
};

/** A line of `git shortlog`: the number of commits, and the author. */
const shortlog: Place = {
  rule: 'username.shortlog',
  pattern: new RegExp(String.raw`(^\s{1,8}\d{1,6}(?:\t|\s{2}))(${NAME})(?=\s*$)`, 'gmu'),
  score: 0.8,
  mayMatch: ({ keywords }) => keywords.of('shortlog').length > 0,
};

const places: readonly Recognizer[] = [
  homeFolder,
  systemLog,
  domainAccount,
  vpnClient,
  accessLog,
  chat,
  renamed,
  trailer,
  assignee,
  codeOwner,
  member,
  shortlog,
]
  .map(({ accepts = () => true, ...own }) =>
    afterPrefix({
      type: 'USERNAME',
      ...own,
      accepts: (name, text, start) => isPersonal(name.slice(name.lastIndexOf('\\') + 1)) && accepts(name, text, start),
    }),
  )
  .concat(remoteAccount);

/** Names of accounts that their place in files, logs and commands identifies. */
export const accountsInLogs: Recognizer = {
  type: 'USERNAME',
  rule: remoteAccount.rule,
  otherRules: places.map(({ rule }) => rule).filter((rule) => rule !== remoteAccount.rule),
  mayMatch: ({ hasAt, keywords }) => hasAt || keywords.of('account').length > 0,
  find(text, emit, stats) {
    for (const place of places) if (place.mayMatch(stats)) place.find(text, emit, stats);
  },
};
