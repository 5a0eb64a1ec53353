import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../hack/harness/scale.ts';
import { MAX_ENTITY, type Analyzer, type Finding } from '../detection/detection.ts';
import type { Pseudonym } from '../ids.ts';
import { mayLoadAddresses } from './autoload/autoload.ts';
import { DocumentTooDeepError } from '../messages/messages.ts';
import { createMonitor, withoutWrites } from '../pipeline/monitor.ts';
import { createMemoryStore, type MappingStore } from '../store/store.ts';
import {
  ResponseTooLargeError,
  SessionErasedError,
  deriveSubject,
  type Guard,
  type Json,
  type RequestDocument,
  type RequestOutcome,
} from './pseudonymization.ts';
import { CODE_UNIT } from './pseudonyms.ts';
import { MAX_UNKNOWN } from './limits.ts';
import { createLabelSet } from './labels.ts';
import {
  callBy,
  createFakeAnalyzer,
  createTestGuard,
  testKey,
  type FakeAnalyzerOptions,
  type Planted,
} from './testing/testGuard.ts';

const caller = callBy();
const people: Planted = {
  'Anna Schmidt': 'PERSON',
  Anna: 'PERSON',
  'a@b.example': 'EMAIL_ADDRESS',
  'O"Brien': 'PERSON',
};

function guardFor(planted: Planted = people, options: FakeAnalyzerOptions = {}): Guard {
  return createTestGuard(createFakeAnalyzer(planted, options)).guard;
}

async function send(guard: Guard, document: Partial<RequestDocument>, context = caller): Promise<RequestDocument> {
  const outcome = await guard.request({ texts: [], ...document }, context);
  if (outcome.action === 'BLOCKED') throw new Error('blocked');
  return outcome.action === 'NONE' ? { texts: [], ...document } : outcome;
}

async function sendText(guard: Guard, text: string, context = caller): Promise<string> {
  return (await send(guard, { texts: [text] }, context)).texts[0] ?? '';
}

async function answer(guard: Guard, text: string, context = caller): Promise<string> {
  return (await guard.response({ texts: [text] }, context)).texts[0] ?? '';
}

/** A pseudonym without brackets. Matches only possible pseudonyms: not `_K7Q2RTM4` or `PERSON_X_K7Q2RTM4`. */
const PSEUDONYM = `(?:${createLabelSet([]).labels.join('|')})_(?=\\w*?[0-9])(?=\\w*?[A-Z])${CODE_UNIT}{8,16}`;
const WRITTEN = new RegExp(`(?:<|\\[|\\\\+u003c)${PSEUDONYM}(?:>|\\]|\\\\+u003e)`);
/** The parts of a text between pseudonyms, in every form that the guard writes. */
const between = (text: string): string[] => text.split(WRITTEN);
const tagsIn = (text: string): string[] => text.match(new RegExp(`<${PSEUDONYM}>`, 'g')) ?? [];

describe('request', () => {
  it('uses one pseudonym for each value in all texts, and restores the original texts', async () => {
    const guard = guardFor();
    const texts = ['Anna Schmidt met Anna.', 'Mail Anna Schmidt at a@b.example; Anna reads it.'];
    const sent = await send(guard, { texts });
    const [first, second] = sent.texts.map(tagsIn);
    expect(first).to.have.length(2);
    expect(second).to.deep.equal([first?.[0], second?.[1], first?.[1]]);
    expect(sent.texts.join()).not.to.match(/Anna|Schmidt|example/);
    const back = await guard.response({ texts: sent.texts }, caller);
    expect(back).to.deep.include({ texts, restored: 5, unknown: 0, holdback: [0, 0], action: 'GUARDRAIL_INTERVENED' });
  });

  it('uses the same pseudonyms in the next turn, on another replica and after a loss of the store', async () => {
    const one = await sendText(guardFor(), 'Ask Anna');
    expect(await sendText(guardFor(), 'Anna again').then(tagsIn)).to.deep.equal(tagsIn(one));
  });

  it('uses other pseudonyms for another end user', async () => {
    const guard = guardFor();
    const mine = await sendText(guard, 'Anna');
    expect(await sendText(guard, 'Anna', callBy({ endUser: 'cust-8' }))).not.to.equal(mine);
    expect(await answer(guard, mine, callBy({ endUser: 'cust-8' }))).to.equal(mine);
  });

  it('treats each spelling of a value as a separate value', async () => {
    const guard = guardFor({ 'Anna Schmidt': 'PERSON', 'ANNA SCHMIDT': 'PERSON', 'Anna  Schmidt': 'PERSON' });
    const text = 'Anna Schmidt, ANNA SCHMIDT, Anna  Schmidt';
    const sent = await sendText(guard, text);
    expect(new Set(tagsIn(sent))).to.have.property('size', 3);
    expect(await answer(guard, sent)).to.equal(text);
  });

  it('analyzes a string once if it occurs in texts and in messages', async () => {
    const batches: (readonly string[])[] = [];
    const guard = guardFor(people, { onBatch: (texts) => void batches.push(texts) });
    const content = 'Anna is here';
    await send(guard, { texts: [content], structuredMessages: [{ role: 'user', content }] });
    expect(batches).to.deep.equal([[content]]);
  });

  it('replaces all occurrences of a value that was found once, except inside words', async () => {
    const guard = guardFor({ Ann: 'PERSON', '4711': 'ID', 张三: 'PERSON' }, { firstOnly: true });
    const texts = [
      'Ann, 4711, 张三',
      'The Announcement of Ann to MaryAnn, by Ann’s ann',
      'No. 4711-47111',
      '你好张三先生',
    ];
    const sent = await send(guard, { texts });
    const [ann = '', id = '', zhang = ''] = tagsIn(sent.texts[0] ?? '');
    expect(sent.texts.slice(1)).to.deep.equal([
      `The Announcement of ${ann} to MaryAnn, by ${ann}’s ann`,
      `No. ${id}-47111`,
      `你好${zhang}先生`,
    ]);
  });

  it('replaces a value inside a word if the detector found it there', async () => {
    const guard = guardFor({ Ann: 'PERSON' });
    expect(between(await sendText(guard, 'Joann, HiAnnHi'))).to.deep.equal(['Joann, Hi', 'Hi']);
  });

  it('replaces the longest of nested values, and the union of overlapping values', async () => {
    const analyzer = createFakeAnalyzer({
      'Anna Schmidt': 'PERSON',
      Schmidt: 'PERSON',
      'Schmidt GmbH': 'ORGANIZATION',
    });
    const { guard } = createTestGuard(analyzer);
    const texts = ['Schmidt GmbH', 'Anna Schmidt GmbH hired Anna Schmidt'];
    const sent = await send(guard, { texts });
    expect(between(sent.texts[1] ?? '')).to.deep.equal(['', ' hired ', '']);
    expect((await guard.response({ texts: sent.texts }, caller)).texts).to.deep.equal(texts);
  });

  it('does not break base64 and URLs', async () => {
    const guard = guardFor({ Anna: 'PERSON', 'anna.example': 'DOMAIN_NAME' }, { firstOnly: true });
    const blob = `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ/Anna+AAADUlEQVR42mNkM9QDwADhgGAWjR9awAAAABJRU5ErkJggg`;
    const sent = await send(guard, {
      texts: [
        'Anna, anna.example',
        `data:image/png;base64,${blob}==`,
        'https://anna.example/a?b=c and https://x.example/Anna?to=Anna#Anna',
      ],
    });
    expect(sent.texts[1]).to.equal(`data:image/png;base64,${blob}==`);
    const [whole = '', , ...rest] = (sent.texts[2] ?? '').split(' ');
    expect(whole).to.match(/^<URL_[0-9A-Z]+>$/);
    expect(new URL(rest.join(' '))).to.include({ host: 'x.example' });
    expect(between(rest.join(' '))).to.deep.equal(['https://x.example/', '?to=', '#', '']);
  });

  it('labels pseudonyms with known types and custom types, and other types with ENTITY', async () => {
    const types = { aaa: 'EMPLOYEE_ID_2', bbb: 'Staff number (DE)', ccc: 'SOMETHING_ELSE', ddd: '123', eee: '' };
    const { guard } = createTestGuard(createFakeAnalyzer(types), {
      customTypes: () => ['EMPLOYEE_ID_2', 'Staff number (DE)'],
    });
    const sent = await sendText(guard, 'aaa bbb ccc ddd eee');
    const labels = sent.split(' ').map((tag) => /^<(.+)_[0-9A-Z]{8,16}>$/.exec(tag)?.[1]);
    expect(labels).to.deep.equal(['EMPLOYEE_ID_2', 'STAFF_NUMBER_DE', 'ENTITY', 'ENTITY', 'ENTITY']);
    expect(await answer(guard, sent)).to.equal('aaa bbb ccc ddd eee');
  });

  it('returns NONE if nothing was found', async () => {
    const outcome = await guardFor().request({ texts: ['Hello', ''], structuredMessages: [] }, caller);
    expect(outcome).to.have.all.keys('action', 'session', 'entities').and.include({ action: 'NONE' });
  });

  it('counts findings by type and detector', async () => {
    const { entities } = await guardFor().request({ texts: ['Anna, Anna Schmidt, a@b.example'] }, caller);
    expect(entities).to.deep.equal([
      { type: 'PERSON', detector: 'fake', action: 'pseudonymize', count: 2 },
      { type: 'EMAIL_ADDRESS', detector: 'fake', action: 'pseudonymize', count: 1 },
    ]);
    const escaped = await guardFor().request({ texts: ['{"a":"Anna\\n","b":"O\\"Brien"}'] }, caller);
    expect(escaped.entities).to.deep.equal([{ type: 'PERSON', detector: 'fake', action: 'pseudonymize', count: 2 }]);
  });
});

