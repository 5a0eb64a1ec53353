import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../hack/harness/scale.ts';
import type { Pseudonym } from '../ids.ts';
import { createGrammar, mayHavePseudonyms } from './grammar.ts';
import { createLabelSet } from './labels.ts';
import { pseudonymOf } from './pseudonyms.ts';
import { restoreText, scanText } from './testing/atOnce.ts';
import type { Stored } from './encoding.ts';

const grammar = createGrammar(createLabelSet(['Employee ID (2)']).labels);
const value = (text: string): Stored => ({ kind: 'value', value: text });
const known = new Map<Pseudonym, Stored>([
  ['<PERSON_K7Q2RTM4>' as Pseudonym, value('Anna')],
  ['<EMAIL_ADDRESS_AB12CDEF>' as Pseudonym, value('a@b.example')],
  ['<EMPLOYEE_ID_2_9ZX8YW6K>' as Pseudonym, value('E-77')],
  [pseudonymOf('', 'K7Q2RTM4'), value('Anna')],
  [pseudonymOf('', 'AB12CDEF'), value('a@b.example')],
]);
const restore = (text: string): string => restoreText(scanText(grammar, text), known, 'text').text;

describe('grammar of pseudonyms', () => {
  const accepted: Record<string, [form: string, restored: string][]> = {
    'the canonical form': [
      ['<PERSON_K7Q2RTM4>', 'Anna'],
      ['Dear <PERSON_K7Q2RTM4>, your <EMAIL_ADDRESS_AB12CDEF>', 'Dear Anna, your a@b.example'],
      ['<PERSON_K7Q2RTM4><PERSON_K7Q2RTM4>', 'AnnaAnna'],
      ['**<PERSON_K7Q2RTM4>** and `<PERSON_K7Q2RTM4>`', '**Anna** and `Anna`'],
      ['<EMPLOYEE_ID_2_9ZX8YW6K>', 'E-77'],
      ['さん<PERSON_K7Q2RTM4>さん', 'さんAnnaさん'],
    ],
    'another case': [
      ['<person_k7q2rtm4>', 'Anna'],
      ['<Person_K7q2rtm4>', 'Anna'],
    ],
    'inner white space': [
      ['< PERSON_K7Q2RTM4 >', 'Anna'],
      ['<  PERSON_K7Q2RTM4\n>', 'Anna'],
      ['< PERSON _ K7Q2RTM4>', 'Anna'],
    ],
    'other separators': [
      ['<PERSON\\_K7Q2RTM4>', 'Anna'],
      ['<EMAIL\\\\_ADDRESS\\\\_AB12CDEF>', 'a@b.example'],
      ['<EMAIL-ADDRESS-AB12CDEF>', 'a@b.example'],
      ['<Email Address AB12CDEF>', 'a@b.example'],
      ['<PERSON‑K7Q2RTM4>', 'Anna'],
    ],
    'escaped brackets': [
      ['&lt;PERSON_K7Q2RTM4&gt;', 'Anna'],
      ['\\u003cPERSON_K7Q2RTM4\\u003e', 'Anna'],
      ['\\\\u003CPERSON_K7Q2RTM4\\\\u003E', 'Anna'],
      ['?to=%3CPERSON_K7Q2RTM4%3E', '?to=Anna'],
    ],
    'other brackets': [
      ['[PERSON_K7Q2RTM4]', 'Anna'],
      ['(PERSON_K7Q2RTM4)', 'Anna'],
      ['( person-k7q2rtm4 )', 'Anna'],
      ['[PERSON_K7Q2RTM4]([EMAIL_ADDRESS_AB12CDEF])', '[Anna](a@b.example)'],
    ],
    'a lost bracket': [
      ['<PERSON_K7Q2RTM4 said', 'Anna said'],
      ['<PERSON_K7Q2RTM4', 'Anna'],
      ['&lt;PERSON_K7Q2RTM4.', 'Anna.'],
      ['PERSON_K7Q2RTM4> said', 'Anna said'],
      ['PERSON_K7Q2RTM4&gt;', 'Anna'],
    ],
    'a bracket that belongs to the sentence': [
      ['(PERSON_K7Q2RTM4 said so)', '(Anna said so)'],
      ['(see PERSON_K7Q2RTM4)', '(see Anna)'],
      ['[PERSON_K7Q2RTM4, EMAIL_ADDRESS_AB12CDEF]', '[Anna, a@b.example]'],
      ['(PERSON_K7Q2RTM4]', '(Anna]'],
      ['(PERSON_K7Q2RTM4>', '(Anna'],
      ['(call <PERSON_K7Q2RTM4)', '(call Anna)'],
    ],
    'possessive endings': [
      ["<PERSON_K7Q2RTM4>'s", "Anna's"],
      ["<PERSON_K7Q2RTM4's>", "Anna's"],
      ['<PERSON_K7Q2RTM4’s> book', 'Anna’s book'],
      ["<PERSON_K7Q2RTM4'>", "Anna'"],
      ["<PERSON_K7Q2RTM4's book", "Anna's book"],
      ["(PERSON_K7Q2RTM4's)", "Anna's"],
    ],
    'no bracket': [
      ['PERSON_K7Q2RTM4', 'Anna'],
      ['Person_K7Q2RTM4 said', 'Anna said'],
      ["PERSON\\_K7Q2RTM4's", "Anna's"],
      ['PERSON‑K7Q2RTM4.pdf', 'Anna.pdf'],
      ['请联系PERSON_K7Q2RTM4。', '请联系Anna。'],
      ['/to/PERSON_K7Q2RTM4/x', '/to/Anna/x'],
      ['<img alt=PERSON_K7Q2RTM4/>', '<img alt=Anna/>'],
    ],
    'marks that stay': [
      ['"PERSON_K7Q2RTM4"', '"Anna"'],
      ["'PERSON_K7Q2RTM4'", "'Anna'"],
      ['{"name":"PERSON_K7Q2RTM4"}', '{"name":"Anna"}'],
      ['{\\"name\\":\\"PERSON_K7Q2RTM4\\"}', '{\\"name\\":\\"Anna\\"}'],
      ['`PERSON_K7Q2RTM4`', '`Anna`'],
      ['**PERSON_K7Q2RTM4**', '**Anna**'],
      ['„PERSON_K7Q2RTM4“', '„Anna“'],
      ['「PERSON_K7Q2RTM4」', '「Anna」'],
      ['[PERSON_K7Q2RTM4](x)', '[Anna](x)'],
      ["[PERSON_K7Q2RTM4's](x)", "[Anna's](x)"],
      ['![PERSON_K7Q2RTM4](x)', '![Anna](x)'],
      ['\\textbf{PERSON_K7Q2RTM4}', '\\textbf{Anna}'],
      ['${PERSON_K7Q2RTM4}', '${Anna}'],
      ['{PERSON_K7Q2RTM4, EMAIL_ADDRESS_AB12CDEF}', '{Anna, a@b.example}'],
    ],
    'brackets in place of angle brackets': [
      ['{PERSON_K7Q2RTM4}', 'Anna'],
      ['{{PERSON_K7Q2RTM4}}', 'Anna'],
      ['{{ PERSON_K7Q2RTM4 }}', 'Anna'],
      ['«PERSON_K7Q2RTM4»', 'Anna'],
      ['« PERSON_K7Q2RTM4 »', 'Anna'],
      ['＜PERSON_K7Q2RTM4＞', 'Anna'],
      ['‹PERSON_K7Q2RTM4› 〈PERSON_K7Q2RTM4〉 ⟨PERSON_K7Q2RTM4⟩', 'Anna Anna Anna'],
    ],
    'other spellings of angle brackets': [
      ['\\<PERSON_K7Q2RTM4\\>', 'Anna'],
      ['\\<PERSON\\_K7Q2RTM4\\>', 'Anna'],
      ['\\\\<person_k7q2rtm4\\\\>', 'Anna'],
      ['C:\\<PERSON_K7Q2RTM4>\\x', 'C:\\Anna\\x'],
      ['<PERSON_K7Q2RTM4>x</PERSON_K7Q2RTM4>', 'AnnaxAnna'],
      ['<PERSON_K7Q2RTM4/> <PERSON_K7Q2RTM4 />', 'Anna Anna'],
      ['&#60;PERSON_K7Q2RTM4&#62; &#x3C;PERSON_K7Q2RTM4&#x3E;', 'Anna Anna'],
      ['&#060;PERSON_K7Q2RTM4&#0062;', 'Anna'],
      ['&amp;lt;PERSON_K7Q2RTM4&amp;gt;', 'Anna'],
      ['%253CPERSON_K7Q2RTM4%253E', 'Anna'],
      ['\\x3cPERSON_K7Q2RTM4\\x3e', 'Anna'],
      ['\\u{3c}PERSON_K7Q2RTM4\\u{3e}', 'Anna'],
    ],
    'other separators of an exact code': [
      ['<PERSON:K7Q2RTM4>', 'Anna'],
      ['<PERSON: K7Q2RTM4>', 'Anna'],
      ['<PERSON__K7Q2RTM4>', 'Anna'],
      ['<PERSON_\u200bK7Q2RTM4>', 'Anna'],
      ['<PERSON\u200bK7Q2RTM4>', 'Anna'],
      ['PERSON__K7Q2RTM4', 'Anna'],
    ],
    'another label': [
      ['<PERSONNE_K7Q2RTM4>', 'Anna'],
      ['<personne_K7Q2RTM4>', 'Anna'],
      ['<PERSONA_K7Q2RTM4> <NAME_K7Q2RTM4>', 'Anna Anna'],
      ['<人_K7Q2RTM4>', 'Anna'],
      ['<ПЕРСОНА_K7Q2RTM4>', 'Anna'],
      ['<शख़्स_K7Q2RTM4>', 'Anna'],
      ['<Adresse e-mail AB12CDEF>', 'a@b.example'],
      ['</PERSONNE_K7Q2RTM4>', 'Anna'],
      ['&lt;PERSONNE_K7Q2RTM4&gt;', 'Anna'],
      ['[PERSONNE_K7Q2RTM4] (人_K7Q2RTM4) {{Имя_K7Q2RTM4}}', 'Anna Anna Anna'],
      ['PERSONNE_K7Q2RTM4', 'Anna'],
      ['ИМЯ_K7Q2RTM4.', 'Anna.'],
      ['"personne_K7Q2RTM4"', '"Anna"'],
      ['「人_K7Q2RTM4」', '「Anna」'],
      ['X_PERSON_K7Q2RTM4>', 'Anna'],
    ],
  };
  for (const [name, forms] of Object.entries(accepted)) {
    for (const [form, restored] of forms) {
      it(`accepts ${name}: ${form}`, () => {
        expect(restore(form)).to.equal(restored);
        expect(mayHavePseudonyms(form)).to.equal(true);
      });
    }
  }

  const refused = [
    'person k7q2rtm4 is what it says',
    '<PERSON_K7Q2RTM5>',
    '<PERSON_K7Q2RTM>',
    '<PERSON_K7Q2RTM4X>',
    '<PERSON_K7Q2RTM4_2>',
    '<PERSON_XK7Q2RTM4>',
    '<PERSONK7Q2RTM4>',
    '<PERSON   K7Q2RTM4>',
    '<PERSON\n\n\nK7Q2RTM4>',
    '(person K7Q2RTM4)',
    '[Email Address AB12CDEF]',
    'person K7Q2RTM4>',
    '(person - K7Q2RTM4)',
    '<PERSON_1>',
    'K7Q2RTM4',
    '<K7Q2RTM4>',
    'person_k7q2rtm4',
    '"person_k7q2rtm4"',
    '<personne_k7q2rtm4>',
    'personne_K7Q2RTM4',
    '请联系人_K7Q2RTM4',
    'éNAME_K7Q2RTM4',
    'PERSON K7Q2RTM4',
    'PERSON:K7Q2RTM4',
    "'validate:K7Q2RTM4'",
    'PERSON_K7Q2RTM4_2',
    '\\PERSON_K7Q2RTM4',
    '<a_b_c_d_e_f_K7Q2RTM4>',
    '<one two three four five six K7Q2RTM4>',
  ];
  for (const text of refused) {
    it(`does not accept ${JSON.stringify(text)}`, () => expect(restore(text)).to.equal(text));
  }

  it('never changes ordinary prose, code and data', () => {
    const everything: ReadonlyMap<Pseudonym, Stored> = Object.assign(new Map<Pseudonym, Stored>(), {
      has: () => true,
      get: () => value('WRONG'),
    });
    const innocent = [
      'The first person (person 1) met person 2 at [location 3]. A person > a number, and <person> is a tag.',
      'if (a < b && person_id > 5) { persons[person_count] = <Person name="x" />; }',
      '<date>2024-11-21</date> <url>https://example.org</url> <id>7</id> [id: 9] (title page)',
      'commit [3fa4c21b], (step AB12CDEF), <T extends Person_2>, vector<person_t> v; x<y>z',
      '| person | e-mail address |\n|---|---|\n| [1] | (none) |',
      'My phone number (home) is below; the location (city) follows. IP address [unknown].',
      '<div class="person-card" id="location_list">&lt;person&gt; %3Cperson%3E \\u003cperson\\u003e</div>',
      'PERSON_1> PERSON_2> [PERSON_3] (PERSON_10) <PERSON_11> <EMAIL_17>',
      '[date time] (date of birth) <credit card> (see organization) [url here]',
    ];
    for (const text of innocent) expect(restoreText(scanText(grammar, text), everything, 'text').text).to.equal(text);
  });
});

