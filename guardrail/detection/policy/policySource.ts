import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { compilePolicy, defaultPolicy, type Policy } from './policy.ts';
import { parsePolicy, PolicyError } from './schema.ts';

/** A policy that may change while the program runs. */
export interface PolicySource {
  readonly current: Policy;
  close(): void;
}

export interface PolicySourceOptions {
  /** Path of a YAML file, or the YAML itself (anything with a colon and a space or line break, or in braces). */
  readonly policy: string | undefined;
  /** Told once of each new content that cannot be used; the old policy stays in force. */
  readonly report: (problem: Error) => void;
  readonly intervalMs?: number;
}

const isInline = (policy: string): boolean => /:\s|:$|^\s*\{|\n/.test(policy);

/**
 * Opens a policy and follows its file. Kubernetes replaces a mounted ConfigMap by turning a link (`..data`), which
 * notifications of the file miss: so the content itself is compared, once a second.
 * @throws PolicyError with every mistake of the policy as it is at the start.
 */
export function openPolicy({ policy, report, intervalMs = 1000 }: PolicySourceOptions): PolicySource {
  if (policy === undefined || policy.trim() === '') return { current: defaultPolicy, close: () => undefined };
  if (isInline(policy)) return { current: compilePolicy(parsePolicy(policy)), close: () => undefined };
  let text = readNow(policy);
  let current = compilePolicy(parsePolicy(text));
  let isClosed = false;
  let unreadable = false;
  let timer = schedule();

  async function check(path: string): Promise<void> {
    const latest = await readFile(path, 'utf8').catch(() => undefined);
    if (latest === undefined) {
      // Absent for a moment while it is being replaced; absent for two looks in a row is a mistake.
      if (unreadable && text !== '') {
        text = '';
        report(new PolicyError([`The file ${path} cannot be read any more: the policy read last stays in force.`]));
      }
      unreadable = true;
      return;
    }
    unreadable = false;
    if (latest === text) return;
    text = latest;
    try {
      current = compilePolicy(parsePolicy(latest));
    } catch (error) {
      report(error instanceof Error ? error : new PolicyError(['It cannot be parsed.']));
    }
  }

  function schedule(): NodeJS.Timeout {
    const next = setTimeout(() => {
      void check(policy ?? '').then(() => {
        if (!isClosed) timer = schedule();
      });
    }, intervalMs);
    return next.unref();
  }

  return {
    get current() {
      return current;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function readNow(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new PolicyError([`The file ${path} cannot be read: give a readable YAML file, or the YAML itself.`]);
  }
}