describe('structured messages and tools', () => {
  const args = (value: Json): string => JSON.stringify(value);

  it('rewrites only the members that the model reads', async () => {
    const guard = guardFor({ Anna: 'PERSON', '4915112345678': 'PHONE_NUMBER' }, { firstOnly: true });
    const call = {
      id: 'Anna',
      type: 'function',
      function: { name: 'Anna', arguments: args({ to: 'Anna', Anna: [1, { n: 4915112345678 }] }) },
    };
    const messages: Json[] = [
      {
        role: 'user',
        name: 'Anna',
        content: [
          { type: 'text', text: 'I am Anna, 4915112345678', cache_control: { type: 'Anna' } },
          { type: 'image_url', image_url: { url: 'https://x.example/Anna' } },
        ],
      },
      { role: 'assistant', content: null, refusal: 'Anna', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'Anna', content: 'sent to Anna' },
      { type: 'function_call_output', call_id: 'Anna', output: 'Anna' },
      { role: 'tool', content: { name: 'Anna', n: 4915112345678 } },
      { type: 'function_call_output', output: { id: ['Anna'] } },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'Anna', name: 'Anna', input: { Anna: 'Anna', n: 4915112345678, ok: true } }],
      },
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Anna' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'Anna' } },
          { type: 'resource', resource: { mimeType: 'image/png', blob: 'Anna' } },
          { type: 'resource', resource: { blob: 'Anna' } },
        ],
      },
      { role: 'user', parts: [{ fileData: { mimeType: 'image/png', fileUri: 'gs://Anna' } }, { text: 'Anna' }] },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'Anna', signature: 'Anna' }],
        thinking_blocks: [
          { type: 'thinking', thinking: 'Anna', signature: 'Anna' },
          { type: 'thinking', thinking: 'Anna' },
          { type: 'redacted_thinking', data: 'Anna' },
        ],
        reasoning_content: 'Anna',
        reasoning_items: [{ type: 'reasoning', encrypted_content: 'Anna', summary: [{ text: 'Anna' }] }],
        reasoning_details: [{ type: 'reasoning.text', text: 'Anna', signature: 'Anna' }],
        provider_specific_fields: { thought_signatures: ['Anna'] },
        parts: [{ text: 'Anna', thought: true, thoughtSignature: 'Anna' }],
        unknown: { deep: ['Anna'] },
      },
    ];
    const tools: Json[] = [
      {
        type: 'function',
        function: {
          name: 'Anna',
          description: 'Writes to Anna',
          parameters: {
            type: 'object',
            required: ['Anna'],
            properties: { Anna: { type: 'string', enum: ['Anna'], pattern: 'Anna' } },
          },
        },
      },
    ];
    const sent = await send(guard, { structuredMessages: messages, tools });
    const [anna = '', phone = ''] = tagsIn(JSON.stringify(sent.structuredMessages?.[0]));
    const number = `[${phone.slice(1, -1)}]`;
    expect(sent.structuredMessages).to.deep.equal([
      {
        role: 'user',
        name: 'Anna',
        content: [
          { type: 'text', text: `I am ${anna}, ${phone}`, cache_control: { type: 'Anna' } },
          { type: 'image_url', image_url: { url: 'https://x.example/Anna' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        refusal: anna,
        tool_calls: [{ ...call, function: { name: 'Anna', arguments: args({ to: anna, Anna: [1, { n: number }] }) } }],
      },
      { role: 'tool', tool_call_id: 'Anna', content: `sent to ${anna}` },
      { type: 'function_call_output', call_id: 'Anna', output: anna },
      { role: 'tool', content: { name: anna, n: number } },
      { type: 'function_call_output', output: { id: [anna] } },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'Anna', name: 'Anna', input: { Anna: anna, n: number, ok: true } }],
      },
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: anna } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'Anna' } },
          { type: 'resource', resource: { mimeType: 'image/png', blob: 'Anna' } },
          { type: 'resource', resource: { blob: anna } },
        ],
      },
      { role: 'user', parts: [{ fileData: { mimeType: 'image/png', fileUri: 'gs://Anna' } }, { text: anna }] },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: anna, signature: 'Anna' }],
        thinking_blocks: [
          { type: 'thinking', thinking: anna, signature: 'Anna' },
          { type: 'thinking', thinking: anna },
          { type: 'redacted_thinking', data: 'Anna' },
        ],
        reasoning_content: anna,
        reasoning_items: [{ type: 'reasoning', encrypted_content: 'Anna', summary: [{ text: anna }] }],
        reasoning_details: [{ type: 'reasoning.text', text: anna, signature: 'Anna' }],
        provider_specific_fields: { thought_signatures: ['Anna'] },
        parts: [{ text: anna, thought: true, thoughtSignature: 'Anna' }],
        unknown: { deep: [anna] },
      },
    ]);
    expect(sent.tools).to.deep.equal([
      {
        type: 'function',
        function: {
          name: 'Anna',
          description: `Writes to ${anna}`,
          parameters: {
            type: 'object',
            required: ['Anna'],
            properties: { Anna: { type: 'string', enum: [anna], pattern: 'Anna' } },
          },
        },
      },
    ]);
    const back = await guard.response(
      { texts: [], structuredMessages: sent.structuredMessages, toolCalls: [] },
      caller,
    );
    expect(back.structuredMessages).to.deep.equal(messages);
  });

  it('keeps arguments valid JSON at every depth, with one pseudonym for each value', async () => {
    const guard = guardFor({ 'O"Brien': 'PERSON', 'Zoë\n\\X': 'PERSON' });
    const texts = ['O"Brien and Zoë\n\\X'];
    const inner = args({ name: 'O"Brien', note: 'by Zoë\n\\X', 'O"Brien': '' });
    const document = {
      texts,
      structuredMessages: [
        {
          role: 'assistant',
          tool_calls: [
            { function: { name: 'f', arguments: args({ inner, list: ['Zoë\n\\X'], deeper: args({ inner }) }) } },
          ],
        },
      ],
    };
    const sent = await send(guard, document);
    expect(new Set(tagsIn(JSON.stringify(sent)))).to.have.property('size', 2);
    expect(JSON.stringify(sent)).not.to.match(/Brien|Zoë/);
    const back = await guard.response(sent, caller);
    expect(back.structuredMessages).to.deep.equal(document.structuredMessages);
  });

  it('finds values with JSON escapes, and restores the same escapes', async () => {
    const guard = guardFor({ 'Zoë Müller': 'PERSON' });
    const texts = [
      'Zoë Müller',
      '{"name": "Zo\\u00eb M\\u00fcller"}',
      '{"name": "Zoë Müller"}',
      '{"name":"Zo\\u00EB M\\u00fcller","x":"\\u005ao\\u00eb Müller"}',
      '{"path":"C:\\\\Zo\\u00eb M\\u00fcller"}',
    ];
    const sent = await send(guard, { texts });
    const [tag = ''] = tagsIn(sent.texts[0] ?? '');
    expect(sent.texts[1]).to.equal(`{"name": "\\u003c${tag.slice(1, -1)}\\u003e"}`);
    expect(sent.texts[2]).to.equal(`{"name": "${tag}"}`);
    expect(between(sent.texts[3] ?? '')).to.deep.equal(['{"name":"', '","x":"', '"}']);
    expect((await guard.response(sent, caller)).texts).to.deep.equal(texts);
  });

  it('keeps JSON valid for a finding across JSON structure, and does not replace its parts elsewhere', async () => {
    const guard = guardFor({ 'Main St 1","zip":"10115': 'LOCATION' });
    const texts = ['{"street":"Main St 1","zip":"10115"}', 'The zip is a key'];
    const sent = await send(guard, { texts });
    expect(sent.texts[1]).to.equal(texts[1]);
    expect(Object.values(JSON.parse(sent.texts[0] ?? '') as object).flatMap(between)).to.deep.equal(['', '', '', '']);
    expect((await guard.response(sent, caller)).texts).to.deep.equal(texts);
  });

  it('throws DocumentTooDeepError for a document that is nested too deeply', async () => {
    let deep: Json = 'Anna';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    for (const message of [deep, { input: { deep } }]) {
      const error = await guardFor()
        .request({ texts: [], structuredMessages: [message] }, caller)
        .catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(DocumentTooDeepError);
    }
  });

  it('rewrites content parts of unknown types, but does not restore addresses in them', async () => {
    const guard = guardFor();
    const part = (who: string, url: string): Json => ({
      ...{ type: 'brand_new', id: 'Anna', name: who, data: who, url: `https://x.example/?q=${url}` },
    });
    const message = (who: string, url: string): Json[] => [{ role: 'user', content: [part(who, url)] }];
    const sent = await send(guard, { structuredMessages: message('Anna', 'Anna') });
    const [anna = ''] = tagsIn(JSON.stringify(sent));
    expect(sent.structuredMessages).to.deep.equal(message(anna, anna));
    const back = await guard.response({ texts: [], structuredMessages: sent.structuredMessages }, caller);
    expect(back.structuredMessages).to.deep.equal(message('Anna', anna));
  });

  it('replaces a key only if it is a value of exact form, alike in schemas, arguments and results', async () => {
    const values = {
      'a@b.example': 'EMAIL_ADDRESS',
      '+4915112345678': 'PHONE_NUMBER',
      '4915112345678': 'PHONE_NUMBER',
    };
    const guard = guardFor({ ...values, Anna: 'PERSON' });
    const all = Object.fromEntries(
      [...Object.keys(values), 'Anna', 'to a@b.example', 'Anna Schmidt'].map((key) => [key, 1]),
    );
    const schema = { type: 'object', properties: all, required: Object.keys(all) };
    const call = { function: { name: 'f', arguments: args(all) } };
    const messages: Json[] = [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: all }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: all }] },
      { role: 'user', content: 'Anna, a@b.example, +4915112345678' },
    ];
    const tools: Json[] = [{ type: 'function', function: { name: 'f', parameters: schema } }];
    const sent = await send(guard, { structuredMessages: messages, tools });
    const [, email = '', phone = ''] = tagsIn(JSON.stringify(sent.structuredMessages?.at(-1)));
    const expected = { [email]: 1, [phone]: 1, ...Object.fromEntries(Object.entries(all).slice(2)) };
    const replaced = { type: 'object', properties: expected, required: Object.keys(expected) };
    expect(sent.tools).to.deep.equal([{ type: 'function', function: { name: 'f', parameters: replaced } }]);
    expect(sent.structuredMessages?.slice(0, 3)).to.deep.equal([
      { role: 'assistant', content: null, tool_calls: [{ function: { name: 'f', arguments: args(expected) } }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: expected }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: expected }] },
    ]);
    const toolCalls: Json[] = [{ function: { name: 'f', arguments: args(expected) } }];
    expect((await guard.response({ texts: [], toolCalls }, caller)).toolCalls).to.deep.equal([call]);
  });

  it('keeps a key named __proto__', async () => {
    const message = JSON.parse('{"role":"user","__proto__":"Anna","content":"Anna"}') as Json;
    const sent = await send(guardFor(), { structuredMessages: [message] });
    expect(Object.keys(sent.structuredMessages?.[0] as object)).to.deep.equal(['role', '__proto__', 'content']);
    expect(JSON.stringify(sent)).not.to.include('Anna');
  });
});

