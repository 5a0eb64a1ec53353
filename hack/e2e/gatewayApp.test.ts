import { expect } from 'chai';
import { preProcessFile } from 'typescript';
import packageJson from '../../package.json' with { type: 'json' };
import { gatewayObjects } from './gatewayApp.ts';

/** The program's files, as the ConfigMap has them. */
function program(): Record<string, string> {
  const objects = gatewayObjects('test', 'image') as { metadata: { name: string }; data?: Record<string, string> }[];
  return objects.find(({ metadata }) => metadata.name === 'program')?.data ?? {};
}

describe('the program of the gateway in the cluster', () => {
  it('imports its own files, Node, and packages that the image contains', () => {
    const files = program();
    const foreign = Object.entries(files).flatMap(([name, source]) =>
      importsOf(source)
        .filter((path) => !(path.startsWith('node:') || isOwn(path, files) || path in packageJson.dependencies))
        .map((path) => `${name} imports ${path}`),
    );
    expect(Object.keys(files)).to.include('main.ts');
    expect(foreign).to.deep.equal([]);
  });
});

/** @returns the paths of all imports that remain at run time. */
function importsOf(source: string): string[] {
  return preProcessFile(source.replaceAll(/^import type [^;]*;$/gm, '')).importedFiles.map(({ fileName }) => fileName);
}

function isOwn(path: string, files: Readonly<Record<string, string>>): boolean {
  return path.startsWith('./') && path.slice(2) in files;
}
