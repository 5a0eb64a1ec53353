import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { runImport } from './import.ts';

describe('the command line of the import', () => {
  /** Runs the command without a cluster. */
  async function run(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const kubeConfig = (): never => {
      throw new Error('The command needs a cluster.');
    };
    const code = await runImport(args, { stdout, stderr, signal: new AbortController().signal, kubeConfig });
    const textOf = (stream: PassThrough): string => String(stream.read() ?? '');
    return { code, stdout: textOf(stdout), stderr: textOf(stderr) };
  }

  const failures: [name: string, args: readonly string[], text: RegExp][] = [
    ['no instance', [], /^--instance must be the namespace and the name of a GatewayInstance: [^\n]*\n$/],
    ['an unknown flag', ['--nonsense'], /^The flags are wrong: see [^\n]* --help\.\n$/],
    ['a wrong policy', ['--instance=a/b', '--management-policy=Look'], /^--management-policy must be [^\n]*\n$/],
    ['a wrong namespace', ['--instance=a/b', '--namespace=A'], /^--namespace must be the name of [^\n]*\n$/],
  ];
  for (const [name, args, text] of failures) {
    it(`is refused with one sentence for ${name}`, async () => {
      const end = await run(args);
      expect(end).to.include({ code: 2, stdout: '' });
      expect(end.stderr).to.match(text);
    });
  }

  it('is explained', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).to.equal(0);
    expect(stdout).to.contain('--management-policy=Manage|Observe').and.to.contain('Exit codes:');
  });
});
