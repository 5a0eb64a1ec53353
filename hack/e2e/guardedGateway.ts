/** Switches the guardrail of a testbed's gateway on and off, and checks its behaviour. */
import { expect } from 'chai';
import { parse } from 'yaml';
import { cluster } from './environment.ts';
import { GATEWAY, type Additions } from './gatewayApp.ts';
import {
  becomes,
  becomesEqual,
  deleteIn,
  get,
  kubectlIn,
  POD_MS,
  podsOf,
  rolledOut,
  secretValue,
  soon,
  type Answer,
  type Resource,
  type Testbed,
} from './testbed.ts';

/** @returns the manifest line that a condition's message asks the owner to add. */
function lineIn(message: string | undefined): object {
  return parse(/\{.*\}/.exec(message ?? '')?.[0] ?? '') as object;
}

const KEY_SECRET = 'main-guardrail-api-key';
/** Calls a guardrail from within a pod, because a sidecar listens only on its pod's loopback address. */
const CALL_GUARDRAIL = `
  const { url, key, body } = JSON.parse(process.argv[1]);
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error('The guardrail returned ' + answer.status + '.');
  process.stdout.write(await answer.text());
`;

/** Sends a sentence with an address, of which the model sees a pseudonym. The model repeats it, and the answer has the address. */
export async function expectPseudonyms(
  testbed: Testbed,
  mark: string,
  send: (sentence: string) => Promise<Answer>,
): Promise<void> {
  const sentence = `${mark}: write to ${mark}@example.com.`;
  const { status, text } = await send(sentence);
  expect(status, text).to.equal(200);
  expect(text).to.include(`You said: ${sentence}`);
  for (const line of await testbed.modelSaw(`${mark}:`)) {
    expect(line)
      .to.match(/<EMAIL_ADDRESS_\w+>/)
      .and.not.include(`${mark}@example.com`);
  }
}

/** A value that a guardrail has mapped for an end user. */
export interface Mapped {
  readonly user: string;
  /** @returns whether the guardrail can still restore the value. */
  readonly restores: () => Promise<boolean>;
}

/** A testbed's gateway with a guardrail. The instance's name is `main`. */
export class GuardedGateway {
  readonly #testbed: Testbed;
  #additions: Additions = {};
  #rotations = 0;

  constructor(testbed: Testbed) {
    this.#testbed = testbed;
  }

  /** The lines that the owner has added to the Deployment. */
  get additions(): Additions {
    return this.#additions;
  }