describe('response', () => {
  it('escapes values in JSON, and does not escape them in prose', async () => {
    const guard = guardFor();
    const tag = await sendText(guard, 'O"Brien');
    const cases: [text: string, restored: string][] = [
      [`Dear ${tag}`, 'Dear O"Brien'],
      [`{"name":"${tag}"}`, '{"name":"O\\"Brien"}'],
      [
        `Here it is:\n\`\`\`json\n{"name":"${tag}"}\n\`\`\`\nfor ${tag}`,
        'Here it is:\n```json\n{"name":"O\\"Brien"}\n```\nfor O"Brien',
      ],
      [`{"a":"{\\"b\\":\\"${tag}\\"}"}`, '{"a":"{\\"b\\":\\"O\\\\\\"Brien\\"}"}'],
      [`["x", "${tag}`, '["x", "O\\"Brien'],
      [`{not json "${tag}"}`, '{not json "O"Brien"}'],
    ];
    for (const [text, restored] of cases) expect(await answer(guard, text)).to.equal(restored);
  });

  it('restores tool calls, with numbers as numbers', async () => {
    const guard = guardFor({ 'O"Brien': 'PERSON', '4915112345678': 'PHONE_NUMBER' });
    const [name = '', phone = ''] = tagsIn(await sendText(guard, 'O"Brien 4915112345678'));
    const toolCall = (to: string, n: string): Json => ({
      id: name,
      type: 'function',
      function: { name, arguments: `{"to":"${to}","n":${n}}` },
    });
    const back = await guard.response(
      { texts: [], toolCalls: [toolCall(name, `"[${phone.slice(1, -1)}]"`), toolCall(name, `"${phone}"`)] },
      caller,
    );
    expect(back.toolCalls).to.deep.equal([
      toolCall('O\\"Brien', '4915112345678'),
      toolCall('O\\"Brien', '"4915112345678"'),
    ]);
  });

  it('reads the store once for all choices, and never without pseudonyms', async () => {
    const { guard, store } = createTestGuard(createFakeAnalyzer(people));
    const [anna = '', mail = ''] = tagsIn(await sendText(guard, 'Anna a@b.example'));
    let asked: readonly Pseudonym[][] = [];
    const get = store.get.bind(store);
    store.get = (session, pseudonyms) => {
      asked = [...asked, [...pseudonyms]];
      return get(session, pseudonyms);
    };
    await guard.response({ texts: ['Hello, person (1)'] }, caller);
    expect(asked).to.deep.equal([]);
    await guard.response({ texts: [`${anna} ${anna}`, `${mail} ${anna}`] }, caller);
    expect(asked).to.deep.equal([[anna, mail]]);
  });

  it('keeps a pseudonym in an address that a renderer loads, and counts it', async () => {
    const guard = guardFor();
    const [anna = ''] = tagsIn(await sendText(guard, 'Anna'));
    const text = (who: string): string => `${who}: ![x](https://e.example/?q=${anna})`;
    expect(await guard.response({ texts: [text(anna), text(anna)] }, caller)).to.deep.include({
      ...{ texts: [text('Anna'), text('Anna')], action: 'GUARDRAIL_INTERVENED' },
      ...{ restored: 1, withheld: 1, unknown: 0 },
    });
    expect(await guard.response({ texts: [`[]:&${anna}`] }, caller)).to.deep.include({ action: 'NONE', withheld: 1 });
  });

  it('keeps a pseudonym whose value is lost, and counts it', async () => {
    const { guard, store } = createTestGuard(createFakeAnalyzer(people));
    const sent = await sendText(guard, 'Anna');
    await store.eraseSession(guard.sessionOf(caller.identity));
    expect(await guard.response({ texts: [sent] }, caller)).to.deep.include({
      texts: [sent],
      action: 'NONE',
      restored: 0,
      unknown: 1,
    });
  });
});