/** A grammar with few labels, and a mapping in which an incomplete pseudonym can become known or unknown. */
const small = createGrammar(['PERSON', 'PER', 'EMAIL', 'EMAIL_ADDRESS']);
const isKnown = (pseudonym: Pseudonym): boolean => /[02468KMQZ]>$/.test(pseudonym);
const halfKnown: ReadonlyMap<Pseudonym, Stored> = Object.assign(new Map<Pseudonym, Stored>(), {
  has: isKnown,
  // Begins with a character that occurs in no text, so that a value and its pseudonym have no common prefix.
  get: (pseudonym: Pseudonym) => (isKnown(pseudonym) ? value(`~${pseudonym.slice(1, -1)}~`) : undefined),
});
const read = (text: string): { text: string; holdback: number } =>
  restoreText(scanText(small, text), halfKnown, 'text');

const pieces = [
  ...[
    '{',
    '{{',
    '}}',
    '}',
    '＜',
    '＞',
    '\\<',
    '\\>',
    '/',
    '/>',
    '</',
    '&#60;',
    '&#',
    '&amp;',
    '%25',
    '\\x3c',
    '"',
    '**',
    '](',
    ':',
    '__',
  ],
  ...['人', 'NAME', 'Name_', 'É', 'é', '\u200b', '=', '$', '"人_K7Q2RTM4', '{PERSON_K7Q2RTM4', '[NAME_K7Q2RTM4]'],
  ...[
    '<',
    '&lt;',
    '&',
    '&l',
    '%3C',
    '%',
    '\\u003c',
    '\\',
    '\\\\u00',
    '[',
    '(',
    '>',
    '&gt;',
    '%3e',
    '\\u003e',
    ']',
    ')',
  ],
  ...['PERSON', 'person', 'per', 'pers', 'EMAIL', 'ADDRESS', 'e', 'mail', '_', '\\_', '-', ' ', '  ', '\n'],
  ...[
    'K7Q2RTM4',
    'k7q2rtm5',
    'K7Q2RTM',
    'AB12CDEF',
    'AB12CDEF12345678',
    'AB12CDEF12345679',
    '7',
    'X',
    "'",
    "'s",
    '’',
    's',
    '.',
    'ö',
  ],
  ...['<PERSON_K7Q2RTM4>', '<PERSON_K7Q2RTM5>', '<EMAIL_ADDRESS_AB12CDE8', '(PER-K7Q2RTM4', 'PERSON K7Q2RTM4'],
];
const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((parts) => parts.join(''));

