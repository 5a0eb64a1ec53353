import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { noSleep, sleepingTests } from './sleeps.config.mjs';

const root = dirname(import.meta.dirname);

/**
 * A folder of a program is one concern, and what others may use of it is in the file that bears its name. `api` has two
 * such files, and `manifests` no code. Tests may import internal files and test support.
 */
const throughFaces = ['guardrail', 'operator'].map((program) => {
  const folders = readdirSync(join(root, program), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['api', 'manifests'].includes(entry.name))
    .map(({ name }) => name);
  const pattern = {
    regex: String.raw`^(?:\.\.?/)+(${folders.join('|')})/(?!\1\.ts$|test)`,
    message: 'Import what a folder offers from the file that bears its name.',
  };
  return {
    files: [`${program}/**/*.ts`],
    ignores: ['**/*.test.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [pattern] }] },
  };
});

export default defineConfig(
  // AssemblyScript has other types than TypeScript.
  { ignores: ['node_modules/', '.local/', 'crds/', 'guardrail/detection/kernel/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // These two took 31 % of the time of all rules, and found nothing. TypeScript refuses enums (`erasableSyntaxOnly`), and
      // other objects in place of a class with private members, as nearly all classes here are.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      'no-control-regex': 'off',
      eqeqeq: 'error',
    },
  },
  ...throughFaces,
  {
    files: ['operator/**/*.ts', 'guardrail/**/*.ts'],
    ignores: ['**/*.test.ts', '**/testing/**', 'hack/harness/**'],
    rules: { 'max-lines-per-function': ['error', { max: 60 }] },
  },
  {
    // Chai's property assertions are expressions, and a test double's method need not await.
    files: ['**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/require-await': 'off',
      'no-restricted-syntax': ['error', ...noSleep],
    },
  },
  { files: sleepingTests, rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['guardrail/http/playground/page.js'],
    languageOptions: {
      sourceType: 'script',
    },
    // `tsc` knows the browser's globals.
    rules: { 'no-undef': 'off' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
  prettier,
);
