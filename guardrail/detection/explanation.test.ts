import { expect } from 'chai';
import fc from 'fast-check';
import { createAnalyzer } from './analyzer.ts';
import { createBuiltinDetector } from './builtinDetector.ts';
import type { AnalysisContext, Analyzer } from './contract.ts';
import { explain, type Explanation } from './explanation.ts';
import { droppedJson, explanationText, findingJson, policyLines } from './explanationReport.ts';
import { compilePolicy } from './policy/policy.ts';
import { parsePolicy } from './policy/schema.ts';
import { withSpanCache } from './spanCache.ts';
import { EXPLAINED_POLICY, explainedTexts } from './testing/explainedTexts.ts';
import { Trace } from './trace.ts';

const { signal } = new AbortController();
const context: AnalysisContext = { team: undefined, signal, policy: compilePolicy(parsePolicy(EXPLAINED_POLICY)) };

describe('explanations', function () {
  this.timeout(60_000);
  let analyzer: Analyzer;
  before(() => {
    analyzer = createAnalyzer({ detectors: [withSpanCache(createBuiltinDetector())] });
  });
  const explained = (text: string): Promise<Explanation> => explain(analyzer, text, context);

  for (const { text, value, rule, dropped, word } of explainedTexts) {
    const outcome = rule ?? dropped?.join(', ') ?? 'no rule';
    it(`say ${outcome} of ${value} in ${JSON.stringify(text)}`, async () => {
      const explanation = await explained(text);
      const isValue = ({ start, end }: { readonly start: number; readonly end: number }): boolean =>
        text.slice(start, end) === value;
      const find = explanation.findings.find(isValue);
      if (rule !== undefined) {
        expect(find?.rule).to.equal(rule);
        const words = find?.words.map(({ start, end }) => text.slice(start, end));
        if (word !== undefined) expect(words).to.include(word);
      }
      const candidates = explanation.dropped.filter(isValue).map((each) => [each.rule, each.by]);
      if (dropped) expect(candidates).to.deep.include([...dropped]);
      if (!rule && !dropped) expect([find, candidates]).to.deep.equal([undefined, []]);
      const report = explanationText(text, explanation, value);
      const start = `${JSON.stringify(value)} at ${text.indexOf(value)} is `;
      expect(report).to.include(
        rule ? `${start}hidden as` : dropped ? `${start}not hidden as` : 'no rule takes it for',
      );
    });
  }

  it('find the same as an analysis without a trace', async () => {
    const piece = fc.constantFrom(...explainedTexts.map(({ text }) => text), 'Hi ', '\n', ', ', '＠', '%40', 'NAT');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 5 }), async (pieces) => {
        const text = pieces.join(' ');
        const [plain = []] = await analyzer.analyze([text], context);
        const [traced = []] = await analyzer.analyze([text], { ...context, trace: new Trace() });
        expect(traced).to.deep.equal(plain);
      }),
    );
  });

  it('find the same in a text of several pieces, and say where its candidates stand', async () => {
    const text = `${'The sky is blue. '.repeat(1500)}Siemens paid Margaret Whitfield. Please ask NAT about it.`;
    const trace = new Trace();
    const [traced = []] = await analyzer.analyze([text], { ...context, trace });
    expect(traced).to.deep.equal((await analyzer.analyze([text], context))[0]);
    const values = trace.dropped.map(({ start, end, by }) => `${text.slice(start, end)} ${by}`);
    expect(values).to.include.members(['Siemens profile', 'NAT falseName']);
  });

  it('take a bounded number of analyses, whatever the text has', async () => {
    let analyses = 0;
    const counted: Analyzer = {
      ...analyzer,
      analyze(texts, options) {
        analyses++;
        return analyzer.analyze(texts, options);
      },
    };
    const text = 'name;phone\n' + 'Mia Kern;0301234567\n'.repeat(200);
    const { findings } = await explain(counted, text, context);
    expect(findings).to.have.length(400);
    expect(analyses).to.be.within(300, 402);
  });

  it('name each feature of the model', async () => {
    for (const { text } of explainedTexts) {
      const { findings, dropped } = await explained(text);
      for (const { model } of [...findings, ...dropped])
        for (const { name } of model?.features ?? []) expect(name).to.not.equal('other features');
    }
  });

  it('end with a line of policy that changes the outcome', async () => {
    for (const { text, value, rule, dropped } of explainedTexts) {
      if (rule?.includes(':') === true || dropped?.[1] === 'overlap' || dropped?.[1] === 'allowList') continue;
      const { findings, dropped: candidates } = await explained(text);
      const isValue = ({ start, end }: { readonly start: number; readonly end: number }): boolean =>
        text.slice(start, end) === value;
      const place = findings.find(isValue) ?? candidates.find((each) => isValue(each) && each.by === dropped?.[1]);
      const lines = place ? policyLines(text, place) : [`deny: [${JSON.stringify(value)}]`];
      const changed = compilePolicy(parsePolicy(lines.at(-1) ?? ''));
      const [after = []] = await analyzer.analyze([text], { ...context, policy: changed });
      const line = `${text}: ${lines.at(-1) ?? ''}`;
      const from = text.indexOf(value);
      if (rule === undefined)
        expect(
          after.some(({ start, end }) => start <= from && end > from),
          line,
        ).to.equal(true);
      else expect(after.some(isValue), line).to.equal(false);
    }
  });

  it('say nothing of a text but places, and words in the names of features', async () => {
    const { findings, dropped } = await explained('Ask Zzyzx Qwortle, phone 5551234567.');
    const places = [...findings.map((find) => findingJson(find)), ...dropped.map((each) => droppedJson(each))];
    const plain = JSON.stringify(places.map((each) => ({ ...each, model: null })));
    expect(plain).to.not.match(/Zzyzx|Qwortle|5551234567/);
  });
});
