import { announced, anywhere, before, eachMatch, type Hints, reach, type Recognizer } from '../recognizer.ts';

/**
 * Prefixes under which services issue keys, each with the alphabet and the least length of what follows. From the
 * services' own documentation of their formats.
 */
const prefixed: readonly string[] = [
  'sk-(?:proj-|ant-|or-v1-|live-|svcacct-|admin-|lf-)?[\\w-]{16,200}', // OpenAI, Anthropic, OpenRouter, LiteLLM, Langfuse
  'pk-lf-[\\w-]{30,60}',
  '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,120}', // Stripe
  'whsec_[A-Za-z0-9+/=]{24,80}',
  'gh[pousr]_[A-Za-z0-9]{30,255}', // GitHub
  'github_pat_[A-Za-z0-9_]{30,255}',
  'gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[\\w-]{18,100}', // GitLab
  '(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{16}', // AWS
  'AIza[\\w-]{33,45}', // Google
  'ya29\\.[\\w-]{20,300}',
  'GOCSPX-[\\w-]{20,40}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,250}', // Slack
  'xapp-\\d-[A-Za-z0-9-]{20,250}',
  'hooks\\.slack\\.com/services/[A-Za-z0-9/]{20,80}',
  'SG\\.[\\w-]{16,40}\\.[\\w-]{16,60}', // SendGrid
  'key-[0-9a-f]{32}', // Mailgun
  '(?:AC|SK)[0-9a-f]{32}', // Twilio
  'npm_[A-Za-z0-9]{36}',
  'pypi-[\\w-]{50,250}',
  'hf_[A-Za-z0-9]{30,60}', // Hugging Face
  'r8_[A-Za-z0-9]{30,60}', // Replicate
  'gsk_[A-Za-z0-9]{30,80}', // Groq
  'xai-[A-Za-z0-9]{40,120}',
  'pplx-[A-Za-z0-9]{30,80}',
  'lsv2_(?:pt|sk)_[A-Za-z0-9_]{30,80}', // LangSmith
  'nvapi-[\\w-]{40,100}',
  'dop_v1_[0-9a-f]{64}', // DigitalOcean
  'hv[sbr]\\.[\\w-]{20,300}', // Vault
  'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}', // Shopify
  'dapi[0-9a-f]{32}', // Databricks
  'PMAK-[0-9a-f-]{50,70}', // Postman
  'NRAK-[A-Z0-9]{27}', // New Relic
  'glsa_[A-Za-z0-9_]{32,60}', // Grafana
  'EAA[A-Za-z0-9]{40,300}', // Meta
  'sq0(?:atp|csp)-[\\w-]{22,60}', // Square
  'lin_api_[A-Za-z0-9]{30,60}', // Linear
  'secret_[A-Za-z0-9]{40,60}', // Notion
  'ntn_[A-Za-z0-9]{40,60}',
  'figd_[\\w-]{30,60}', // Figma
  'dckr_pat_[\\w-]{20,60}', // Docker
  'rubygems_[0-9a-f]{48}',
  'ATATT3[\\w=-]{50,250}', // Atlassian
  'AGE-SECRET-KEY-1[A-Z0-9]{58}',
  'tskey-[a-z]+-[A-Za-z0-9-]{20,80}', // Tailscale
  'sbp_[0-9a-f]{40}', // Supabase
  'vc[a-z]_[A-Za-z0-9]{24,80}', // Vercel
  '\\d{8,10}:AA[\\w-]{33}', // Telegram
  '[MNO][\\w-]{22,27}\\.[\\w-]{6}\\.[\\w-]{27,40}', // Discord
];

/** Not the example of a manual: something of chance in it. */
function varied(value: string): boolean {
  const body = value.slice(4);
  return (
    new Set(body).size >= Math.min(8, body.length / 3) &&
    !/x{6}|\*{4}|\.{4}|(?:your|example|placeholder|redacted)/i.test(value)
  );
}

