/** The software bill of materials of the image, in the format CycloneDX, from `package-lock.json`. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedPackages, reducedLock, type ImagePackage, type LockFile } from './lockFile.ts';

/** A CycloneDX document, as far as it is changed. */
export interface Sbom {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string; readonly component: Component; readonly [field: string]: unknown };
  readonly components: readonly Component[];
  readonly [field: string]: unknown;
}

export interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly cpe?: string;
  readonly components?: readonly Component[];
  readonly [field: string]: unknown;
}

interface Manifest {
  readonly name: string;
  readonly [field: string]: unknown;
}

/**
 * Creates the document with `npm sbom`. The lock file is reduced first: `npm sbom --omit=dev` also omits the packages of the
 * image that development tools use too, and `--package-lock-only` lists those of all platforms.
 * @param root the folder with package.json, package-lock.json and node_modules
 */
export function createSbom(root: string): string {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));
  const lock = read('package-lock.json') as LockFile;
  const packages = installedPackages(root);
  const { devDependencies: _devDependencies, ...manifest } = read('package.json') as Manifest;
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(reducedLock(lock, packages)));
    const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--offline'];
    const output = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    const bundle = packages.find(({ name }) => name.startsWith('@img/sharp-libvips-'));
    const bundled = bundle && { of: bundle.name, versions: read(`${bundle.path}/versions.json`) as Versions };
    return `${JSON.stringify(completed(JSON.parse(output) as Sbom, { name: manifest.name, packages, bundled }), null, 2)}\n`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Versions = Readonly<Record<string, string>>;

/** What npm does not know of the image. */
export interface ImageContents {
  readonly name: string;
  readonly packages: readonly ImagePackage[];
  /** A package with libraries of other projects, and their versions. */
  readonly bundled?: { readonly of: string; readonly versions: Versions } | undefined;
}

/**
 * Adds packages that are installed without being needed, the libraries in libvips, and Node's own identity, by which scanners
 * find its vulnerabilities. The same packages result in the same document.
 */
export function completed(sbom: Sbom, { name, packages, bundled }: ImageContents): Sbom {
  const { timestamp: _timestamp, ...metadata } = sbom.metadata;
  const { serialNumber: _serialNumber, $schema, bomFormat, specVersion, ...rest } = sbom;
  const listed = new Set(sbom.components.map((component) => component['bom-ref']));
  const others = packages.filter((found) => !listed.has(referenceOf(found))).map(componentOf);
  const components = [...sbom.components, ...others].map((component): Component => {
    if (component.name === bundled?.of) return { ...component, components: librariesOf(component, bundled.versions) };
    if (!/^node-(bin-)?(linux|darwin)-/.test(component.name)) return component;
    return { ...component, cpe: `cpe:2.3:a:nodejs:node.js:${component.version}:*:*:*:*:*:*:*` };
  });
  const document = { ...rest, metadata: { ...metadata, component: { ...metadata.component, name } }, components };
  return { $schema, bomFormat, specVersion, serialNumber: `urn:uuid:${uuidOf(document)}`, ...document };
}

/** The reference of a package's component, as npm writes it. */
function referenceOf({ name, version }: ImagePackage): string {
  return `${name}@${version}`;
}

function componentOf(found: ImagePackage): Component {
  return {
    'bom-ref': referenceOf(found),
    type: 'library',
    name: found.name,
    version: found.version,
    scope: 'optional',
    purl: `pkg:npm/${found.name.replace('@', '%40')}@${found.version}`,
    licenses: [{ expression: found.licence }],
  };
}

function librariesOf(component: Component, versions: Versions): Component[] {
  return Object.entries(versions).map(([name, version]) => ({
    'bom-ref': `${component['bom-ref']}/${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:generic/${name}@${version}`,
  }));
}

/** A UUID of version 8 (RFC 9562) from the content. */
function uuidOf(document: object): string {
  const hex = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
