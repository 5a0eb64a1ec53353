/** Answers as models write them, through the whole guard: at once, growing, and in pieces. */
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../hack/harness/scale.ts';
import { MAX_UNKNOWN } from './limits.ts';
import { showing } from './labels.ts';
import type { Guard } from './pseudonymization.ts';
import { callBy, createFakeAnalyzer, createTestGuard, type Planted } from './testing/testGuard.ts';

const planted: Planted = {
  'Ines Halvorsen': 'PERSON',
  'Ann "Annie': 'PERSON',
  'p@ss"w0\\rd!<b>&': 'PASSWORD',
  'a@b.example': 'EMAIL_ADDRESS',
  'https://h.example/a?b=c': 'URL',
  "Niamh O'Neill": 'PERSON',
};

/** A guard that has sent all values, and the code of each. */
async function guardWithCodes(): Promise<{ guard: Guard; codeOf: (value: string) => string }> {
  const { guard } = createTestGuard(createFakeAnalyzer(planted));
  const values = Object.keys(planted);
  const outcome = await guard.request({ texts: values }, callBy());
  if (outcome.action !== 'GUARDRAIL_INTERVENED') throw new Error('nothing was found');
  const codes = outcome.texts.map((text) => /([0-9A-Z]{8})>$/.exec(text)?.[1] ?? '');
  return { guard, codeOf: (value) => codes[values.indexOf(value)] ?? '' };
}

const ines = 'Ines Halvorsen';
const password = 'p@ss"w0\\rd!<b>&';
/** In each answer, X stands for the code of the value. */
const cases: [answer: string, restored: string, value?: string][] = [
  ['<PERSONNE_X> <PERSONA_X> <人_X> <NAME_X>', `${ines} ${ines} ${ines} ${ines}`],
  ['<EMAIL_ADDRESS_X>', ines],
  ['PERSON_X', ines],
  ['\\"PERSON_X\\" and "PERSON_X"', `\\"${ines}\\" and "${ines}"`],
  ['**PERSON_X** `PERSON_X`', `**${ines}** \`${ines}\``],
  ['{PERSON_X} {{PERSON_X}}', `${ines} ${ines}`],
  ['«PERSON_X» ＜PERSON_X＞', `${ines} ${ines}`],
  ['&#60;PERSON_X&#62; &#x3c;PERSON_X&#x3e;', `${ines} ${ines}`],
  ['%253CPERSON_X%253E', 'Ines%2520Halvorsen'],
  ['\\x3cPERSON_X\\x3e', ines],
  ['<PERSON:X> <PERSON__X> <PERSON_\u200bX>', `${ines} ${ines} ${ines}`],
  ['\\<PERSON_X\\> \\<PERSON\\_X\\>', `${ines} ${ines}`],
  ['C:\\Users\\<PERSON_X>\\Documents', `C:\\Users\\${ines}\\Documents`],
  ['<PERSON_X>x</PERSON_X>', `${ines}x${ines}`],
  ['<PERSON_X/> and <PERSON_X />', `${ines} and ${ines}`],
  ['[PERSON_X](x)', `[${ines}](x)`],
  ['[PERSON_X] (x)', `${ines} (x)`],
  ['<p>&lt;PASSWORD_X&gt;</p>', '<p>p@ss&quot;w0\\rd!&lt;b&gt;&amp;</p>', password],
  ['<p>&#60;PASSWORD_X&#62;</p>', '<p>p@ss&quot;w0\\rd!&lt;b&gt;&amp;</p>', password],
  ['&amp;lt;PASSWORD_X&amp;gt;', 'p@ss&amp;quot;w0\\rd!&amp;lt;b&amp;gt;&amp;amp;', password],
  ['<p><PASSWORD_X></p>', `<p>${password}</p>`, password],
  ['<a href="mailto:%3CPERSON_X%3E">m</a>', '<a href="mailto:Ann%20%22Annie">m</a>', 'Ann "Annie'],
  ['<a href="mailto:%3CEMAIL_ADDRESS_X%3E">m</a>', '<a href="mailto:a@b.example">m</a>', 'a@b.example'],
  ['<a href="%3CURL_X%3E">', '<a href="https://h.example/a?b=c">', 'https://h.example/a?b=c'],
  [
    'curl -d "{\\"pw\\":\\"<PASSWORD_X>\\"}" http://h',
    'curl -d "{\\"pw\\":\\"p@ss\\\\\\"w0\\\\\\\\rd!<b>&\\"}" http://h',
    password,
  ],
  [
    JSON.stringify({ cmd: `curl -d "{\\"pw\\":\\"<PASSWORD_X>\\"}" http://h` }),
    JSON.stringify({ cmd: `curl -d ${JSON.stringify(JSON.stringify({ pw: password }))} http://h` }),
    password,
  ],
  [
    "```sql\nSELECT '<PERSON_X>'\n```\n'<PERSON_X>'",
    "```sql\nSELECT 'Niamh O''Neill'\n```\n'Niamh O'Neill'",
    "Niamh O'Neill",
  ],
  ["```bash\ncurl -u '<PERSON_X>'\n```", "```bash\ncurl -u 'Niamh O'\\''Neill'\n```", "Niamh O'Neill"],
  ['```bash\nX="<PASSWORD_X>"\n```', '```bash\nX="p@ss\\"w0\\\\rd!<b>&"\n```', password],
  [
    '```html\n<p title="<PASSWORD_X>"><PASSWORD_X></p>\n```',
    '```html\n<p title="p@ss&quot;w0\\rd!&lt;b&gt;&amp;">p@ss"w0\\rd!&lt;b&gt;&amp;</p>\n```',
    password,
  ],
  ['```yaml\na: "<PASSWORD_X>"\n```', '```yaml\na: "p@ss\\"w0\\\\rd!<b>&"\n```', password],
  ['```csv\n1,"<PASSWORD_X>"\n```', '```csv\n1,"p@ss""w0\\rd!<b>&"\n```', password],
  // Left as they are.
  ['X', 'X'],
  ['person X', 'person X'],
];

