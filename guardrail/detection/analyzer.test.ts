import { expect } from 'chai';
import { createAnalyzer } from './analyzer.ts';
import { DetectorUnavailableError, type AnalysisContext, type Detector, type Recall, type Span } from './contract.ts';
import { compilePolicy } from './policy/policy.ts';
import { parsePolicy } from './policy/schema.ts';

/** Creates a detector that finds the given words. */
function finding(words: Readonly<Record<string, string>>, score = 0.9, name = 'fixed'): Detector & Asked {
  const detector: Detector & Asked = {
    name,
    detect(texts, { recall, minRecall }) {
      Object.assign(detector, { recall, minRecall });
      return Promise.resolve(
        texts.map((text) =>
          Object.entries(words).flatMap(([word, type]): Span[] => {
            const start = text.indexOf(word);
            return start < 0 ? [] : [{ start, end: start + word.length, type, score, detector: name, rule: name }];
          }),
        ),
      );
    },
    state: () => Promise.resolve({ up: true }),
    close: () => Promise.resolve(),
  };
  return detector;
}

/** What the last call asked for. */
interface Asked {
  recall?: Recall | undefined;
  minRecall?: Recall | undefined;
}

const failing: Detector = {
  name: 'failing',
  detect: () => Promise.reject(new DetectorUnavailableError('It cannot be reached.')),
  state: () => Promise.resolve({ up: false, reason: 'It cannot be reached', since: new Date(0) }),
  close: () => Promise.resolve(),
};

const context = (more: Partial<AnalysisContext> = {}): AnalysisContext => ({
  team: undefined,
  signal: new AbortController().signal,
  ...more,
});
const policy = (yaml: string): { current: ReturnType<typeof compilePolicy> } => ({
  current: compilePolicy(parsePolicy(yaml), 'confidential'),
});

async function analyzed(
  detectors: readonly Detector[],
  texts: readonly string[],
  yaml = '{}',
  more: Partial<AnalysisContext> = {},
): Promise<string[][]> {
  const lists = await createAnalyzer({ detectors, policy: policy(yaml) }).analyze(texts, context(more));
  return lists.map((list, index) =>
    list.map(({ start, end, type, action }) => `${texts[index]?.slice(start, end) ?? ''}|${type}|${action}`),
  );
}

