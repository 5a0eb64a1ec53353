/**
 * Writes licence texts, NOTICE and the SBOM of the image into a folder. The image build runs it, so it uses nothing but Node
 * and npm.
 *
 *     node hack/image/main.ts FOLDER
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { imageNotice, licenceFolder, licenceProblems, licenceTexts } from './licences.ts';
import { installedPackages } from './lockFile.ts';
import { createSbom } from './sbom.ts';

const root = join(import.meta.dirname, '../..');
const [folder] = process.argv.slice(2);

if (folder === undefined) {
  console.error('Name the folder: node hack/image/main.ts FOLDER');
  process.exitCode = 1;
} else {
  const packages = installedPackages(root);
  const problems = licenceProblems(root, packages);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else {
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    for (const found of packages) {
      for (const { name, text } of licenceTexts(root, found)) write(join(licenceFolder(found), name), text);
    }
    write('NOTICE', imageNotice(readFileSync(join(root, 'NOTICE'), 'utf8'), packages));
    write('sbom.cdx.json', createSbom(root));
    console.log(`${folder}: NOTICE, sbom.cdx.json and the licence texts of ${packages.length} packages.`);
  }
}