describe('answers as models write them', () => {
  for (const [answer, restored, value = ines] of cases) {
    it(answer, async () => {
      const { guard, codeOf } = await guardWithCodes();
      const text = answer.replaceAll('X', codeOf(value));
      const outcome = await guard.response({ texts: [text] }, callBy());
      expect(outcome.texts).to.deep.equal([restored.replaceAll('X', codeOf(value))]);
    });
  }

  it('are the same in pieces, growing, and at once', async () => {
    const { guard, codeOf } = await guardWithCodes();
    const part = fc.constantFrom(...cases).map(([answer, , value = ines]) => answer.replaceAll('X', codeOf(value)));
    const answers = fc.array(fc.oneof(part, fc.constantFrom(' ', '\n', 'Hello ', '"', '{"a":"')), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(answers, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), async (parts, sizes) => {
        const text = parts.join('');
        const whole = (await guard.response({ texts: [text] }, callBy({ callId: 'whole' }))).texts[0] ?? '';
        const stream = guard.stream(callBy()).text('text');
        let [streamed, shown] = ['', ''];
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          streamed += await stream.push(text.slice(at, at + size));
          at += size;
          const outcome = await guard.response({ texts: [text.slice(0, at)] }, callBy({ callId: text }));
          const grown = outcome.texts[0] ?? '';
          const ready = grown.slice(0, grown.length - (outcome.holdback[0] ?? 0));
          expect(ready.startsWith(shown)).to.equal(true);
          shown = ready;
        }
        expect(streamed + (await stream.end())).to.equal(whole);
        expect(whole.startsWith(shown)).to.equal(true);
      }),
      { numRuns: runs(500) },
    );
  });

  it('stay as they are if many codes of these forms are unknown: then they are numbers, or a search', async () => {
    const { guard, codeOf } = await guardWithCodes();
    const numbers = Array.from({ length: MAX_UNKNOWN + 1 }, (_, at) => `SKU-AB12${String(at).padStart(4, '0')}`);
    const tag = `PERSON_${codeOf(ines)}`;
    const few = await guard.response({ texts: [[...numbers.slice(1), tag].join(' ')] }, callBy());
    expect(few).to.include({ restored: 1, withheld: 0, unknown: 0, isEnumeration: false });
    const text = [tag, ...numbers, tag, `<${tag}>`].join(' ');
    const many = await guard.response({ texts: [text] }, callBy());
    expect(many.texts).to.deep.equal([[ines, ...numbers, tag, ines].join(' ')]);
    expect(many).to.include({ restored: 2, withheld: 1, unknown: 0, isEnumeration: false });
    const stream = guard.stream(callBy());
    const one = stream.text('text');
    expect((await one.push(text)) + (await one.end())).to.equal(many.texts[0]);
    expect(stream.counts()).to.deep.equal({ restored: 2, withheld: 1, unknown: 0, isEnumeration: false });
  });

  it('have spellings of a number that a model can compare, and each is restored as it was written', async () => {
    const spellings = ['4242 4242 4242 4242', '4242-4242-4242-4242', '4242424242424242'];
    const cards = Object.fromEntries(spellings.map((one) => [one, 'CREDIT_CARD']));
    const { guard } = createTestGuard(createFakeAnalyzer(cards));
    const text = `Cards: ${spellings.join(', ')} are the same.`;
    const sent = await guard.request({ texts: [text] }, callBy());
    if (sent.action !== 'GUARDRAIL_INTERVENED') throw new Error('nothing was found');
    const codes = (sent.texts[0] ?? '').match(/(?<=CREDIT_CARD_)\w+/g) ?? [];
    expect(new Set(codes)).to.have.property('size', 3);
    expect(new Set(codes.map((code) => code.slice(0, 8)))).to.have.property('size', 1);
    expect((await guard.response({ texts: sent.texts }, callBy())).texts).to.deep.equal([text]);
  });

  it('are shown by the label of the session, whatever label they have', async () => {
    const { guard, codeOf } = await guardWithCodes();
    const texts = [`<URL_${codeOf(ines)}> <PERSONNE_${codeOf('a@b.example')}>`];
    const outcome = await guard.response({ texts }, { ...callBy(), mayShow: showing(new Set(['PERSON'])) });
    expect(outcome.texts).to.deep.equal([`${ines} <PERSONNE_${codeOf('a@b.example')}>`]);
    expect(outcome.byType?.withheld).to.deep.equal(new Map([['EMAIL_ADDRESS', 1]]));
  });

  it('stay as they are in another session', async () => {
    const { guard, codeOf } = await guardWithCodes();
    const text = `<PERSONNE_${codeOf(ines)}> PERSON_${codeOf(ines)}`;
    expect((await guard.response({ texts: [text] }, callBy({ endUser: 'other' }))).texts).to.deep.equal([text]);
  });
});
