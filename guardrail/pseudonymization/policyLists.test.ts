/** The lists of a policy in requests, with the built-in detector: what is allowed stays, and what is denied does not. */
import { expect } from 'chai';
import fc from 'fast-check';
import { compilePolicy, createAnalyzer, createBuiltinDetector, parsePolicy } from '../detection/detection.ts';
import { callBy, createTestGuard } from './testing/testGuard.ts';

const detector = createBuiltinDetector({ recall: 'balanced', languages: ['en', 'de'] });
const { guard } = createTestGuard(createAnalyzer({ detectors: [detector] }));

async function sentTexts(texts: readonly string[], yaml: string): Promise<readonly string[]> {
  const policy = compilePolicy(parsePolicy(yaml), 'confidential');
  const outcome = await guard.request({ texts }, { ...callBy(), policy });
  if (outcome.action === 'BLOCKED') throw new Error('The request is blocked.');
  return outcome.action === 'NONE' ? texts : outcome.texts;
}

const sent = async (text: string, yaml: string): Promise<string> =>
  ((await sentTexts([text], yaml))[0] ?? '').replaceAll(/<([A-Z_]+)_[A-Z0-9]+>/g, '<$1>');

describe('an allowed value', () => {
  const allow = 'allow: [Anna Schmidt]';
  const cases: readonly (readonly [text: string, yaml: string, sent: string])[] = [
    [
      'Dear Anna Schmidt, please call Mr Peter Schmidt. Mr Schmidt knows.',
      allow,
      'Dear Anna Schmidt, please call <PERSON>. <PERSON> knows.',
    ],
    ['Please ask Anna\nSchmidt and Peter Schmidt.', allow, 'Please ask Anna\nSchmidt and <PERSON>.'],
    [
      '{"name":"Anna Schmidt","other":"Peter Schmidt","note":"ask Anna Schmidt, or Schmidt"}',
      allow,
      '{"name":"Anna Schmidt","other":"<PERSON>","note":"ask Anna Schmidt, or <PERSON>"}',
    ],
    ['Mail anna.schmidt@example.org to Anna Schmidt.', allow, 'Mail <EMAIL_ADDRESS> to Anna Schmidt.'],
    ['Mail anna@example.org about example.org.', 'allow: [example.org]', 'Mail <EMAIL_ADDRESS> about example.org.'],
    ['Card 4111 1111 1111 1111, not 1111.', "allow: ['1111']", 'Card <CREDIT_CARD>, not 1111.'],
    [
      'Dear Anna Schmidt, please call Mr Peter Schmidt.',
      "allow: [{ pattern: 'Anna \\w+' }]",
      'Dear Anna Schmidt, please call <PERSON>.',
    ],
    ['Dear Anna Schmidt, hello.', `${allow}\ndeny: [Schmidt]`, 'Dear Anna <ENTITY>, hello.'],
  ];
  for (const [text, yaml, expected] of cases) {
    it(`with ${yaml}: ${text}`, async () => {
      expect(await sent(text, yaml)).to.equal(expected);
    });
  }

  it('stays whatever else is in the texts', async () => {
    const piece = fc.constantFrom(
      ...[
        'Anna Schmidt',
        'ANNA SCHMIDT',
        'Anna  Schmidt',
        'Peter Schmidt',
        'Mr Schmidt',
        'Schmidt',
        'Anna',
        'Anna Meier',
      ],
      ...[
        'my colleague Anna Schmidt',
        'Dr. Anna Schmidt',
        'Anna Schmidt and Peter Schmidt',
        'Schmidt, Peter',
        'annas@schmidt.example',
      ],
      ...[
        '{"a":"Anna Schmidt","b":["Peter Schmidt"]}',
        '"{\\"name\\":\\"Anna Schmidt\\"}"',
        'Hauptstraße 12, 10115 Berlin',
        'I live in Leeds',
      ],
      ...['Anna Schmidt GmbH', 'https://schmidt.example/team', '- ', '\n', 'calls', 'and', 'meets', 'the contract of'],
    );
    const text = fc.array(piece, { minLength: 1, maxLength: 10 }).map((pieces) => pieces.join(' '));
    const count = (texts: readonly string[]): number => texts.join(' | ').match(/anna\s+schmidt/gi)?.length ?? 0;
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 3 }), async (texts) => {
        expect(count(await sentTexts(texts, allow))).to.equal(count(texts));
      }),
    );
  });
});

describe('a denied value', () => {
  const deny = 'deny: [{ value: Project Nightjar, type: PROJECT }]';

  it('never passes under any separator, in any case, as a plural, and in JSON', async () => {
    const separator = fc.string({ unit: fc.constantFrom(...Array.from(' \t\n-_.,/|*–\u00a0\u200b"')), maxLength: 5 });
    const written = fc
      .tuple(
        fc.constantFrom('Project', 'PROJECT', 'project'),
        separator,
        fc.constantFrom('Nightjar', 'nightjars', 'NIGHTJAR'),
      )
      .map((parts) => parts.join(''));
    const around = fc.constantFrom<(value: string) => string>(
      (value) => value,
      (value) => `The plan of ${value} is ready.`,
      (value) => JSON.stringify({ plan: `about ${value}` }),
      (value) => JSON.stringify({ nested: JSON.stringify({ plan: value }) }),
    );
    await fc.assert(
      fc.asyncProperty(written, around, async (value, place) => {
        const [text = ''] = await sentTexts([place(value)], deny);
        expect(text.replaceAll(/[^\p{L}\p{N}]|\\[nt]/gu, '')).to.not.match(/projectnightjar/i);
      }),
    );
  });

  it('counts its case if the policy says so', async () => {
    const yaml = 'deny: [{ value: Will Power, type: PROJECT, caseSensitive: true }]';
    expect(await sent('it takes will power, said Will-Power', yaml)).to.equal('it takes will power, said <ENTITY>');
  });
});
