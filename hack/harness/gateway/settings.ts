import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { DevGatewayOptions } from './gateway.ts';
import { type FromProxyConfig, readProxyConfig } from './proxyConfig.ts';

const FLAGS = {
  host: 'address to listen on (default 127.0.0.1)',
  port: 'TCP port; 0 picks a free one (default 4000)',
  'proxy-name': "the proxy's own name in paths, fields and headers (default gateway; litellm for LiteLLM's)",
  'config-file': "the gateway's configuration in YAML, as the operator writes it; read at start",
  'guardrail-file': 'JSON file {"url", "key"} with the address of the guardrail; read again when it changes',
  'state-file': 'JSON file that keeps customers and budgets after a restart',
} as const;

type Flag = keyof typeof FLAGS;

const KEY_VARIABLE = 'DEV_GATEWAY_MASTER_KEY';

/** The output of `--help`. */
export const HELP = [
  'Runs the development gateway: customers, budgets, and an echo model behind a guardrail.',
  '',
  ...Object.entries(FLAGS).map(([flag, text]) => `  --${flag.padEnd(24)}${text}`),
  '',
  `The master key is read only from ${KEY_VARIABLE}, because a command line is visible to every user of a machine.`,
].join('\n');

/** Invalid settings. The message says how to correct them. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

function readFlags(args: readonly string[]): Partial<Record<Flag | 'help', string | boolean>> {
  const strings = Object.fromEntries(Object.keys(FLAGS).map((flag) => [flag, { type: 'string' as const }]));
  try {
    const options = { ...strings, help: { type: 'boolean' as const } };
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const reason = (error as Error).message.split('. ')[0] ?? '';
    throw new SettingsError(`${reason.replace(/\.$/, '')}. To list the flags, use --help.`);
  }
}

/**
 * @returns the options of the gateway, or 'help' if requested
 * @throws SettingsError with one sentence that names the setting
 */
export function readSettings(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): DevGatewayOptions | 'help' {
  const flags = readFlags(args);
  if (flags.help === true) return 'help';
  const setting = (flag: Flag): string | undefined => {
    const value = flags[flag];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const port = setting('port') ?? '4000';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new SettingsError(`--port must be an integer from 0 to 65535, but is ${JSON.stringify(port)}.`);
  }
  const masterKey = environment[KEY_VARIABLE] ?? '';
  if (!masterKey.startsWith('sk-')) {
    throw new SettingsError(`Set ${KEY_VARIABLE} to a key that starts with "sk-", as gateways require.`);
  }
  const proxyName = setting('proxy-name') ?? 'gateway';
  if (!/^[a-z][a-z0-9_]*$/.test(proxyName)) {
    throw new SettingsError(
      `--proxy-name must consist of lower-case letters, digits and underscores, but is ${JSON.stringify(proxyName)}.`,
    );
  }
  const configFile = setting('config-file');
  const guardrailFile = setting('guardrail-file');
  const host = setting('host');
  return {
    port: Number(port),
    masterKey,
    proxyName,
    ...(configFile !== undefined && readConfigFile(configFile, proxyName, environment)),
    ...(guardrailFile !== undefined && { guardrail: { file: guardrailFile } }),
    stateFile: setting('state-file'),
    ...(host !== undefined && { host }),
  };
}

function readConfigFile(
  file: string,
  proxyName: string,
  environment: Readonly<Record<string, string | undefined>>,
): FromProxyConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SettingsError(`The file of --config-file cannot be read (${(error as Error).message}).`);
  }
  return readProxyConfig(text, proxyName, environment);
}