describe('long values', () => {
  const run = 'Anna Schmidt '.repeat(7876);
  /** A detector that finds each match of a pattern as one value. */
  const greedy = (pattern: RegExp, type = 'PERSON'): Analyzer => ({
    ...createFakeAnalyzer({}),
    analyze: (texts) =>
      Promise.resolve(
        texts.map((text) =>
          Array.from(text.matchAll(pattern), ({ 0: value, index }): Finding => {
            return {
              start: index,
              end: index + value.length,
              type,
              score: 0.9,
              detector: 'greedy',
              rule: 'greedy',
              action: 'pseudonymize',
            };
          }),
        ),
      ),
  });

  it('splits a run of names into the names', async () => {
    const { guard, store } = createTestGuard(greedy(/Anna(?: Anna| Schmidt| Eve)*/g));
    const sent = await sendText(guard, `${run}Eve Anna`);
    expect(new Set(tagsIn(sent))).to.have.property('size', 3);
    expect(sent).not.to.match(/Anna|Schmidt|Eve/);
    expect(tagsIn(sent)).to.have.length(7877);
    expect(await store.describe(guard.sessionOf(caller.identity))).to.include({ pseudonyms: 3 });
    expect(await answer(guard, sent)).to.equal(`${run}Eve Anna`);
  });

  it('splits a long value, replaces all parts and restores them', async () => {
    const words = fc.array(fc.constantFrom('Anna', 'Schmidt', 'Wu', 'x'.repeat(300), '😀'.repeat(150), '"', 'é'), {
      minLength: 60,
      maxLength: 120,
    });
    const form = fc.constantFrom(
      (text: string) => text,
      (text: string) => JSON.stringify({ a: [text], b: text }),
    );
    await fc.assert(
      fc.asyncProperty(words, fc.constantFrom(' ', '\n', '\t  '), form, async (said, space, wrap) => {
        const { guard, store } = createTestGuard(greedy(/[^{}[\]:,]{30,}/g));
        const longest: number[] = [];
        const put = store.put.bind(store);
        store.put = (entry) => {
          for (const value of entry.values.values()) longest.push(value.length);
          return put(entry);
        };
        const text = wrap(said.join(space));
        const sent = await sendText(guard, text);
        expect(between(sent).join('')).not.to.match(/Anna|Schmidt|Wu|x|😀|é/);
        // A value with quotation marks or line breaks is stored in its JSON spelling.
        expect(Math.max(...longest)).to.be.at.most(2 * MAX_ENTITY);
        expect(await answer(guard, sent)).to.equal(text);
      }),
      { numRuns: runs(300) },
    );
  });

  it('does not split values of types that are long by nature', async () => {
    const key = `-----BEGIN ${'k'.repeat(4000)}`;
    expect(tagsIn(await sendText(createTestGuard(greedy(/-----.*/g, 'PRIVATE_KEY')).guard, key))).to.have.length(1);
  });

  it('throws ResponseTooLargeError if the restored texts together exceed the maximum size', async () => {
    const { guard } = createTestGuard(greedy(/x+/g, 'URL'), { maxResponseBytes: 100_000 });
    const [tag = ''] = tagsIn(await sendText(guard, 'x'.repeat(5000)));
    const fits = await guard.response({ texts: [tag.repeat(10), tag.repeat(10)] }, caller);
    expect(fits.texts).to.deep.equal(['x'.repeat(50_000), 'x'.repeat(50_000)]);
    const call = { function: { name: 'f', arguments: JSON.stringify(tag) } };
    for (const document of [
      { texts: [tag.repeat(21)] },
      { texts: Array.from({ length: 21 }, () => tag) },
      { texts: [tag.repeat(20)], toolCalls: [call] },
      { texts: [`![x](https://e.example/?q=${tag.repeat(21)})`] },
    ]) {
      const error: unknown = await guard.response(document, caller).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ResponseTooLargeError);
    }
  });
});

