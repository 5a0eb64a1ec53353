import { expect } from 'chai';
import { PLANTED, startHarness, type Harness } from '../../testing/appHarness.ts';
import { basicResponseSchema } from '../../gateways/gateways.ts';

interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly headers?: object }>>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

describe('the OpenAPI document', () => {
  let harness: Harness;
  let document: Document;
  before(async () => {
    harness = await startHarness({
      env: { GUARDRAIL_PLAYGROUND: 'true', GUARDRAIL_PRESIDIO_API: 'true', GUARDRAIL_RESTORE_KEYS: 'litellm:*' },
    });
    document = (await harness.call('GET', '/openapi.json')).body as Document;
  });
  after(async () => {
    await harness.stop();
  });

  const documented = (): string[] =>
    Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((name) => METHODS.includes(name))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );

  it('lists exactly the routes of the service', () => {
    const served = harness.app.routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(documented().sort()).to.deep.equal(served.sort());
  });

  it('lists exactly the methods of each path', async () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      const answer = await harness.call('OPTIONS', path.replace('{session_id}', '0'.repeat(32)));
      const taken = (answer.headers.get('allow') ?? '')
        .toLowerCase()
        .split(', ')
        .filter((name) => METHODS.includes(name));
      expect(taken.sort(), path).to.deep.equal(
        Object.keys(operations)
          .filter((name) => METHODS.includes(name))
          .sort(),
      );
    }
  });

  it('states for every operation whether it requires a key', async () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations).filter(([name]) => METHODS.includes(name))) {
        const isOpen = operation.security?.length === 0;
        const { status } = await harness.call(method.toUpperCase(), path, undefined, { headers: { 'x-api-key': '' } });
        expect(status === 401, `${method} ${path}`).to.equal(!isOpen);
        expect('401' in operation.responses, `${method} ${path}`).to.equal(!isOpen);
      }
    }
  });

  it('states for each status of a call whether a gateway may count it as unreachable, and whether Retry-After is sent', () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      const { post } = operations;
      if (!post) continue;
      expect(post.responses, path).to.include.all.keys('429', '503');
      for (const [status, { description, headers }] of Object.entries(post.responses)) {
        const mayPass = ['502', '503', '504'].includes(status);
        expect(description.includes('may count this as "unreachable"'), `${path} ${status}`).to.equal(mayPass);
        const isRetried = ['429', '503'].includes(status);
        expect(JSON.stringify(headers ?? {}).includes('retry-after'), `${path} ${status}`).to.equal(isRetried);
      }
    }
  });

  it('gives every operation a unique id', () => {
    const names = Object.values(document.paths).flatMap((operations) =>
      Object.entries(operations).flatMap(([name, { operationId }]) => (METHODS.includes(name) ? [operationId] : [])),
    );
    expect(new Set(names).size).to.equal(names.length);
  });

  it('describes every member of the responses', async () => {
    const text = `Mail ${PLANTED.email}`;
    const strict = basicResponseSchema.strict();
    const calls = [
      {
        input_type: 'request',
        texts: [text],
        structured_messages: [{ role: 'user', content: text }],
        tools: [{ type: 'function', function: { name: 'f', description: text } }],
      },
      { input_type: 'request', texts: ['Hello.'] },
      { input_type: 'request', texts: ['Hello.'], images: ['x'] },
      { input_type: 'response', texts: ['Hello.', '<EMAIL'], tool_calls: [{ function: { arguments: '{}' } }] },
    ];
    for (const call of calls) strict.parse((await harness.guard(call)).body);
  });
});