/** Bits a character by frequency: words have about 3, random keys above 3.5 at twenty characters. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

const keyed = anywhere({
  type: 'API_KEY',
  pattern: new RegExp(`(?<![\\w/+-])(?:${prefixed.join('|')})(?![\\w/+])`, 'g'),
  worthwhile: (hints) => hints.token >= 14,
  score: (value) => (varied(value) ? 0.99 : 0),
});

const jwt = anywhere({
  type: 'API_KEY',
  pattern: /(?<![\w.-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}(?:\.[\w-]{0,2000})?/g,
  worthwhile: (hints) => hints.token >= 10,
  score: () => 0.99,
});

const privateKeyStart = /-----BEGIN (?:[A-Z]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** A private key in PEM or PGP armour, to its end line; without one (cut off), to the last line that looks like base64. */
const privateKey: Recognizer = {
  type: 'API_KEY',
  worthwhile: () => true,
  find(text, emit) {
    if (!text.includes('PRIVATE KEY')) return;
    let from = 0;
    eachMatch(privateKeyStart, text, (start) => {
      if (start.index < from) return;
      const body = start.index + start[0].length;
      const close = /-----END (?:[A-Z]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----/.exec(text.slice(body, body + 16_384));
      const loose = /^(?:[A-Za-z0-9+/=:,\s-]|\\[nr]){0,16384}/.exec(text.slice(body, body + 16_384));
      from = body + (close ? close.index + close[0].length : (loose?.[0].trimEnd().length ?? 0));
      emit(start.index, from, 1);
    });
  },
};

/** A quote as it is written: plain, with backslashes within a string, in a URL or in HTML. */
const quote = String.raw`(?:\\{0,15}["'${'`'}]|%(?:25){0,3}2[27]|&(?:quot|apos|#3[49]);)`;

/**
 * A word that says what follows is secret, how it says so, and the quote that opens the secret: sticky, to be tried where a
 * word may begin.
 */
const assigned = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N}])|(?<=%(?:25){0,3}(?:[27][0-9a-f]|[35][bdf]|0[ad])))(?:pass(?:word|wd|phrase|code)?|pwd|passwort|kennwort|mot de passe|contraseña|wachtwoord|lösenord|parola d'ordine|secret(?:[_ -]?key)?|(?:api|access|auth|private|client|account|encryption|signing|master|session|refresh|[cx]srf)[_ -]?(?:key|token|secret)(?:[_ -]?id)?|(?:j|php)?sess(?:ion)?(?:[_ -]?id)?|token|bearer|credentials?|pin(?: code)?)${quote}?\s{0,3}(?::=|=>|[:=]|%(?:25){0,3}3[ad]|\bis\b|\bist\b|\best\b|\bes\b|\bwas\b|\bè\b|(?<=[Bb]earer)\s)\s{0,3}(${quote})?`,
  'iuy',
);

const words =
  /^(?:true|false|null|none|undefined|string|str|number|int|integer|boolean|bool|object|any|required|optional|secret|token|password|passwd|process|env|os|self|this|config|settings|options|value|input|getenv|not|wrong|incorrect|invalid|expired|missing|stored|hashed|weak|strong|too|the|a|an|my|your|in|on|at|to|for|of|that|what|very|used|sent|valid|correct|changed|reset|empty|bearer|basic)\b/i;

/** The most that a secret is long, in UTF-16 code units. */
const longestSecret = 200;

/** Where the quote stands again that opened a string, with as many backslashes; an escaped one within has more. */
function closing(text: string, from: number, opening: string): number | undefined {
  const to = Math.min(text.length, from + longestSecret + opening.length);
  const mark = opening.charAt(opening.length - 1);
  const depth = opening.length - 1;
  for (let at = text.indexOf(mark, from); at >= 0 && at < to; at = text.indexOf(mark, at + 1)) {
    if (!opening.startsWith('\\') && depth > 0) {
      // %22 and &quot; are themselves whatever stands before them.
      const start = at - depth;
      if (start >= from && text.startsWith(opening, start)) return start;
      continue;
    }
    let start = at;
    while (start > from && text.charAt(start - 1) === '\\') start--;
    if (at - start >= depth && (at - start - depth) % (2 * depth + 2) === 0) return at - depth;
  }
  return undefined;
}