/** All suffixes of all kinds of forms: they complete every incomplete form in every possible way. */
const endings = Array.from(
  new Set(
    [
      ...['PERSON', 'PER', 'EMAIL', 'EMAIL_ADDRESS'].flatMap((label) =>
        ['>', ')', ']'].map((close) => `${label}_K7Q2RTM4${close}`),
      ),
      ...['&lt;PERSON_K7Q2RTM4&gt;', '\\u003cPERSON_K7Q2RTM4\\u003e', '%3cPERSON_K7Q2RTM4%3e', '<PERSON_K7Q2RTM4>'],
      ...['x', ' ', '.', 's>', '8>', '8)', '8]', '5'],
      ...[
        'PERSON_K7Q2RTM4\\>',
        'PERSON_K7Q2RTM4}}',
        'PERSON_K7Q2RTM4}',
        'PERSON_K7Q2RTM4＞',
        'PERSON_K7Q2RTM4](',
        '/PERSON_K7Q2RTM4/>',
      ],
      ...[
        '&#x3c;PERSON_K7Q2RTM4&#x3e;',
        '&#60;PERSON_K7Q2RTM4&#62;',
        '&amp;lt;PERSON_K7Q2RTM4&amp;gt;',
        '%253cPERSON_K7Q2RTM4%253e',
        '\\x3cPERSON_K7Q2RTM4\\x3e',
      ],
      ...[
        '__K7Q2RTM4>',
        ':K7Q2RTM4>',
        '人_K7Q2RTM4>',
        'É_K7Q2RTM4>',
        '\u200b:\u200bK7Q2RTM4',
        '\\u{3c}PERSON_K7Q2RTM4\\u{3e}',
      ],
    ].flatMap((form) => Array.from(form, (_, at) => form.slice(at))),
  ),
);