describe('signed thoughts', () => {
  const planted: Planted = { ...people, Zürich: 'LOCATION' };
  const said = fc.array(
    fc.constantFrom(...Object.keys(planted), ' ', ', ', ' met ', "'s ", '\n', '"', 'ß', '<b>', '{"a":"'),
    {
      maxLength: 12,
    },
  );
  const messagesWith = (thinking: string): Json[] => [
    { role: 'user', content: 'Anna Schmidt, Anna, a@b.example, Zürich' },
    { role: 'assistant', thinking_blocks: [{ type: 'thinking', thinking, signature: 'c2lnbmVk' }] },
  ];
  const thoughtIn = (messages: readonly Json[] | undefined): string =>
    (messages?.[1] as { thinking_blocks: [{ thinking: string }] }).thinking_blocks[0].thinking;

  it('returns a thought to the model byte for byte, whether or not it was restored for the client', async () => {
    await fc.assert(
      fc.asyncProperty(said, async (words) => {
        const guard = guardFor(planted);
        // The thought of the model, with the pseudonyms of the request.
        const wrote = thoughtIn(
          (await send(guard, { structuredMessages: messagesWith(words.join('')) })).structuredMessages,
        );
        const back = await guard.response({ texts: [], structuredMessages: messagesWith(wrote) }, caller);
        for (const shown of [thoughtIn(back.structuredMessages), wrote]) {
          const again = await send(guard, { structuredMessages: messagesWith(shown) });
          expect(thoughtIn(again.structuredMessages)).to.equal(wrote);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('response that looks like a search for a pseudonym', () => {
  const guesses = (count: number): string[] => Array.from({ length: count }, (_, at) => `<PERSON_AAAAA${100 + at}>`);

  it('restores nothing in any part, wherever the correct guess is', async () => {
    const guard = guardFor();
    const [anna = ''] = tagsIn(await sendText(guard, 'Anna'));
    const wrong = guesses(MAX_UNKNOWN + 1);
    for (const at of [0, 20, wrong.length]) {
      const tags = wrong.toSpliced(at, 0, anna);
      for (const document of [
        { texts: [tags.join(' ')] },
        { texts: tags },
        { texts: [anna], toolCalls: [{ function: { name: 'f', arguments: JSON.stringify(wrong) } }] },
      ]) {
        const outcome = await guard.response(document, caller);
        expect(outcome).to.deep.include({ ...document, action: 'NONE', isEnumeration: true, restored: 0, withheld: 1 });
        expect(outcome.unknown).to.equal(wrong.length);
      }
    }
  });

  it('counts distinct guesses, except an incomplete one, and restores up to the limit', async () => {
    const guard = guardFor();
    const [anna = ''] = tagsIn(await sendText(guard, 'Anna'));
    const wrong = guesses(MAX_UNKNOWN);
    for (const tags of [wrong, [...wrong, ...wrong, ...wrong], [...wrong, '<PERSON_AAAAA777']]) {
      const text = [anna, ...tags].join(' ');
      const outcome = await guard.response({ texts: [text] }, caller);
      expect(outcome).to.deep.include({ texts: [text.replace(anna, 'Anna')], isEnumeration: false, restored: 1 });
    }
  });

  it('does not count pseudonyms of other sessions that the client typed and the model repeats', async () => {
    const guard = guardFor();
    const text = `Anna pasted: ${guesses(10 * MAX_UNKNOWN).join(' ')}`;
    expect(await answer(guard, await sendText(guard, text))).to.equal(text);
  });
});

describe('client text that looks like a pseudonym', () => {
  it('stays if it has only a form that needs an exact code: numbers of products have it', async () => {
    const text = 'SKU-AB12CD34, "order_AB12CD34", ID_AB12CD34 and {PERSON_AB12CD34} of <T_AB12CD34>';
    expect(await guardFor().request({ texts: [text] }, caller)).to.include({ action: 'NONE' });
  });

  const forms = (tag: string): string[] => {
    const name = tag.slice(1, -1);
    const spaced = name.replaceAll('_', ' ');
    return [
      tag,
      tag.toLowerCase(),
      `<${name}`,
      `${name}>`,
      `[${name}]`,
      `(${name})`,
      `(${name} x`,
      `&lt;${name}&gt;`,
      `\\u003c${name}\\u003e`,
      `\\\\u003c${name}\\\\u003e`,
      `< ${spaced} >`,
      `[${spaced}]`,
      `<${name}'s>`,
      `<${name.replaceAll('_', '\\_')}>`,
      `%3C${name}%3E`,
    ];
  };

  it('restores every form as typed, whether or not the session knows the pseudonym', async () => {
    const guard = guardFor();
    const own = await sendText(guard, 'Anna');
    for (const typed of [own, '<PERSON_K7Q2RTM4>', '<LITERAL_K7Q2RTM4>']) {
      for (const form of forms(typed)) {
        for (const text of [form, `a ${form} b`, `{"x":"${form}"}`, `Anna: ${form}${form}`, `Anna${form}Anna`]) {
          const sent = await sendText(guard, text);
          expect(await answer(guard, sent), text).to.equal(text);
          expect(sent, text).not.to.include(typed);
        }
      }
    }
  });

  it('leaves it as it is if the inline proxy has replaced the values, and replaces the values that are left', async () => {
    const guard = guardFor();
    const own = await sendText(guard, 'Anna');
    for (const form of [...forms('<PERSON_K7Q2RTM4>'), ...forms(own)]) {
      const marked = await sendText(guard, `${form} and Anna`, { ...caller, isPseudonymized: true });
      expect(marked.startsWith(`${form} and <PERSON_`), marked).to.equal(true);
    }
  });

  it('restores the text as typed if the session learns the pseudonym later', async () => {
    const guard = guardFor();
    const other = await sendText(guardFor(), 'Anna');
    const sent = await sendText(guard, `I saw ${other} in a log`);
    await sendText(guard, 'Anna');
    expect(await answer(guard, sent)).to.equal(`I saw ${other} in a log`);
  });

  it('sends the same text in each turn of a conversation', async () => {
    const guard = guardFor();
    const first = await sendText(guard, 'What is <PERSON_K7Q2RTM4>?');
    const back = await answer(guard, first);
    expect(await sendText(guard, back)).to.equal(first);
  });

  it('lengthens the pseudonym of a value if the text contains the same code', async () => {
    const guard = guardFor();
    const [own = ''] = tagsIn(await sendText(guard, 'Anna'));
    for (const text of [`Anna ${own}`, `Anna ${own.slice(1, -1)}`, `Anna ${own.slice(-9, -1).toLowerCase()}`]) {
      const [longer = ''] = tagsIn(await sendText(guard, text));
      expect(longer.startsWith(own.slice(0, -1)), text).to.equal(true);
      expect(longer, text).not.to.equal(own);
    }
  });
});

describe('round trips', () => {
  const unicode = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    // Any code unit, also lone surrogates.
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
    fc.string({
      unit: fc.constantFrom('ا', 'ب', '\u202e', '\u0301', 'é', '👩‍👩‍👧', '🏽', 'ก', 'ำ', '張', '\u2028', '\0'),
      maxLength: 6,
    }),
  );
  const soup = fc
    .array(
      fc.constantFrom(
        ...[
          '<',
          '>',
          '&lt;',
          '&gt;',
          '[',
          ']',
          '(',
          ')',
          '{',
          '}',
          '"',
          ':',
          ',',
          '\\',
          '\\u003c',
          '\\u003e',
          '%3C',
          '\n',
          ' ',
          '_',
          '-',
        ],
        ...[
          'PERSON',
          'email address',
          '_K7Q2RTM4',
          'AB12CDEF',
          '<PERSON_K7Q2RTM4>',
          '{"a":"',
          '"}',
          '["',
          "'s",
          '1',
          'x',
          'data:;base64,',
        ],
        ...['\n```sql\n', '\n```sh\n', '\n```html\n', '\n```yaml\n', '\n```\n', "'", '&', '<p title="'],
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''));
  /** Begins with at least two letters or digits, so that it cannot match JSON syntax. */
  const value = fc
    .tuple(
      fc.constantFrom('Ann', 'Zoë', 'ли', 'سعا', '山田', '49'),
      fc.oneof(unicode, soup),
      fc.constantFrom('a', 'ñé', '🙂', '7', ''),
    )
    .map((parts) => parts.join(''));
  const setting = fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).chain((values) =>
    fc.record({
      values: fc.constant(values),
      texts: fc.array(
        fc
          .array(
            fc.oneof(
              fc.constantFrom(...values),
              fc.constantFrom(...values),
              unicode,
              soup,
              fc.constantFrom(...values).map((v) => JSON.stringify({ k: v, n: [v] })),
            ),
            { maxLength: 8 },
          )
          .map((parts) => parts.join('')),
        { maxLength: 4 },
      ),
    }),
  );
  const plantedOf = (values: readonly string[]): Planted =>
    Object.fromEntries(values.map((text, at) => [text, ['PERSON', 'EMAIL_ADDRESS', 'US_SSN'][at % 3] ?? '']));

  it('restores texts byte for byte, and sends no planted value', async () => {
    await fc.assert(
      fc.asyncProperty(setting, async ({ values, texts }) => {
        const guard = guardFor(plantedOf(values));
        const outcome = await guard.request({ texts }, caller);
        const hasPlantedValue = texts.some((text) => values.some((planted) => text.includes(planted)));
        if (hasPlantedValue) expect(outcome.action).to.equal('GUARDRAIL_INTERVENED');
        const sent = outcome.action === 'GUARDRAIL_INTERVENED' ? outcome.texts : texts;
        expect(sent).to.have.length(texts.length);
        for (const piece of sent.flatMap(between)) {
          for (const planted of values)
            expect(piece.includes(planted), `${JSON.stringify(planted)} in ${JSON.stringify(piece)}`).to.equal(false);
        }
        for (const tag of sent.flatMap(tagsIn)) expect(texts.join('\n').includes(tag)).to.equal(false);
        const back = await guard.response({ texts: sent }, caller);
        // Pseudonyms in addresses that a renderer loads are not restored: see autoload.test.ts.
        if (back.withheld > 0) expect(texts.some(mayLoadAddresses)).to.equal(true);
        else expect(back.texts).to.deep.equal(texts);
      }),
      { numRuns: runs(4000) },
    );
  }).timeout(120_000);

  it('restores tool-call arguments, and keeps them valid JSON', async () => {
    const data = setting.chain(({ values }) => {
      const leaf = fc.oneof(
        fc.constantFrom(...values),
        unicode,
        fc.integer(),
        fc.constant(4915112345678),
        fc.boolean(),
        fc.constant(null),
      );
      const tree = fc.letrec<{ json: Json }>((tie) => ({
        json: fc.oneof(
          { maxDepth: 3 },
          leaf,
          fc.array(tie('json'), { maxLength: 3 }),
          fc.dictionary(fc.oneof(fc.constantFrom(...values), fc.constantFrom('a', 'b', 'c')), tie('json'), {
            maxKeys: 3,
            noNullPrototype: true,
          }),
          fc
            .dictionary(fc.constantFrom('a', 'b'), tie('json'), { maxKeys: 2, noNullPrototype: true })
            .map((inner) => JSON.stringify(inner)),
        ),
      })).json;
      return fc.record({ values: fc.constant(values), value: tree });
    });
    await fc.assert(
      fc.asyncProperty(data, async ({ values, value: json }) => {
        const guard = guardFor({ ...plantedOf(values), '4915112345678': 'PHONE_NUMBER' });
        const input: Json = { k: json };
        const structuredMessages: Json[] = [
          { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: JSON.stringify(input) } }] },
          { role: 'assistant', content: [{ type: 'tool_use', input }] },
        ];
        const sent = await send(guard, { structuredMessages });
        const [message] = sent.structuredMessages as [{ tool_calls: [{ function: { arguments: string } }] }];
        const parsed = JSON.parse(message.tool_calls[0].function.arguments) as Json;
        // Names of properties are structure.
        for (const text of stringsIn(parsed, false).flatMap(between)) {
          for (const planted of values) expect(text.includes(planted)).to.equal(false);
          expect(text).not.to.include('4915112345678');
        }
        const back = await guard.response({ texts: [], structuredMessages: sent.structuredMessages }, caller);
        expect(back.structuredMessages).to.deep.equal(structuredMessages);
      }),
      { numRuns: runs(2000) },
    );
  }).timeout(120_000);

  it('releases a growing prefix of the restored response for any chunks, and all of it at the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        setting,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async ({ values, texts }, sizes) => {
          const guard = guardFor(plantedOf(values));
          const whole = (await send(guard, { texts })).texts.join(' ');
          const final = await answer(guard, whole);
          const stream = guard.stream(caller).text('text');
          let streamed = '';
          let released = '';
          for (let end = 0, cut = 0; end < whole.length; cut++) {
            const begin = end;
            end += sizes[cut % sizes.length] ?? 1;
            streamed += await stream.push(whole.slice(begin, end));
            expect(final.startsWith(streamed)).to.equal(true);
            const {
              texts: [text = ''],
              holdback: [holdback = 0],
            } = await guard.response({ texts: [whole.slice(0, end)] }, caller);
            expect(holdback).to.be.within(0, text.length);
            const shown = text.slice(0, text.length - holdback);
            expect(shown.startsWith(released)).to.equal(true);
            expect(/[\ud800-\udbff]$/.test(shown) && /^[\udc00-\udfff]/.test(final.slice(shown.length))).to.equal(
              false,
            );
            expect(final.startsWith(shown)).to.equal(true);
            released = shown;
            if (end >= whole.length) expect(text).to.equal(final);
          }
          expect(streamed + (await stream.end())).to.equal(final);
        },
      ),
      { numRuns: runs(1000) },
    );
  }).timeout(120_000);

  it('never restores the value of another pseudonym if the store loses or mixes up mappings', async () => {
    await fc.assert(
      fc.asyncProperty(setting, fc.infiniteStream(fc.boolean()), async ({ values, texts }, coin) => {
        const { guard, store } = createTestGuard(createFakeAnalyzer(plantedOf(values)));
        const sent = (await send(guard, { texts })).texts;
        const get = store.get.bind(store);
        // Some mappings are lost and some have the value of another, as after a fault of the store.
        store.get = async (session, pseudonyms) => {
          const kept = [...(await get(session, pseudonyms))].filter(() => coin.next().value);
          return new Map(
            kept.map(([pseudonym, stored], at) => [
              pseudonym,
              coin.next().value ? stored : (kept[at - 1]?.[1] ?? 'Mallory'),
            ]),
          );
        };
        const back = (await guard.response({ texts: sent }, caller)).texts;
        const pieces = back.flatMap((text, at) => between(text).map((piece) => [piece, texts[at] ?? '']));
        for (const [piece = '', original = ''] of pieces) expect(original.includes(piece)).to.equal(true);
      }),
      { numRuns: runs(1500) },
    );
  }).timeout(120_000);
});