  /** Creates the instance, adds the lines that its conditions ask the owner for, and waits until it is ready. */
  async on(guardrail: object): Promise<void> {
    const { namespace, managed } = this.#testbed;
    await this.#testbed.instance({ ...managed, guardrail });
    const missing = { type: 'ProxyConfigured', status: 'False' };
    const key = await becomes('ginst', 'main', namespace, { ...missing, reason: 'KeyNotMounted' }, POD_MS);
    await this.ownerAdds({ env: [lineIn(key.message)] });
    const config = await becomes('ginst', 'main', namespace, { ...missing, reason: 'ConfigNotMounted' }, POD_MS);
    await this.ownerAdds({ ...this.#additions, volumes: [lineIn(config.message) as { name: string }] });
    await this.ready();
  }

  /** Waits until the instance is ready and the gateway's rollout is complete. */
  async ready(): Promise<void> {
    const { namespace } = this.#testbed;
    await this.#testbed.ready();
    await rolledOut(GATEWAY, namespace);
  }

  /** Changes the instance's spec with a merge patch. */
  async patch(spec: object): Promise<void> {
    const patch = JSON.stringify({ spec });
    await kubectlIn(this.#testbed.namespace, 'patch', 'ginst/main', '--type=merge', '--patch', patch);
  }

  /** Removes the guardrail from the spec, and waits until calls succeed without it. */
  async off(): Promise<void> {
    await this.patch({ guardrail: null });
    await this.ready();
    const mark = 'probe-off';
    const { status, text } = await this.#testbed.chat(`${mark}: write to off@example.com.`);
    expect(status, text).to.equal(200);
    expect((await this.#testbed.modelSaw(mark))[0]).to.include('off@example.com');
  }

  /** Applies the owner's Deployment with these lines. */
  async ownerAdds(additions: Additions): Promise<void> {
    this.#additions = additions;
    await this.#testbed.ownerApplies(additions);
  }

  /** Applies the owner's Deployment without the guardrail's lines. */
  async ownerTakesLinesOut(): Promise<void> {
    await this.ownerAdds({});
    await rolledOut(GATEWAY, this.#testbed.namespace);
  }

  /** Sends one call, and checks that the model sees a pseudonym and the client gets the real value. */
  async call(mark: string): Promise<void> {
    await expectPseudonyms(this.#testbed, mark, (sentence) => this.#testbed.chat(sentence));
  }

  /**
   * Creates a customer, has every gateway pod map a value for it and deletes it. Waits until no pod can restore these
   * values, while the values of another user remain.
   *
   * @param name of the customer
   */
  async forgets(name: string): Promise<void> {
    const mapped = await this.mapsFor(name);
    await this.deletes(name);
    await this.forgotten(name, mapped);
  }

  /** Creates a customer, and has every gateway pod map one value for it and one for another user. */
  async mapsFor(name: string): Promise<readonly Mapped[]> {
    const { namespace } = this.#testbed;
    await this.#testbed.customer(name);
    await this.#testbed.synced(name);
    const pods = await podsOf(GATEWAY, namespace);
    const mapped = await Promise.all(
      pods.flatMap((pod, at) =>
        [name, `other-than-${name}`].map((user) => this.#map(pod, `${namespace}-${user}`, `probe-${user}-${at}`)),
      ),
    );
    for (const { restores } of mapped) expect(await restores()).to.equal(true);
    return mapped;
  }

  /** Starts the deletion of a customer. */
  async deletes(name: string): Promise<void> {
    await deleteIn(this.#testbed.namespace, `gcust/${name}`);
  }

  /** Waits until a customer and its mappings are gone, while the mappings of another user remain. */
  async forgotten(name: string, mapped: readonly Mapped[]): Promise<void> {
    const { namespace } = this.#testbed;
    await becomesEqual(() => get('gcust', name, namespace), undefined, 2 * POD_MS);
    for (const { user, restores } of mapped) expect(await restores(), user).to.equal(user !== `${namespace}-${name}`);
  }

  /**
   * Has the guardrail of a pod map an address for an end user.
   *
   * @returns the mapped value
   */
  async #map(pod: Resource, user: string, mark: string): Promise<Mapped> {
    const { namespace } = this.#testbed;
    const instance = await get('ginst', 'main', namespace);
    const { endpoint } = instance?.status?.guardrail as { readonly endpoint: string };
    const key = await secretValue(namespace, KEY_SECRET, 'api-key');
    const address = `${mark}@example.com`;
    const ask = async (phase: 'request' | 'response', text: string): Promise<string> => {
      const body = { input_type: phase, texts: [text], request_data: { user_api_key_end_user_id: user } };
      const call = JSON.stringify({ url: `${endpoint}/beta/litellm_basic_guardrail_api`, key, body });
      const node = ['node', '--input-type=module', '--eval', CALL_GUARDRAIL, call];
      const exec = ['exec', '-n', namespace, pod.metadata.name, '-c', 'gateway', '--', ...node];
      const answer = await cluster().kubectl(exec);
      return (JSON.parse(answer) as { texts?: string[] }).texts?.[0] ?? text;
    };
    const tag = await ask('request', address);
    expect(tag).to.match(/^<EMAIL_ADDRESS_\w+>$/);
    return { user, restores: async () => (await ask('response', tag)) === address };
  }

  /** Like {@link call}, streamed. */
  async stream(mark: string): Promise<void> {
    await expectPseudonyms(this.#testbed, mark, async (sentence) => {
      const answer = await this.#testbed.chat(sentence, { stream: true });
      const text = answer.text
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice('data: '.length)) as { choices: { delta: { content?: string } }[] })
        .map(({ choices }) => choices[0]?.delta.content ?? '')
        .join('');
      expect(text).to.equal(`You said: ${sentence}`);
      return { ...answer, text };
    });
  }

  /** Rotates the API key under load, until the old key is no longer accepted. No call may fail. */
  async rotateKeyUnderLoad(): Promise<void> {
    const { namespace } = this.#testbed;
    const value = (key: string): Promise<string> => secretValue(namespace, KEY_SECRET, key);
    const before = await value('api-key');
    await this.#testbed.underLoad(async () => {
      const annotation = `gateway.guardrail.dev/rotate-api-key=${++this.#rotations}`;
      await kubectlIn(namespace, 'annotate', 'ginst/main', annotation);
      await soon(async () => {
        expect(await value('api-key')).not.to.equal(before);
        expect((await value('api-keys')).trim().split('\n'), 'keys that are accepted').to.have.length(1);
      }, 2 * POD_MS);
      await this.ready();
    });
  }
}
