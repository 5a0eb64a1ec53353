/** The texts that `npm start` prints when parts are ready. Pure. */
import { listed } from '../../testing/estimate.ts';
import type { GuardrailAddress } from './guardrailFile.ts';

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
  guardrail: GuardrailAddress;
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
    `  ${kubectl} get ginst,deployments`,
    `  ${kubectl} delete gcust initech`,
    '',
    ...(hasKubectl ? [] : [`${kubectl} is still being fetched. A line below reports when it is ready.`, '']),
    ...chats(input, guardrail),
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
  const others = listed([...gateway, 'guardrail', 'playground'].map((part) => `the ${part}`));
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
  const chat = (stream: boolean): string[] => [
    `  curl -s${stream ? 'N' : ''} ${gateway}/v1/chat/completions -H 'Authorization: Bearer ${masterKey}' \\`,
    `    -H 'Content-Type: application/json' -d '{"model": "${stream ? 'echo-c3' : 'echo'}", "user": "acme-001",${stream ? ' "stream": true,' : ''}`,
    `    "messages": [{"role": "user", "content": "Please write to ada@example.com."}]}'`,
  ];
  return [
    'Call the model, without a stream and with chunks of three characters. The answer contains the real address …',
    '',
    ...chat(false),
    ...chat(true),
    '',
    '… and the log shows the text that the model received:',
    '',
    `  tail -n 2 ${gatewayLog}`,
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