const bare = /[^\s"'`,;<>(){}[\]]{4,200}/y;
/** What ends a secret without quotes: the end of the string around it, or the next field of a form. */
const bareEnd = /\\+$|&[\w.%[\]-]{1,64}=.*/;
/** The same where all is encoded as in a URL. */
const encodedEnd = /(?:&|%(?:25){0,3}(?:2[267c]|3b|7d|0[ad])).*/i;
const isEncoded = /%(?:25){0,3}3[ad]\s*$/i;

interface Secret {
  readonly start: number;
  readonly value: string;
  readonly isQuoted: boolean;
}

/** Reads the secret that a match of {@link assigned} leads to. */
function readSecret({ text, written }: Hints, start: number, [said, opening]: RegExpExecArray): Secret | undefined {
  const end = opening === undefined ? undefined : closing(written, start, opening);
  const quoted = end === undefined ? '' : written.slice(start, end);
  if (quoted.length >= 4 && !/\s/.test(quoted)) return { start, value: quoted, isQuoted: true };
  bare.lastIndex = start;
  const raw = bare.exec(text)?.[0];
  if (raw === undefined) return undefined;
  return {
    start,
    value: raw.replace(isEncoded.test(said) ? encodedEnd : bareEnd, '').replace(/[.?:]+$/, ''),
    isQuoted: false,
  };
}

/** What stands for a value: a variable of a template or a shell, asterisks, dots. */
const placeholder = /^[$%{<]|^\*+$|^x+$|^\.+|\$[({]|\{\{|%[({]|\{\w*\}/i;
/** An expression of a program. */
const expression = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:[([].*)?$|^\w+\(.*\)$/;

/** A password or key by the word that precedes it: by its mix of characters, never a plain word. */
const named: Recognizer = {
  type: 'PASSWORD',
  worthwhile: (hints) => hints.token >= 2,
  find(text, emit, hints) {
    let from = 0;
    for (const index of hints.announcements.of('secret')) {
      if (index < from) continue;
      assigned.lastIndex = index;
      const match = assigned.exec(text);
      if (!match) continue;
      const secret = readSecret(hints, assigned.lastIndex, match);
      if (!secret) continue;
      const { start, value } = secret;
      from = start + value.length;
      if (value.length < 4 || words.test(value) || placeholder.test(value) || expression.test(value)) continue;
      const word = match[0].toLowerCase();
      if (word.startsWith('pin')) {
        if (/^\d{4,8}$/.test(value)) emit(start, start + value.length, 0.8);
        continue;
      }
      // Depth adds backslashes, and says nothing of the secret.
      const content = value.replace(/\\+/g, '\\');
      const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(content)).length;
      const isPassword = /^(?:pass|pwd|kenn|mot|contra|wacht|lös|parola)/.test(word);
      if (isPassword && content.length >= 6 && (classes >= 3 || (classes >= 2 && /\d/.test(content))))
        emit(start, start + value.length, 0.85);
      else if (!isPassword && content.length >= 16 && /\d/.test(content) && classes >= 2 && entropy(content) > 3.2) {
        emit(start, start + value.length, 0.85, 'API_KEY');
      }
    }
  },
};

/** RFC 7617: name and password, encoded, in a header. */
const basicHeader = /\bbasic {1,3}([A-Za-z\d+/]{8,400}={0,2})(?![\w+/=])/gi;
/** As `curl` takes them; the second group is the password. */
const userOption =
  /(?<=\s)(?:-u|--(?:proxy-)?user)[ =](?:\\{0,15}["'])?([^\s:"'$]{1,64}:(?!\/\/)((?:[^\s"'$,;\\]|\\(?!\\{0,15}["'])){4,200}))/g;
/** A line of `.netrc`. */
const netrc = /\blogin \S{1,100}\s{1,8}password ((?:[^\s"'\\]|\\(?!\\{0,15}["'])|["'](?![\s,;:)}\]]|$)){4,200})/g;

/** Passwords where neither `=` nor `:` tells what they are. */
const login: Recognizer = {
  type: 'PASSWORD',
  worthwhile: ({ announcements }) => announcements.of('login').length > 0,
  find(text, emit) {
    const take = ({ index, 0: whole }: RegExpExecArray, value: string, score: number): void => {
      const start = index + whole.lastIndexOf(value);
      emit(start, start + value.length, score);
    };
    eachMatch(basicHeader, text, (match) => {
      const [, value = ''] = match;
      const said = Buffer.from(value, 'base64').toString('latin1');
      if (/^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,200}$/.test(said)) take(match, value, 0.95);
    });
    eachMatch(userOption, text, (match) => {
      const [, both = '', password = ''] = match;
      // Users and groups are written so, too: `docker run -u 1000:1000`, `-u kim:staff`.
      if (/\d/.test(password) ? /\D/.test(password) : /[^a-z]/.test(password)) take(match, both, 0.85);
    });
    eachMatch(netrc, text, (match) => {
      const [, password = ''] = match;
      if (/\d/.test(password)) take(match, password, 0.85);
    });
  },
};

const awsSecret = announced('cloudSecret', reach, [
  {
    type: 'API_KEY',
    pattern: /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g,
    worthwhile: ({ token }) => token >= 4,
    score: (value, { text, start }) =>
      /aws|secret|access.?key/.test(before(text, start)) &&
      /\d/.test(value) &&
      /[A-Z]/.test(value) &&
      entropy(value) > 4
        ? 0.9
        : 0,
  },
]);

const wallet = anywhere({
  type: 'CRYPTO',
  pattern: /(?<![\w/])(?:0x[0-9a-fA-F]{40}|bc1[02-9ac-hj-np-z]{25,59}|[13][1-9A-HJ-NP-Za-km-z]{25,34})(?![\w/])/g,
  worthwhile: (hints) => hints.token >= 26,
  score: (value, { text, start }) => {
    if (value.startsWith('bc1')) return 0.95;
    const said = /bitcoin|\bbtc\b|wallet|crypto|ethereum|\beth\b|donat/.test(before(text, start));
    const mixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
    return said ? 0.95 : value.startsWith('0x') || mixed ? 0.6 : 0;
  },
});

/** Keys, tokens, passwords and what else opens a door. */
export const secrets: readonly Recognizer[] = [keyed, jwt, privateKey, named, login, awsSecret, wallet];