describe('use of the store', () => {
  it('writes once for each request, for any number of values', async () => {
    const { guard, store } = createTestGuard(createFakeAnalyzer(people));
    let puts = 0;
    const put = store.put.bind(store);
    store.put = (entry) => {
      puts++;
      return put(entry);
    };
    await send(guard, { texts: ['Anna, Anna Schmidt, a@b.example', 'O"Brien'] });
    expect(puts).to.equal(1);
  });

  it('stores lone surrogates in a form that UTF-8 can encode', async () => {
    const text = 'Zo\ud800 \u0000Zo <\udc00PERSON_K7Q2RTM4>';
    const { guard, store } = createTestGuard(createFakeAnalyzer({ 'Zo\ud800': 'PERSON', '\u0000Zo': 'PERSON' }));
    const put = store.put.bind(store);
    store.put = (entry) => {
      const asUtf8 = (value: string): string => Buffer.from(value, 'utf8').toString('utf8');
      return put({ ...entry, values: new Map(Array.from(entry.values, ([name, value]) => [name, asUtf8(value)])) });
    };
    const sent = await sendText(guard, text);
    expect(tagsIn(sent)).to.have.length(3);
    expect(await answer(guard, sent)).to.equal(text);
  });

  /** Stores another value under a pseudonym. */
  async function occupy(store: MappingStore, guard: Guard, pseudonym: string, stored: string): Promise<void> {
    const session = guard.sessionOf(caller.identity);
    const values = new Map([[pseudonym as Pseudonym, stored]]);
    // The store checks that subject and session begin with the same characters.
    const subject = undefined;
    expect(await store.put({ session, subject, values, fence: store.fence() })).to.deep.equal({ kind: 'stored' });
  }

  it('lengthens a pseudonym that the store has for another value', async () => {
    const [short = ''] = tagsIn(await sendText(guardFor(), 'Anna'));
    const { guard, store } = createTestGuard(createFakeAnalyzer(people), { store: createMemoryStore({ ttlMs: 1e6 }) });
    await occupy(store, guard, short, 'Somebody else');
    const sent = await sendText(guard, 'Anna');
    expect(sent)
      .to.have.length(short.length + 1)
      .and.satisfy((text: string) => text.startsWith(short.slice(0, -1)));
    expect(await answer(guard, `${sent} ${short}`)).to.equal(`Anna ${short}`);
    // The text contains the next longer code.
    const [longer = ''] = tagsIn(await sendText(guard, `Anna ${sent.slice(-10, -1)}`));
    expect(longer).to.have.length(short.length + 2);
  });

  it('stores and sends nothing if the session is erased during the request', async () => {
    for (const scope of ['session', 'subject']) {
      const analyzer = createFakeAnalyzer(people, {
        onBatch: async () => {
          if (scope === 'session') await store.eraseSession(guard.sessionOf(caller.identity));
          else await store.eraseSubject(deriveSubject(testKey, caller.identity.tenant, 'cust-9'));
        },
      });
      const { guard, store } = createTestGuard(analyzer);
      const error = await guard.request({ texts: ['Anna'] }, caller).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(SessionErasedError);
      expect(await store.count()).to.equal(0);
    }
  });

  it('stores nothing for a request that fails', async () => {
    const analyzer = createFakeAnalyzer(people, { onBatch: () => Promise.reject(new Error('down')) });
    const { guard, store } = createTestGuard(analyzer);
    expect(await guard.request({ texts: ['Anna'] }, caller).catch((thrown: unknown) => String(thrown))).to.equal(
      'Error: down',
    );
    expect(await store.count()).to.equal(0);
  });

  it('stores nothing for an unidentified call', async () => {
    const { guard, store } = createTestGuard(createFakeAnalyzer(people));
    const nobody = callBy({ keyHash: '', endUser: '', callId: '' });
    const sent = await sendText(guard, 'Anna', nobody);
    expect(sent).to.match(/^<PERSON_/);
    expect(await store.count()).to.equal(0);
    expect(await answer(guard, sent, nobody)).to.equal(sent);
    expect(await guard.stream(nobody).text('text').push(sent)).to.equal(sent);
    expect(await sendText(guard, 'Anna', nobody)).not.to.equal(sent);
  });
});

