import { expect } from 'chai';
import { agents, type Agent } from './agents.ts';
import { agentTable, figuresOf, readShippedAgents, textsOf, worseAgents, type AgentFind } from './measure.ts';
import { promptsAmong, scriptLiterals } from './readers.ts';

const texts = (literals: readonly { text: string }[]): string[] => literals.map(({ text }) => text);
const descriptions = (source: string): string[] =>
  texts(scriptLiterals(source).filter(({ isDescription }) => isDescription));

describe('agents', () => {
  it('are at least eight, pinned by version and checksum, without those that check the detector', () => {
    expect(agents).to.have.length.of.at.least(8);
    expect(new Set(agents.map(({ name }) => name)).size).to.equal(agents.length);
    for (const { package: pinned } of agents) {
      expect(pinned.version, pinned.name).to.match(/^\d/);
      expect(pinned.sha256, pinned.name).to.match(/^[\da-f]{64}$/);
      expect(pinned.name).to.not.match(/gemini-cli|cline/);
    }
  });

  it('have shipped figures', () => {
    expect(Object.keys(readShippedAgents())).to.deep.equal(agents.map(({ name }) => name));
  });

  const one = (read: Agent['read']): Agent => ({
    name: 'Example',
    package: { client: 'npm', name: 'example', version: '1.2.3', file: '', sha256: '' },
    read,
  });

  it('are not measured without their package, and the error names it', async () => {
    const failure = await textsOf(one([]), () => Promise.reject(new Error('no network'))).catch(String);
    expect(failure).to.match(/Cannot measure Example \(npm: example 1\.2\.3\).*cannot be downloaded.*no network/);
  });

  it('are not measured if a rule finds no text any more', async () => {
    const read = [(): string[] => ['a', 'a'], (): string[] => []];
    expect(await textsOf(one(read), () => Promise.resolve('')).catch(String)).to.include('found no text');
    expect(await textsOf(one(read.slice(0, 1)), () => Promise.resolve(''))).to.deep.equal(['a']);
  });
});

describe('literals of programs', () => {
  it('are strings and templates, also joined ones, with a mark for what is inserted', () => {
    const source = "a('one'); b(`two ${x ? `inner` : ''} three`); c('four ' + y + ' five'); d(['six', z].join('\\n'))";
    expect(texts(scriptLiterals(source))).to.include.members(['one', 'two … three', 'inner', 'four … five', 'six\n…']);
  });

  it('are no messages of errors', () => {
    expect(texts(scriptLiterals("throw new E('a'); f(Error('b')); console.log('c'); g('d')"))).to.deep.equal(['d']);
  });

  it('are descriptions in schemas', () => {
    expect(descriptions("({ type: 'string', description: 'a' })")).to.deep.equal(['a']);
    expect(descriptions("z.string().describe('b')")).to.deep.equal(['b']);
    expect(descriptions("S.annotate({ description: 'c' })")).to.deep.equal(['c']);
    expect(descriptions("({ type: 'local', description: 'd' }); ({ description: 'e' })")).to.deep.equal([]);
  });

  it('are prompts if they are prose, and in a bundle if they address a model', () => {
    const prose = (start: string): string => `${start} ${'read the file and write a short summary of it, '.repeat(3)}`;
    const all = [prose('You are an agent:'), prose('First:'), 'const a = b;', 'all and any array as asc'].map((text) => ({ text, isDescription: false })); // prettier-ignore
    expect(promptsAmong(all, false)).to.deep.equal([prose('You are an agent:'), prose('First:')]);
    expect(promptsAmong(all, true)).to.deep.equal([prose('You are an agent:')]);
    expect(promptsAmong([{ text: 'The path', isDescription: true }], true)).to.deep.equal(['The path']);
  });
});

describe('figures of agents', () => {
  const find = (text: string, rule: string): AgentFind => ({ agent: 'A', text, find: { start: 0, end: 3, type: 'PERSON', score: 1, detector: 'builtin', rule, action: 'pseudonymize' } }); // prettier-ignore
  const shipped = { A: figuresOf(['Tab', 'Mark', 'x'], [find('Tab', 'm'), find('Mark', 'm'), find('Mark', 'n')]) };

  it('count texts, characters, altered texts, and finds by type and rule', () => {
    expect(shipped.A).to.deep.equal({ texts: 3, characters: 8, altered: 2, spans: { 'PERSON m': 2, 'PERSON n': 1 } });
    expect(agentTable(shipped).replaceAll(/ +/g, ' ')).to.include('A 3 8 2 3\n PERSON m 2');
  });

  it('must not grow, nor be of other texts or agents', () => {
    const { A } = shipped;
    expect(worseAgents(shipped, { A: { ...A, altered: 1, spans: { 'PERSON other': 3 } } })).to.deep.equal([]);
    expect(worseAgents(shipped, { A: { ...A, altered: 3 } })).to.deep.equal([
      'A: 3 texts altered, 3 spans, instead of 2, 3',
    ]);
    expect(worseAgents(shipped, { A: { ...A, spans: { 'PERSON m': 4 } } })).to.have.length(1);
    expect(worseAgents(shipped, { A: { ...A, characters: 9 } })[0]).to.include('9 characters instead of 3 with 8');
    expect(worseAgents(shipped, {})).to.deep.equal(['A: not measured']);
    expect(worseAgents({}, shipped)).to.deep.equal(['A: not shipped']);
  });
});
