// Runs before every npm script that needs the project's packages, on whatever Node the machine has (20 or newer),
// and so is plain JavaScript without imports from packages. Afterwards node_modules/.bin/node is the pinned Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MINIMUM_NODE_MAJOR = 20;
const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');

/** Ends the process with one sentence that says what to do. */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE_MAJOR) {
  fail(
    `Node ${process.versions.node} is too old: install Node ${MINIMUM_NODE_MAJOR} or newer; ` +
      'the project then brings the version that it runs on by itself.',
  );
}

const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.platform}-${process.arch}`)
  .digest('hex');
const stampFile = join(root, 'node_modules', '.bootstrap');
const pinnedNode = join(root, 'node_modules', '.bin', 'node');
const installed = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted && existsSync(pinnedNode);

if (!installed()) {
  console.log('Installing the packages of package-lock.json (first run, or it has changed) …');
  const npm = process.env.npm_execpath;
  const command = npm ? [process.execPath, npm] : ['npm'];
  const result = spawnSync(
    command[0],
    [...command.slice(1), 'ci', '--include=optional', '--include=dev', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      // npm hands its own arguments down by these; a --dry-run or --omit meant for the caller is not meant for us.
      env: Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !/^npm_config_(dry_run|omit|include)$/.test(name)),
      ),
    },
  );
  if (result.status !== 0) {
    fail('npm ci has failed: see its message above; it needs the npm registry (or a filled npm cache) once.');
  }
  if (!existsSync(pinnedNode)) {
    fail(
      `There is no pinned Node for ${process.platform}-${process.arch} in package.json's optionalDependencies; ` +
        'use Linux or macOS on x64 or arm64.',
    );
  }
  writeFileSync(stampFile, wanted);
}
