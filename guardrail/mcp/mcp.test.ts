import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect } from 'chai';
import * as z from 'zod';
import { PLANTED } from '../testing/appHarness.ts';
import { TOKEN } from '../testing/inlineHarness.ts';
import { startMcpLab, type McpLab } from '../testing/mcpLab.ts';

const { email, card, phone, iban, otherEmail } = PLANTED;
const PSEUDONYM = /[<[][A-Z_]+_[0-9A-HJKMNP-TV-Z]{8}[>\]]/;

/** A CRM that has what no model may see. */
function offerCrm(server: McpServer, seen: unknown[]): void {
  server.registerTool(
    'find',
    {
      description: `Finds a customer, such as ${otherEmail}.`,
      inputSchema: { query: z.union([z.string(), z.number()]) },
      outputSchema: { email: z.email(), card: z.number() },
    },
    ({ query }) => {
      seen.push(query);
      const found = { email, card: Number(card) };
      return {
        content: [
          { type: 'text', text: JSON.stringify(found) },
          { type: 'resource_link', uri: `crm://customers/${email}`, name: email },
          { type: 'resource', resource: { uri: 'crm://notes', text: `Call ${phone}.` } },
        ],
        structuredContent: found,
      };
    },
  );
  server.registerTool('fail', {}, () => {
    throw new Error(`No customer has the account ${iban}.`);
  });
  server.registerTool('photo', {}, () => ({
    content: [{ type: 'audio', data: Buffer.from(email).toString('base64'), mimeType: 'audio/wav' }],
  }));
  server.registerTool(
    'slow',
    { inputSchema: { steps: z.number() } },
    async ({ steps }, { sendNotification, _meta }) => {
      for (let step = 0; step < steps; step++) {
        await sendNotification({ method: 'notifications/message', params: { level: 'info', data: { step, email } } });
        const progressToken = _meta?.progressToken;
        if (progressToken !== undefined) {
          const params = { progressToken, progress: step, message: `Wrote to ${email}.` };
          await sendNotification({ method: 'notifications/progress', params });
        }
      }
      return { content: [{ type: 'text', text: `Done for ${email}.` }] };
    },
  );
  server.registerTool('ask', {}, async () => {
    const sampled = await server.server.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: `Answer ${email}.` } }],
      systemPrompt: `You write for ${otherEmail}.`,
      maxTokens: 10,
    });
    const elicited = await server.server.elicitInput({
      message: `Is ${phone} right?`,
      requestedSchema: { type: 'object', properties: { phone: { type: 'string', default: phone } } },
    });
    const roots = await server.server.listRoots();
    seen.push(sampled.content, elicited.content, roots.roots);
    return { content: [{ type: 'text', text: 'Thanks.' }] };
  });
  server.registerPrompt('letter', { argsSchema: { to: z.string() } }, ({ to }) => {
    seen.push(to);
    return { messages: [{ role: 'user', content: { type: 'text', text: `Write to ${to} about ${iban}.` } }] };
  });
  server.registerResource(
    'customer',
    new ResourceTemplate('crm://customers/{id}', { list: undefined }),
    {},
    (uri, { id }) => {
      seen.push(decodeURIComponent(String(id)));
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: `${email}\n${phone}` }] };
    },
  );
  server.registerResource('scan', 'crm://scan', {}, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'application/pdf', blob: Buffer.from(email).toString('base64') }],
  }));
}

