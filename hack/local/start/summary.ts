/** The texts that `npm start` prints when parts are ready. Pure. */
import type { GuardrailAddress, InstanceGuardrail } from './guardrailFile.ts';

/** One row of the table: the part, its address and its log. */
export interface Row {
  what: string;
  where: string;
  log: string;
}

/** The parts that run without a cluster. */
export interface LocalSummary {
  rows: readonly Row[];
  gateway: string;
  masterKey: string;
  /** The log of the development gateway; undefined for an external gateway. */
  gatewayLog: string | undefined;
  /** The guardrail that serves the playground. */
  playground: GuardrailAddress;
  seconds: number;
}

/** All parts. */
export interface FullSummary extends LocalSummary {
  kubeconfig: string;
  kubectl: string;
  /** Whether kubectl exists. Otherwise it is still being fetched. */
  hasKubectl: boolean;
  /** The guardrail that the operator deployed. */
  guardrail: InstanceGuardrail;
}

/**
 * The table of the local parts, and commands that need no cluster.
 * @param more whether the cluster is starting
 */
export function localSummary(input: LocalSummary, more: boolean): string {
  const { rows, playground, seconds } = input;
  return [
    ...table(rows),
    '',
    `The local parts are ready after ${seconds.toFixed(1)} s. Commands to try now, in another terminal in this folder:`,
    '',
    ...chats(input, playground),
    '',
    ...playgroundLines(playground),
    ...(more ? ['', 'The API server, the operator and the samples are starting. Press Ctrl-C to stop all parts.'] : []),
  ].join('\n');
}

/** The table of all parts, and commands to try. */
export function fullSummary(input: FullSummary): string {
  const { rows, kubeconfig, kubectl, hasKubectl, guardrail, playground, seconds } = input;
  return [
    ...table(rows),
    '',
    `All parts are ready after ${seconds.toFixed(1)} s. Commands to try, in another terminal in this folder:`,
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    `  ${kubectl} get gcust`,
    `  ${kubectl} get gbud`,
    `  ${kubectl} get gpol`,
    `  ${kubectl} get ginst,deployments`,
    `  ${kubectl} delete gcust initech`,
    '',
    ...(hasKubectl ? [] : [`${kubectl} is still being fetched. A line below reports when it is ready.`, '']),
    ...chats(input, guardrail),
    '',
    ...guardedChat(input, guardrail),
    '',
    ...playgroundLines(playground),
    '',
    'Press Ctrl-C to stop all parts. The next npm start uses the same data.',
  ].join('\n');
}

/**
 * The text for a cluster that failed to start.
 * @param reason why it failed
 */
export function withoutCluster(reason: string, input: LocalSummary): string {
  const gateway = input.gatewayLog === undefined ? [] : ['development gateway'];
  const parts = [...gateway, 'guardrail', 'playground'].map((part) => `the ${part}`);
  const others = new Intl.ListFormat('en-GB').format(parts);
  return `${reason}\nThe cluster, the operator and the samples are not running. ${others.replace('the', 'The')} in the table above run until Ctrl-C.`;
}

function chats({ gateway, masterKey, gatewayLog }: LocalSummary, guardrail: GuardrailAddress): string[] {
  if (gatewayLog === undefined) {
    return [
      `To make your gateway call the guardrail, configure this address and key. In LiteLLM's configuration, they are api_base and`,
      `api_key of a guardrail of type generic_guardrail_api:`,
      '',
      `  ${guardrail.url}`,
      `  ${guardrail.key}`,
    ];
  }
  return [
    'Call the model, without a stream and with chunks of three characters. The answer contains the real address …',
    '',
    ...chat(gateway, masterKey, 'echo'),
    ...chat(gateway, masterKey, 'echo-c3'),
    '',
    '… and the log shows the text that the model received:',
    '',
    `  tail -n 2 ${gatewayLog}`,
  ];
}

/** The call of an application that calls the guardrail in place of the gateway. */
function guardedChat({ masterKey, gatewayLog }: LocalSummary, { guarded }: InstanceGuardrail): string[] {
  if (gatewayLog === undefined) {
    return [
      'Your gateway needs no configuration if applications call this address in place of it, with the same keys. The guardrail then',
      'checks the whole request, and the gateway receives pseudonyms only:',
      '',
      `  ${guarded}`,
    ];
  }
  return [
    'Or call the guardrail in place of the gateway, with the same key. The gateway itself then receives the pseudonym:',
    '',
    ...chat(guarded, masterKey, 'echo'),
    `  tail -n 1 ${gatewayLog}`,
  ];
}

/** A command that calls a model. The model `echo-c3` streams. */
function chat(url: string, key: string, model: 'echo' | 'echo-c3'): string[] {
  const isStream = model === 'echo-c3';
  return [
    `  curl -s${isStream ? 'N' : ''} ${url}/v1/chat/completions -H 'Authorization: Bearer ${key}' \\`,
    `    -H 'Content-Type: application/json' -d '{"model": "${model}", "user": "acme-001",${isStream ? ' "stream": true,' : ''}`,
    `    "messages": [{"role": "user", "content": "Please write to ada@example.com."}]}'`,
  ];
}

function playgroundLines({ url, key }: GuardrailAddress): string[] {
  return [
    'The playground shows, in a browser, the entities in a text and the text that a model would receive:',
    '',
    `  ${url}/playground (sign in with any user name and the password ${key})`,
  ];
}

function table(rows: readonly Row[]): string[] {
  const head = { what: 'WHAT', where: 'WHERE', log: 'LOG' };
  const all = [head, ...rows];
  const width = (column: keyof Row): number => Math.max(...all.map((row) => row[column].length));
  return all.map(({ what, where, log }) => `${what.padEnd(width('what'))}  ${where.padEnd(width('where'))}  ${log}`);
}