describe('streaming', () => {
  it('releases only text that is a prefix of every continuation', () => {
    fc.assert(
      fc.property(soup, fc.oneof(soup, fc.constantFrom(...endings)), (text, more) => {
        const before = read(text);
        const released = before.text.slice(0, before.text.length - before.holdback);
        expect(read(text + more).text.startsWith(released)).to.equal(true);
      }),
      { numRuns: runs(20_000) },
    );
  });

  it('holds back the minimum: with one character less, a continuation would change the released text', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const { text: restored, holdback } = read(text);
        if (holdback === 0) return;
        const more = restored.slice(0, restored.length - holdback + 1);
        const contradicts = endings.some((ending) => !read(text + ending).text.startsWith(more));
        expect(contradicts, `${JSON.stringify(text)} holds back ${holdback}`).to.equal(true);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('releases prose at once, except possible beginnings of a pseudonym', () => {
    const cases: [text: string, holdback: number][] = [
      ['Hello there', 0],
      ['Hello there.', 0],
      ['Hello <', 1],
      ['Hello <PERSON_K7Q2', 12],
      ['Hello <PERSON_K7Q2RTM4>', 0],
      ['Hello <div', 4],
      ['Hello <div>', 0],
      ['Hello <div class=', 0],
      ['the USA', 3],
      ['the USA ', 0],
      ['"city', 4],
      ['Zürich', 0],
      ['东京', 0],
      ['5 < 6', 0],
      ['a (b', 2],
      ['a (b ', 0],
      ['a (person ', 0],
      ['a <person ', 8],
      ['one per', 3],
      ['one perk', 0],
      ['50%', 1],
    ];
    for (const [text, holdback] of cases) expect([text, read(text).holdback]).to.deep.equal([text, holdback]);
  });

  it('counts the holdback on the restored text', () => {
    expect(read('Hello <PERSON_K7Q2RTM4')).to.include({ text: 'Hello ~PERSON_K7Q2RTM4~', holdback: 17 });
    expect(read('Hello <PERSON_K7Q2RTM4 ')).to.include({ text: 'Hello ~PERSON_K7Q2RTM4~ ', holdback: 1 });
    expect(read('Hello <PERSON_K7Q2RTM4’s')).to.include({ text: 'Hello ~PERSON_K7Q2RTM4~’s', holdback: 0 });
  });

  it('never splits a surrogate pair', () => {
    expect(read('Hello \ud83d').holdback).to.equal(1);
    expect(read('Hello \ud83d\ude00').holdback).to.equal(0);
  });

  it('limits the length of the holdback', () => {
    const longest = createGrammar([`A${'_B'.repeat(4)}${'C'.repeat(23)}`]);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('<', ' ', '  ', '\\\\\\\\', '_', 'A', 'B', 'CCC', '7', '-', '&lt;', 'a_b')),
        (parts) => {
          const text = parts.join('').repeat(40);
          expect(restoreText(scanText(longest, text), halfKnown, 'text').holdback).to.be.at.most(256);
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});