for (const isJson of [false, true]) {
  describe(`the MCP proxy, before a server that answers with ${isJson ? 'JSON' : 'events'}`, () => {
    const seen: unknown[] = [];
    let lab: McpLab;
    let client: Client;
    let pseudonym: string;
    before(async () => {
      lab = await startMcpLab({
        isJson,
        offer: (server) => {
          offerCrm(server, seen);
        },
      });
      await lab.harness.chat(`Mail ${email}.`);
      [pseudonym = ''] = PSEUDONYM.exec(lab.harness.received.at(-1)?.body ?? '') ?? [];
      expect(pseudonym).to.match(/^<EMAIL_ADDRESS_/);
      client = await lab.connect();
    });
    after(async () => {
      await lab.stop();
    });
    afterEach('neither side has what it must not see', () => {
      const values = Object.values(PLANTED).flatMap((value) => [
        value,
        Buffer.from(value).toString('base64').slice(0, -4),
      ]);
      for (const text of lab.toClient) for (const value of values) expect(text).to.not.include(value);
      for (const { body } of lab.toServer) expect(body).to.not.match(PSEUDONYM);
    });

    it('gives the tool the value of a pseudonym of the chat, and the model the pseudonym of a value', async () => {
      const result = await client.callTool({ name: 'find', arguments: { query: `mail:${pseudonym}` } });
      expect(seen.at(-1)).to.equal(`mail:${email}`);
      const [text, link, resource] = (result as CallToolResult).content;
      expect(text).to.have.property('text').that.includes(`"email":"${pseudonym}"`);
      expect(link).to.deep.include({ uri: `crm://customers/${pseudonym}`, name: pseudonym });
      expect(resource)
        .to.have.nested.property('resource.text')
        .that.matches(/^Call <PHONE_NUMBER_\w+>\.$/);
      expect(result.structuredContent).to.have.property('email', pseudonym);
      // A number that was replaced is a number again where the tool gets it.
      const { card: masked } = result.structuredContent as { card: string };
      await client.callTool({ name: 'find', arguments: { query: masked } });
      expect(seen.at(-1)).to.equal(Number(card));
    });

    it('lists tools by their names, without a schema that pseudonyms would not match', async () => {
      const { tools } = await client.listTools();
      const find = tools.find(({ name }) => name === 'find');
      expect(find?.description).to.match(/^Finds a customer, such as <EMAIL_ADDRESS_\w+>\.$/);
      expect(find?.inputSchema.properties).to.have.property('query');
      expect(find?.outputSchema).to.deep.equal({ type: 'object' });
      expect((await client.callTool({ name: 'find', arguments: { query: 'x' } })).structuredContent).to.be.an('object');
    });

    it('restores arguments of prompts and addresses of resources', async () => {
      const prompt = await client.getPrompt({ name: 'letter', arguments: { to: pseudonym } });
      expect(seen.at(-1)).to.equal(email);
      expect(JSON.stringify(prompt)).to.include(`Write to ${pseudonym} about <IBAN`);
      const { contents } = await client.readResource({ uri: `crm://customers/${pseudonym}` });
      expect(seen.at(-1)).to.equal(email);
      expect(contents[0])
        .to.have.property('text')
        .that.matches(new RegExp(`^${pseudonym}\n<PHONE_NUMBER`));
    });

    it('refuses what it cannot check, as an error of the request', async () => {
      for (const call of [() => client.callTool({ name: 'photo' }), () => client.readResource({ uri: 'crm://scan' })]) {
        const error = await call().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error)
          .to.have.property('message')
          .that.matches(/cannot be checked/);
        expect(error).to.have.nested.property('data.code', 'guardrail_blocked');
      }
    });

    it('pseudonymizes errors of tools', async () => {
      const failed = await client.callTool({ name: 'fail' });
      expect(failed.isError).to.equal(true);
      expect(JSON.stringify(failed.content)).to.match(/No customer has the account <IBAN/);
    });

    if (isJson) return;

    it('pseudonymizes notifications while the tool runs', async () => {
      const logged: unknown[] = [];
      const progress: unknown[] = [];
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
      const result = await client.callTool({ name: 'slow', arguments: { steps: 3 } }, undefined, {
        onprogress: (one) => void progress.push(one),
      });
      expect(result.content).to.deep.equal([{ type: 'text', text: `Done for ${pseudonym}.` }]);
      expect(logged).to.deep.equal([0, 1, 2].map((step) => ({ step, email: pseudonym })));
      expect(progress).to.deep.equal([0, 1, 2].map((step) => ({ progress: step, message: `Wrote to ${pseudonym}.` })));
    });

    it('pseudonymizes what a client resumes', async () => {
      const headers = {
        ...{ authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        accept: 'application/json, text/event-stream',
      };
      const post = (id: number, method: string, params: object, more: object = {}): Promise<Response> =>
        fetch(lab.url, {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
          headers: { ...headers, ...more },
        });
      const clientInfo = { name: 'test', version: '1' };
      const begun = await post(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      await begun.text();
      const session = {
        'mcp-session-id': begun.headers.get('mcp-session-id') ?? '',
        'mcp-protocol-version': '2025-06-18',
      };
      const whole = await (await post(2, 'tools/call', { name: 'slow', arguments: { steps: 2 } }, session)).text();
      const [first = '', ...rest] = whole.split('\n\n').filter((event) => event.includes('data: {'));
      const id = /^id: (.+)$/m.exec(first)?.[1] ?? '';
      const leaving = new AbortController();
      const resumed = await fetch(lab.url, {
        headers: { ...headers, ...session, 'last-event-id': id },
        signal: leaving.signal,
      });
      let text = '';
      for await (const part of resumed.body ?? []) {
        text += Buffer.from(part).toString();
        if (text.includes('Done for')) break;
      }
      leaving.abort();
      expect(rest).to.have.length(2);
      expect(text.split('\n\n').filter((event) => event.includes('data: {'))).to.deep.equal(rest);
      expect(text).to.include(`Done for ${pseudonym}.`).and.not.include(email);
    });

    it("pseudonymizes the server's requests, and restores their answers", async () => {
      const asked: string[] = [];
      const asking = await lab.connect({
        prepare(one) {
          one.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
            asked.push(JSON.stringify(params));
            return { role: 'assistant', model: 'm', content: { type: 'text', text: `Dear ${pseudonym}` } };
          });
          one.setRequestHandler(ElicitRequestSchema, ({ params }) => {
            asked.push(JSON.stringify(params));
            const [phoneTag = ''] = /<PHONE_NUMBER_\w+>/.exec(params.message) ?? [];
            return { action: 'accept', content: { phone: phoneTag } };
          });
          one.setRequestHandler(ListRootsRequestSchema, () => ({
            roots: [{ uri: `file:///home/${pseudonym}`, name: pseudonym }],
          }));
        },
      });
      await asking.callTool({ name: 'ask' });
      expect(asked[0])
        .to.include(`Answer ${pseudonym}.`)
        .and.match(/You write for <EMAIL_ADDRESS_/);
      expect(asked[1]).to.match(/Is (<PHONE_NUMBER_\w+>) right\?.*"default":"\1"/);
      expect(seen.slice(-3)).to.deep.equal([
        { type: 'text', text: `Dear ${email}` },
        { phone },
        [{ uri: `file:///home/${email}`, name: email }],
      ]);
    });
  });
}
