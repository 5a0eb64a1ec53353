/**
 * Runs the development gateway: customers, budgets, and an echo model behind a guardrail. The master key is in
 * DEV_GATEWAY_MASTER_KEY, because a command line is visible to every user of a machine.
 *
 *     node hack/harness/gateway/main.ts [--host=…] [--port=…] [--proxy-name=litellm] [--state-file=…]
 *       [--config-file=…] [--guardrail-file=…]
 *
 * The configuration file is in the format of the real gateway, and is read at the start. The guardrail's file is JSON
 * `{"url", "key"}`, and is read again when it changes. Customers and budgets are kept in the state file.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startDevGateway } from './gateway.ts';
import { readProxyConfig } from './proxyConfig.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    host: { ...text, default: '127.0.0.1' },
    port: { ...text, default: '4000' },
    'proxy-name': { ...text, default: 'gateway' },
    'state-file': text,
    'config-file': text,
    'guardrail-file': text,
  },
});
const masterKey = process.env.DEV_GATEWAY_MASTER_KEY ?? '';
if (!masterKey.startsWith('sk-')) {
  throw new Error('Set DEV_GATEWAY_MASTER_KEY to a key that starts with "sk-", as gateways require.');
}
const { host, 'proxy-name': proxyName, 'config-file': config, 'guardrail-file': guardrail } = values;
const gateway = await startDevGateway({
  ...(config !== undefined && readProxyConfig(readFileSync(config, 'utf8'), proxyName, process.env)),
  ...(guardrail !== undefined && { guardrail: { file: guardrail } }),
  ...{ host, port: Number(values.port), masterKey, proxyName, stateFile: values['state-file'], print: say },
});
say(`The development gateway listens on ${gateway.url}.`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void gateway.stop());
