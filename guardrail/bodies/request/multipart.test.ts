import { expect } from 'chai';
import { BodyError, generic } from '../bodies.ts';
import { BodyCalls, CARD, EMAIL, known, QUOTED } from '../testing/bodyCalls.ts';

const files = known('POST', '/v1/files');
const BOUNDARY = 'x-boundary';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const part = (head: string, content: string): string => `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n`;
const field = (name: string, content: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, content);
const file = (name: string, content: string, type = 'application/octet-stream'): string =>
  part(`Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}`, content);
const form = (...parts: string[]): string => `${parts.join('')}--${BOUNDARY}--\r\n`;

describe('a form', () => {
  it('keeps every byte if it has no value', async () => {
    const body = form(field('purpose', 'batch'), file('a.jsonl', '{"a": 1.0}\r\n\n{"b":2}'));
    expect(await new BodyCalls().request(files, body, TYPE)).to.have.property('action', 'NONE');
  });

  it('has values in fields, in file names, and in the lines of a batch', async () => {
    const calls = new BodyCalls();
    const line = (value: string, url: string): string =>
      JSON.stringify({
        custom_id: 'r1',
        method: 'POST',
        url,
        body: { model: 'm', user: EMAIL, input: value, messages: [{ role: 'user', content: value }] },
      });
    const bodyWith = (value: string, name: string): string =>
      form(
        field('purpose', 'batch'),
        field('note', value),
        file(`${name}.jsonl`, [line(value, '/v1/chat/completions'), '', line(value, '/v1/embeddings'), ''].join('\n')),
      );
    const sent = await calls.sent(files, bodyWith(EMAIL, EMAIL), TYPE);
    const pseudonym = await calls.pseudonymOf(EMAIL);
    expect(sent).to.equal(bodyWith(pseudonym, `[${pseudonym.slice(1, -1)}]`));
  });

  it('has values in examples for fine-tuning, and in lines of an unknown operation', async () => {
    const calls = new BodyCalls();
    const lines = [
      { messages: [{ role: 'user', content: EMAIL, name: EMAIL }], tools: [{ function: { description: EMAIL } }] },
      { prompt: EMAIL, completion: QUOTED },
      { input: { messages: [{ role: 'user', content: EMAIL }] }, preferred_output: [{ content: QUOTED }] },
      { custom_id: 'a', url: '/v1/unknown', body: { x: { y: [EMAIL, Number(CARD)] } } },
      { custom_id: EMAIL, params: { system: EMAIL, messages: [] } },
    ];
    const content = lines.map((one) => JSON.stringify(one)).join('\n');
    const sent = await calls.sent(files, form(file('a.jsonl', content)), TYPE);
    for (const value of [EMAIL, 'nnchen', CARD]) expect(sent).to.not.contain(value);
  });

  it('is refused if a line is no JSON', async () => {
    const error: unknown = await new BodyCalls()
      .request(files, form(file('a.jsonl', '{"a":1}\nMy name is Anna.')), TYPE)
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(BodyError).and.have.property('code', 'invalid_json');
  });

  const cases: [name: string, body: string, type?: string][] = [
    ['no boundary', form(field('a', 'b')), 'multipart/form-data'],
    ['two boundaries', form(field('a', 'b')), `${TYPE}; boundary=other`],
    ['another boundary', form(field('a', 'b')), 'multipart/form-data; boundary=other'],
    ['text before the first part', `hello\r\n${form(field('a', 'b'))}`],
    ['text after the last part', `${form(field('a', 'b'))}hello`],
    ['no end', field('a', 'b')],
    ['bare line feeds', form(field('a', 'b')).replaceAll('\r\n', '\n')],
    ['a boundary inside a content', form(field('a', `b\n--${BOUNDARY}\nc`))],
    ['two names', form(part('Content-Disposition: form-data; name="a"; name="b"', 'c'))],
    [
      'two dispositions',
      form(part('Content-Disposition: form-data; name="a"\r\ncontent-disposition: form-data; name="b"', 'c')),
    ],
    ['no name', form(part('Content-Disposition: form-data', 'c'))],
    [
      'a transfer encoding',
      form(part('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', 'YQ==')),
    ],
    ['a folded header', form(part('Content-Disposition: form-data;\r\n name="a"', 'c'))],
  ];
  for (const [name, body, type = TYPE] of cases) {
    it(`is refused with ${name}`, async () => {
      const error: unknown = await new BodyCalls().request(files, body, type).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(BodyError).and.have.property('code', 'invalid_multipart');
    });
  }
});

describe('an URL-encoded form and a query', () => {
  it('have values, and keep the spelling of all else', async () => {
    const calls = new BodyCalls();
    const pseudonym = await calls.pseudonymOf(EMAIL);
    const email = EMAIL.replace('@', '%40');
    const sent = await calls.sent(
      generic,
      `a=%7e+x&b=I+am+${email}&&${email}=1&c&page=${email}`,
      'application/x-www-form-urlencoded',
    );
    const encoded = encodeURIComponent(pseudonym);
    expect(sent).to.equal(`a=%7e+x&b=I%20am%20${encoded}&&${encoded}=1&c&page=${encoded}`);
    const models = known('GET', '/v1/models');
    const outcome = await calls.guardQuery(models, `limit=5&after=${email}&search=${email}&x=%7e`);
    expect(outcome).to.include({
      action: 'GUARDRAIL_INTERVENED',
      query: `limit=5&after=${email}&search=${encoded}&x=%7e`,
    });
    expect(await calls.guardQuery(models, 'limit=5&search=a')).to.have.property('action', 'NONE');
  });
});