describe('analyzer', () => {
  it('finds a name, and its parts, everywhere in the conversation', async () => {
    const texts = ['😀 Anna Schmidt wrote.', 'Anna came, Schmidt left. ANNA SCHMIDT? Annabel!', 'So did Anna Schmidt'];
    expect(
      await analyzed(
        [finding({ 'Anna Schmidt wrote': 'AGE', 'Anna Schmidt': 'PERSON' })],
        texts,
        'entities: {AGE: ignore}',
      ),
    ).to.deep.equal([
      ['Anna Schmidt|PERSON|pseudonymize'],
      ['Anna|PERSON|pseudonymize', 'Schmidt|PERSON|pseudonymize', 'ANNA SCHMIDT|PERSON|pseudonymize'],
      ['Anna Schmidt|PERSON|pseudonymize'],
    ]);
  });

  it('skips a part of a name that is also a word of the conversation, and keeps a part that two people share', async () => {
    const words = { 'Anna Schmidt': 'PERSON', 'Bert Schmidt': 'PERSON', 'Mark Twain': 'PERSON' };
    const texts = ['Anna Schmidt, Bert Schmidt, Mark Twain', 'Schmidt came. Mark all that I mark. Twain too.'];
    expect((await analyzed([finding(words)], texts))[1]).to.deep.equal([
      'Schmidt|PERSON|pseudonymize',
      'Twain|PERSON|pseudonymize',
    ]);
  });

  it('does not count words of e-mail addresses and URLs as words of the conversation', async () => {
    const texts = ['Thanks, Ruth', 'Ruth Ola, ruth@a.example, ruth.ola@b.example, https://c.example/ruth, ruth-1'];
    expect((await analyzed([finding({ 'Ruth Ola': 'PERSON' })], texts))[0]).to.deep.equal(['Ruth|PERSON|pseudonymize']);
  });

  describe('in several messages', () => {
    const inMessages = (
      words: Readonly<Record<string, string>>,
      texts: readonly string[],
      messages = texts.map((_, at) => at),
    ): Promise<string[][]> => analyzed([finding(words)], texts, '{}', { messages });
    const values = (lists: string[][]): string[][] =>
      lists.map((list) => list.map((one) => one.split('|', 2).join(' ')));

    it('finds a name from its message on', async () => {
      const texts = ['Ask Schmidt.', 'I am Anna Schmidt.', 'Anna and Schmidt'];
      expect(values(await inMessages({ 'Anna Schmidt': 'PERSON' }, texts))).to.deep.equal([
        [],
        ['Anna Schmidt PERSON'],
        ['Anna PERSON', 'Schmidt PERSON'],
      ]);
    });

    it('finds it in all texts of its message', async () => {
      const texts = ['Ask Schmidt.', 'Ask Schmidt', 'I am Anna Schmidt.'];
      expect(values(await inMessages({ 'Anna Schmidt': 'PERSON' }, texts, [1, 2, 2]))).to.deep.equal([
        [],
        ['Schmidt PERSON'],
        ['Anna Schmidt PERSON'],
      ]);
    });

    it('counts a word in lower case from its message on', async () => {
      const texts = ['Grace Hill', 'Hill', 'up the hill to Hill', 'Hill'];
      expect(values(await inMessages({ 'Grace Hill': 'PERSON' }, texts))).to.deep.equal([
        ['Grace Hill PERSON'],
        ['Hill PERSON'],
        [],
        [],
      ]);
    });

    it('corrects a public person, a place and a URL from the message of their namesake on', async () => {
      const texts = ['Koch, Springfield, https://e.example/annakoch', 'Anna Koch, Main Street', 'Koch and Main Street'];
      const words = {
        ...{ 'https://e.example/annakoch': 'PUBLIC_URL', 'Anna Koch': 'PERSON', 'Main Street': 'ADDRESS' },
        ...{ Koch: 'PUBLIC_PERSON', Springfield: 'LOCATION' },
      };
      const personal = { current: compilePolicy(parsePolicy('{}'), 'personal') };
      const analyze = async (list: readonly string[]): Promise<string[][]> => {
        const detectors = [finding(words)];
        const found = await createAnalyzer({ detectors, policy: personal }).analyze(
          list,
          context({ messages: list.map((_, at) => at) }),
        );
        return found.map((spans) => spans.map(({ type }) => type));
      };
      expect((await analyze(texts))[0]).to.deep.equal([]);
      expect((await analyze(texts.toReversed()))[2]).to.deep.equal(['PERSON', 'URL']);
    });

    it('detects in each text once', async () => {
      let count = 0;
      const counting: Detector = {
        ...finding({ Anna: 'PERSON' }),
        detect: (texts, options) => {
          count += texts.length;
          return finding({ Anna: 'PERSON' }).detect(texts, options);
        },
      };
      const found = await analyzed([counting], ['Anna', 'Bob', 'Anna'], '{}', { messages: [1, 2, 3] });
      expect([count, values(found)]).to.deep.equal([2, [['Anna PERSON'], [], ['Anna PERSON']]]);
    });
  });

  it('merges the spans of several detectors and resolves overlaps', async () => {
    const detectors = [
      finding({ 'Anna Schmidt': 'PERSON' }),
      finding({ 'Schmidt in Berlin': 'LOCATION', Berlin: 'LOCATION' }, 0.8, 'other'),
    ];
    expect(await analyzed(detectors, ['Anna Schmidt in Berlin'])).to.deep.equal([
      ['Anna|PERSON|pseudonymize', 'Schmidt in Berlin|LOCATION|pseudonymize'],
    ]);
  });

  it('fails if one of the detectors fails', async () => {
    const both = createAnalyzer({ detectors: [finding({ Anna: 'PERSON' }), failing] });
    const outcome = await both.analyze(['Anna'], context()).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(DetectorUnavailableError);
    expect(await both.state()).to.deep.include({ up: false, reason: 'It cannot be reached' });
  });

  it('does not let an ignored span hide another one', async () => {
    const detectors = [finding({ 'mail anna@example.com now': 'URL', 'anna@example.com': 'EMAIL_ADDRESS' })];
    expect(await analyzed(detectors, ['mail anna@example.com now'], 'entities: {URL: ignore}')).to.deep.equal([
      ['anna@example.com|EMAIL_ADDRESS|pseudonymize'],
    ]);
  });

  it('applies the stricter settings of a request', async () => {
    const detector = finding({ Anna: 'PERSON', '4111': 'CREDIT_CARD' });
    const yaml = 'entities: {PERSON: ignore, CREDIT_CARD: block}';
    expect(
      await analyzed([detector], ['Anna 4111'], yaml, { stricter: { block: ['PERSON'], recall: 'thorough' } }),
    ).to.deep.equal([['Anna|PERSON|block', '4111|CREDIT_CARD|block']]);
    expect(detector.minRecall).to.equal('thorough');
  });

  it('applies the recall of the policy of the call', async () => {
    const detector = finding({ Anna: 'PERSON' });
    await analyzed([detector], ['Anna'], 'recall: thorough');
    expect(detector.recall).to.equal('thorough');
    const { current } = policy('{recall: precise, entities: {PERSON: ignore}}');
    expect(await analyzed([detector], ['Anna'], 'recall: thorough', { policy: current })).to.deep.equal([[]]);
    expect(detector.recall).to.equal('precise');
  });

  it('adds no repetition of another name in an allowed one', async () => {
    const text = 'Anna Schmidt met Peter Schmidt. Schmidt left.';
    expect(await analyzed([finding({ 'Peter Schmidt': 'PERSON' })], [text], 'allow: [Anna Schmidt]')).to.deep.equal([
      ['Peter Schmidt|PERSON|pseudonymize', 'Schmidt|PERSON|pseudonymize'],
    ]);
  });

  it('does not search for the parts of an allowed name', async () => {
    expect(
      await analyzed([finding({ 'Anna Schmidt': 'PERSON' })], ['Anna Schmidt and Anna'], 'allow: [Anna Schmidt]'),
    ).to.deep.equal([[]]);
  });

  describe('with the profile personal', () => {
    const yaml = 'profile: personal';
    const words = {
      'Anna Schmidt': 'PERSON',
      'Marie Curie': 'PUBLIC_PERSON',
      'Contoso Ltd': 'ORGANIZATION',
      Paris: 'LOCATION',
      'Main St 5': 'ADDRESS',
      'www.contoso.example': 'PUBLIC_URL',
    };
    const text = 'Anna Schmidt, Main St 5, read about Marie Curie at Contoso Ltd, www.contoso.example, in Paris.';

    it('replaces the person and the address, and nothing public', async () => {
      expect(await analyzed([finding(words)], [text], yaml)).to.deep.equal([
        ['Anna Schmidt|PERSON|pseudonymize', 'Main St 5|ADDRESS|pseudonymize'],
      ]);
    });

    it('does not let a public span hide a personal one', async () => {
      const detectors = [finding({ 'Anna Schmidt GmbH': 'ORGANIZATION' }), finding({ 'Anna Schmidt': 'PERSON' })];
      expect(await analyzed(detectors, ['Anna Schmidt GmbH'], yaml)).to.deep.equal([
        ['Anna Schmidt|PERSON|pseudonymize'],
      ]);
    });

    it('replaces what the policy adds, with the types that it names', async () => {
      const more = `${yaml}\nentities: {ORGANIZATION: pseudonymize, PUBLIC_PERSON: block, PUBLIC_URL: pseudonymize}`;
      expect((await analyzed([finding(words)], [text], more))[0]).to.include.members([
        'Marie Curie|PUBLIC_PERSON|block',
        'Contoso Ltd|ORGANIZATION|pseudonymize',
        'www.contoso.example|PUBLIC_URL|pseudonymize',
      ]);
    });

    it('blocks what a request lists, but no public person for PERSON', async () => {
      const blocked = await analyzed([finding(words)], [text], yaml, { stricter: { block: ['PERSON', 'LOCATION'] } });
      expect(blocked).to.deep.equal([
        ['Anna Schmidt|PERSON|block', 'Main St 5|ADDRESS|pseudonymize', 'Paris|LOCATION|block'],
      ]);
      const all = await analyzed([finding(words)], [text], yaml, { stricter: { block: ['PUBLIC_PERSON'] } });
      expect(all[0]).to.include('Marie Curie|PUBLIC_PERSON|block');
    });

    it('replaces a public name that a private person of the call has', async () => {
      const detectors = [finding({ 'Anna Curie': 'PERSON' }), finding({ Curie: 'PUBLIC_PERSON' })];
      expect(await analyzed(detectors, ['Anna Curie called.', 'Curie will come.'], yaml)).to.deep.equal([
        ['Anna Curie|PERSON|pseudonymize'],
        ['Curie|PERSON|pseudonymize'],
      ]);
    });

    it('leaves the whole name of a public person who shares a part of it', async () => {
      const detectors = [finding({ 'Marie Schmidt': 'PERSON', 'Marie Curie': 'PUBLIC_PERSON' })];
      expect(await analyzed(detectors, ['Marie Schmidt read about Marie Curie. Marie liked it.'], yaml)).to.deep.equal([
        ['Marie Schmidt|PERSON|pseudonymize', 'Marie|PERSON|pseudonymize'],
      ]);
    });
  });

  describe('with the profile confidential', () => {
    it('treats public persons and URLs as others', async () => {
      const detector = finding({ 'Marie Curie': 'PUBLIC_PERSON', 'www.contoso.example': 'PUBLIC_URL' });
      const texts = ['Marie Curie, www.contoso.example', 'Curie'];
      expect(await analyzed([detector], texts)).to.deep.equal([
        ['Marie Curie|PUBLIC_PERSON|pseudonymize', 'www.contoso.example|PUBLIC_URL|pseudonymize'],
        ['Curie|PUBLIC_PERSON|pseudonymize'],
      ]);
      expect(await analyzed([detector], texts, '{}', { stricter: { block: ['PERSON'] } })).to.deep.equal([
        ['Marie Curie|PUBLIC_PERSON|block', 'www.contoso.example|PUBLIC_URL|pseudonymize'],
        ['Curie|PUBLIC_PERSON|block'],
      ]);
    });

    it('applies one rule to a name of a public and of a private person', async () => {
      const detectors = [finding({ 'Anna Curie': 'PERSON' }), finding({ Curie: 'PUBLIC_PERSON' })];
      const yaml = 'entities: {PUBLIC_PERSON: ignore}';
      expect(await analyzed(detectors, ['Anna Curie.', 'Curie.'], yaml)).to.deep.equal([
        ['Anna Curie|PERSON|pseudonymize'],
        ['Curie|PERSON|pseudonymize'],
      ]);
    });
  });
});
