// Installs the packages of the project and the pinned Node, `node_modules/.bin/node`. npm scripts run it first, with the Node
// of the machine (20 or newer). So it is plain JavaScript and imports no packages.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MINIMUM_NODE_MAJOR = 20;
const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');

/** Ends the process with a message. */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE_MAJOR) {
  fail(
    `Node ${process.versions.node} is too old. Install Node ${MINIMUM_NODE_MAJOR} or newer. ` +
      'The project then installs the version that it requires.',
  );
}

const expected = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.platform}-${process.arch}`)
  .digest('hex');
const stampFile = join(root, 'node_modules', '.bootstrap');
const pinnedNode = join(root, 'node_modules', '.bin', 'node');
const installed = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === expected && existsSync(pinnedNode);

if (!installed()) {
  console.log('Installing the packages of package-lock.json (first run, or changed packages) …');
  const npm = process.env.npm_execpath;
  const command = npm ? [process.execPath, npm] : ['npm'];
  const result = spawnSync(
    command[0],
    [...command.slice(1), 'ci', '--include=optional', '--include=dev', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      // npm passes its options in these variables. The caller's --dry-run, --omit and --include must not apply here.
      env: Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !/^npm_config_(dry_run|omit|include)$/.test(name)),
      ),
    },
  );
  if (result.status !== 0) {
    fail('npm ci failed. See its output above. The first run requires the npm registry or a filled npm cache.');
  }
  if (!existsSync(pinnedNode)) {
    fail(
      `package.json pins no Node for ${process.platform}-${process.arch} in optionalDependencies. ` +
        'Use Linux or macOS on x64 or arm64.',
    );
  }
  writeFileSync(stampFile, expected);
}
