/** The first diagnostics that an administrator would collect. */
import { cluster } from './environment.ts';

const CONDITIONS =
  '{range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{"\\n"}{range .status.conditions[*]}  {.type}={.status} {.reason}: {.message}{"\\n"}{end}{end}';
const COMMANDS: readonly (readonly string[])[] = [
  ['get', 'gcust,gbud,ginst,gpol', '-A', '-o', 'wide'],
  ['get', 'gcust,ginst', '-A', '-o', `jsonpath=${CONDITIONS}`],
  ['get', 'deployments,pods', '-A', '-o', 'wide'],
  ['get', 'events', '-A', '--sort-by=.metadata.creationTimestamp'],
  ['logs', '-n', 'gateway-guardrail-system', '-l', 'app.kubernetes.io/component=operator', '--prefix', '--tail=25'],
];
const LINES = 40;

/** @returns the diagnostics as text, including failed commands */
export async function collectDiagnostics(): Promise<string> {
  const parts: string[] = [];
  for (const args of COMMANDS) {
    const output = await cluster()
      .kubectl(args)
      .catch((error: unknown) => String(error));
    parts.push(`$ kubectl ${args.join(' ')}\n${output.trimEnd().split('\n').slice(-LINES).join('\n')}`);
  }
  return `${parts.join('\n\n')}\n`;
}