describe('policy', () => {
  it('blocks a value in the arguments of a tool call alone, or replaces it', async () => {
    const planted: Planted = { '5555555555554444': 'CREDIT_CARD' };
    const toolCalls = [{ id: 'c', function: { name: 'p', arguments: '{"card":"5555555555554444"}' } }];
    const blocking = guardFor(planted, { block: ['CREDIT_CARD'] });
    expect(await blocking.request({ texts: ['x'], toolCalls }, caller)).to.include({ action: 'BLOCKED' });
    const sent = await send(guardFor(planted), { texts: ['x'], toolCalls });
    expect(JSON.stringify(sent.toolCalls))
      .to.match(/CREDIT_CARD_/)
      .and.to.not.include('5555');
  });

  it('names the kinds of blocked data without their values, and stores nothing', async () => {
    const { guard, store } = createTestGuard(
      createFakeAnalyzer({ ...people, '4111': 'CREDIT_CARD' }, { block: ['CREDIT_CARD', 'EMAIL_ADDRESS'] }),
    );
    const outcome = await guard.request({ texts: ['Anna pays with 4111, receipt to a@b.example'] }, caller);
    expect(outcome).to.have.all.keys('action', 'session', 'entities', 'blockedReason');
    expect(outcome).to.include({
      action: 'BLOCKED',
      blockedReason:
        'Your request was blocked because it contains credit card numbers and e-mail addresses. Remove this data and try again.',
    });
    expect(await store.count()).to.equal(0);
  });

  it('changes and stores nothing in monitor mode, and reports the action of enforce mode', async () => {
    const cases: [text: string, expected: Partial<RequestOutcome>, count: number][] = [
      ['Hello', { action: 'NONE' }, 0],
      ['Anna', { action: 'NONE', monitored: 'GUARDRAIL_INTERVENED' }, 1],
      ['<PERSON_K7Q2RTM4>', { action: 'NONE', monitored: 'GUARDRAIL_INTERVENED' }, 0],
      ['a@b.example', { action: 'NONE', monitored: 'BLOCKED' }, 1],
    ];
    const store = createMemoryStore({ ttlMs: 1e6 });
    const options = { store: withoutWrites(store) };
    const inner = createTestGuard(createFakeAnalyzer(people, { block: ['EMAIL_ADDRESS'] }), options).guard;
    const guard = createMonitor(inner, inner);
    for (const [text, expected, count] of cases) {
      const { session, entities, ...outcome } = await guard.request({ texts: [text] }, caller);
      expect(outcome).to.deep.equal(expected);
      expect(entities).to.have.length(count);
      expect(session).to.equal(guard.sessionOf(caller.identity));
      expect(await guard.response({ texts: [text, '<PER'] }, caller)).to.deep.include({
        action: 'NONE',
        texts: [text, '<PER'],
        holdback: [0, 0],
      });
    }
    expect(await store.count()).to.equal(0);
  });
});

function stringsIn(json: Json, withKeys = true): string[] {
  if (typeof json === 'string') return [json];
  if (typeof json === 'number') return [String(json)];
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([key, child]) => [...(withKeys ? [key] : []), ...stringsIn(child, withKeys)]);
}
