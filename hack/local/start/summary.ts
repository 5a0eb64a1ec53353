/** What `npm start` says once everything runs. Pure. */

/** One line of the table: what runs, where it is reached, where its log is. */
export interface Row {
  what: string;
  where: string;
  log: string;
}

export interface SummaryInput {
  rows: readonly Row[];
  kubeconfig: string;
  kubectl: string;
  gateway: string;
  masterKey: string;
  /** The development gateway's log; undefined where another gateway is used. */
  gatewayLog: string | undefined;
  guardrail: { url: string; key: string };
  seconds: number;
}

/** The table, and commands to try. */
export function summary({
  rows,
  kubeconfig,
  kubectl,
  gateway,
  masterKey,
  gatewayLog,
  guardrail,
  seconds,
}: SummaryInput): string {
  const chat = (stream: boolean): string =>
    [
      `  curl -s${stream ? 'N' : ''} ${gateway}/v1/chat/completions -H 'Authorization: Bearer ${masterKey}' \\`,
      `    -H 'Content-Type: application/json' -d '{"model": "${stream ? 'echo-c3' : 'echo'}", "user": "acme-001",${stream ? ' "stream": true,' : ''}`,
      `    "messages": [{"role": "user", "content": "Please write to ada@example.com."}]}'`,
    ].join('\n');
  const commands = [
    `Ready after ${seconds.toFixed(1)} s. Commands to try, in another terminal of this folder:`,
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    `  ${kubectl} get gcust`,
    `  ${kubectl} get ginst,deployments`,
    `  ${kubectl} delete gcust initech`,
    '',
  ];
  const chats =
    gatewayLog === undefined
      ? [
          `To have your gateway call the guardrail, give it this address and key, in LiteLLM's configuration as api_base and`,
          `api_key of a guardrail of type generic_guardrail_api:`,
          '',
          `  ${guardrail.url}`,
          `  ${guardrail.key}`,
        ]
      : [
          'A call of the model, whole and as a stream of three characters at a time: the answer holds the real address again …',
          '',
          chat(false),
          chat(true),
          '',
          '… and the log shows what the model saw instead:',
          '',
          `  tail -n 2 ${gatewayLog}`,
        ];
  return [...table(rows), '', ...commands, ...chats, '', 'Ctrl-C ends everything; npm start goes on from here.'].join(
    '\n',
  );
}

function table(rows: readonly Row[]): string[] {
  const head = { what: 'WHAT', where: 'WHERE', log: 'LOG' };
  const all = [head, ...rows];
  const width = (column: keyof Row): number => Math.max(...all.map((row) => row[column].length));
  return all.map(({ what, where, log }) => `${what.padEnd(width('what'))}  ${where.padEnd(width('where'))}  ${log}`);
}
