import { expect } from 'chai';
import { atOnce } from '../eventLoop.ts';
import { leavingOutSchemas, mcpMessage, parseDocument } from './bodies.ts';
import { findingMedia } from './request/media.ts';
import { BodyCalls, CARD, EMAIL, QUOTED } from './testing/bodyCalls.ts';

const rpc = (fields: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, ...fields });
const text = (value: string): object => ({ type: 'text', text: value });

describe('a message of an MCP server', () => {
  const calls = new BodyCalls();
  const sent = (message: object): Promise<string> => calls.sent(mcpMessage, rpc(message));

  /** Messages whose texts are EMAIL: after the check, none has it. */
  const CHECKED: Record<string, object> = {
    'a text': { result: { content: [text(EMAIL)] } },
    'a link': {
      result: { content: [{ type: 'resource_link', uri: `crm://customers/${EMAIL}`, name: EMAIL, title: EMAIL }] },
    },
    'an embedded resource': {
      result: { content: [{ type: 'resource', resource: { uri: `x:${EMAIL}`, text: EMAIL } }] },
    },
    'a content of an unknown type': { result: { content: [{ type: 'new', words: [EMAIL] }] } },
    'structured content': { result: { content: [], structuredContent: { [EMAIL]: [{ a: EMAIL }] } } },
    resources: { result: { contents: [{ uri: `crm://customers/${EMAIL}`, mimeType: 'text/plain', text: EMAIL }] } },
    'lists of resources': { result: { resources: [{ uri: EMAIL, name: EMAIL, description: EMAIL }] } },
    'resource templates': { result: { resourceTemplates: [{ uriTemplate: `crm://by/${EMAIL}/{id}`, name: 'x' }] } },
    'a list of prompts': { result: { prompts: [{ name: 'x', description: EMAIL, arguments: [{ name: EMAIL }] }] } },
    'a prompt': { result: { description: EMAIL, messages: [{ role: 'user', content: text(EMAIL) }] } },
    completions: { result: { completion: { values: [EMAIL], total: 1 } } },
    instructions: { result: { protocolVersion: '2025-06-18', instructions: EMAIL, serverInfo: { name: EMAIL } } },
    'the description of a tool': {
      result: { tools: [{ name: 'x', description: EMAIL, annotations: { title: EMAIL } }] },
    },
    'the schema of a tool': {
      result: { tools: [{ name: 'x', inputSchema: { properties: { to: { default: EMAIL, enum: [EMAIL] } } } }] },
    },
    'a task': { result: { task: { taskId: 't', statusMessage: `For ${EMAIL}` } } },
    'members that are not known': { result: { future: [{ value: EMAIL }], _meta: { [EMAIL]: EMAIL } } },
    'an error': { error: { code: -32_000, message: EMAIL, data: { who: EMAIL } } },
    'a result that is a text': { result: EMAIL },
    'an unknown member of the message': { result: {}, extra: EMAIL },
    'a sample': { method: 'x', params: { messages: [{ role: 'user', content: text(EMAIL) }], systemPrompt: EMAIL } },
    'an elicitation': {
      ...{ method: 'elicitation/create' },
      params: {
        message: EMAIL,
        requestedSchema: { type: 'object', properties: { a: { type: 'string', default: EMAIL } } },
      },
    },
    'a log': { method: 'notifications/message', params: { level: 'info', logger: EMAIL, data: [EMAIL] } },
    progress: { method: 'notifications/progress', params: { progressToken: 1, progress: 1, message: EMAIL } },
    'an update': { method: 'notifications/resources/updated', params: { uri: `crm://customers/${EMAIL}` } },
  };
  for (const [name, message] of Object.entries(CHECKED)) {
    it(`has no value in ${name}`, async () => {
      const text = await sent(message);
      expect(text).to.not.include(EMAIL);
      // All else stays.
      const tag = await calls.pseudonymOf(EMAIL);
      expect(JSON.parse(text.replaceAll(tag, EMAIL))).to.deep.equal(JSON.parse(rpc(message)));
    });
  }

  /** Messages with CARD where a keyword or an id has another form. It has neither white space nor an at sign. */
  const HIDDEN: Record<string, object> = {
    'a task': { result: { task: { taskId: 't', statusMessage: CARD, card: CARD, _meta: { [CARD]: [CARD] } } } },
    'a list of tasks': {
      result: { tasks: [{ taskId: 't', status: 'working', statusMessage: CARD, ttl: [CARD] }, CARD] },
    },
    'a task twice': { result: { task: { card: CARD } }, params: { task: { status: { card: CARD } } } },
    'the server': { result: { serverInfo: { name: 'x', version: '1', card: CARD, icons: [{ src: CARD }] } } },
    'a keyword that is an object': { result: { status: { card: CARD }, role: [CARD], model: [{ card: CARD }] } },
    'a keyword in content': { result: { content: [{ type: 'text', text: '', id: [CARD], name: { card: CARD } }] } },
    'an error code': { error: { code: { card: CARD }, message: '' } },
    'a tool': { result: { tools: [{ name: 'x', authorization: CARD, server_url: CARD, headers: { a: CARD } }] } },
  };
  for (const [name, message] of Object.entries(HIDDEN)) {
    it(`has no value hidden in ${name}`, async () => {
      expect(await sent(message)).to.not.include(CARD);
    });
  }

  it('has no image hidden in a keyword', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const root = parseDocument(rpc({ result: { status: [url] } }));
    const { members, innerOf, opaqueObjects } = mcpMessage;
    const found = atOnce(findingMedia({ root, text: '', members, inner: innerOf?.(root) ?? new Map(), opaqueObjects }));
    expect(found.images.map(({ source }) => source)).to.deep.equal([url]);
  });

  it('stays JSON with any value, and has pseudonyms in place of numbers', async () => {
    const answer = await sent({
      result: { content: [text(QUOTED)], structuredContent: { card: Number(CARD), q: QUOTED } },
    });
    const { result } = JSON.parse(answer) as { result: { content: [{ text: string }]; structuredContent: object } };
    const tag = await calls.pseudonymOf(QUOTED);
    expect(result.content[0].text).to.equal(tag);
    expect(result.structuredContent).to.have.property('q', tag);
    expect(result.structuredContent)
      .to.have.property('card')
      .that.is.a('string')
      .and.matches(/CREDIT_CARD_/);
  });

  it('keeps what the protocol needs', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const kept: object[] = [
      { id: Number(CARD), result: { tools: [{ name: CARD, inputSchema: schema }], isError: false } },
      { id: CARD, method: 'notifications/progress', params: { progressToken: CARD, progress: Number(CARD) } },
      {
        result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
      },
    ];
    const task = { taskId: CARD, status: 'working', createdAt: CARD, lastUpdatedAt: CARD, ttl: Number(CARD) };
    kept.push({ result: { task } }, { result: { tasks: [{ ...task, pollInterval: 1 }] } });
    kept.push({
      ...{ id: 1, method: 'sampling/createMessage' },
      params: { modelPreferences: { hints: [{ name: CARD }] }, toolChoice: { mode: CARD } },
    });
    for (const message of kept) expect(await sent(message)).to.equal(rpc(message));
  });

  for (const [name, content] of Object.entries({
    'a recording': { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    'a file': { type: 'resource', resource: { uri: 'x:y', mimeType: 'application/pdf', blob: 'JVBERi0xLjcKJeLjz9M=' } },
  })) {
    it(`says that it has ${name}`, async () => {
      let hasFiles: boolean | undefined;
      const guard = {
        ...calls.guard,
        sessionOf: calls.guard.sessionOf.bind(calls.guard),
        request: (...[document, context]: Parameters<typeof calls.guard.request>) => {
          hasFiles = document.hasFiles;
          return calls.guard.request(document, context);
        },
      };
      await new BodyCalls(guard).request(mcpMessage, rpc({ result: { content: [content] } }));
      expect(hasFiles).to.equal(true);
    });
  }

  it('has no output schemas of tools', () => {
    const tools = [
      { name: 'a', outputSchema: { type: 'object', properties: { a: { format: 'email' } } } },
      { name: 'b' },
    ];
    expect(JSON.parse(atOnce(leavingOutSchemas(rpc({ result: { tools } }))))).to.deep.equal(
      JSON.parse(rpc({ result: { tools: [{ name: 'a', outputSchema: { type: 'object' } }, { name: 'b' }] } })),
    );
    const data = rpc({ result: { structuredContent: { outputSchema: 1 } } });
    expect(atOnce(leavingOutSchemas(data))).to.equal(data);
  });
});
