/**
 * Writes the version wherever it occurs, or checks that every place says the same.
 *
 *   tsx scripts/version-set.ts 1.2.3              `make version-set VERSION=1.2.3`
 *   tsx scripts/version-set.ts --check            against package.json
 *   tsx scripts/version-set.ts --root FOLDER …    in another tree
 *
 * Occurrences are found by what stands before them, so a new place needs no entry here: a reference to one of our two
 * packages, the version label, the constraint under dependsOn. REQUIRED says which files must have one at all.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';

const SEMVER = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]*[0-9A-Za-z])?`;

/** Each matches the version alone; what it stands behind tells that it is ours. */
const OCCURRENCES = [
  /(?<=\/(?:function|configuration)-tofu-workspace:v)SEMVER/g,
  /(?<=app\.kubernetes\.io\/version: v)SEMVER/g,
  /(?<=\/function-tofu-workspace\n\s+version: ">=v)SEMVER/g,
].map(({ source, flags }) => new RegExp(source.replace('SEMVER', SEMVER), flags));

/** Files and folders that are searched, where they are there. A changelog tells of other versions too, so not all of the tree. */
const SEARCHED = [
  'apis',
  'crossplane.yaml',
  'docs',
  'examples/functions.yaml',
  'infra',
  'install',
  'package',
  'README.md',
];
const REQUIRED = [
  'apis/tofuworkspace/composition.yaml',
  'crossplane.yaml',
  'docs/install.md',
  'examples/functions.yaml',
  'install/configuration.yaml',
  'install/function.yaml',
  'package/crossplane.yaml',
];

interface Manifest {
  version: string;
  packages?: Record<string, { version?: string }>;
}

process.exitCode = main();

function main(): number {
  const { values, positionals } = parseArgs({
    options: { check: { type: 'boolean', default: false }, root: { type: 'string' } },
    allowPositionals: true,
  });
  const root = values.root ?? join(import.meta.dirname, '..');
  const wanted = values.check ? readManifest(join(root, 'package.json')).version : positionals[0];
  if (wanted === undefined || !new RegExp(`^${SEMVER}$`).test(wanted)) {
    process.stderr.write('usage: version-set.ts X.Y.Z | --check, without a leading v\n');
    return 2;
  }
  const faults = values.check ? findFaults(root, wanted) : (setAll(root, wanted), findFaults(root, wanted));
  for (const fault of faults) process.stderr.write(`version-set: ${fault}\n`);
  return faults.length === 0 ? 0 : 1;
}

function setAll(root: string, version: string): void {
  for (const path of listFiles(root)) {
    const before = readFileSync(join(root, path), 'utf8');
    const after = OCCURRENCES.reduce((text, pattern) => text.replaceAll(pattern, version), before);
    if (after !== before) writeFileSync(join(root, path), after);
  }
  for (const path of ['package.json', 'package-lock.json'].map(name => join(root, name))) {
    const manifest = readManifest(path);
    manifest.version = version;
    const self = manifest.packages?.[''];
    if (self !== undefined) self.version = version;
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

function findFaults(root: string, version: string): string[] {
  const found = listFiles(root).flatMap(path => {
    const text = readFileSync(join(root, path), 'utf8');
    return OCCURRENCES.flatMap(pattern => text.match(pattern) ?? []).map(occurrence => ({ path, occurrence }));
  });
  const lock = readManifest(join(root, 'package-lock.json'));
  for (const occurrence of [lock.version, lock.packages?.['']?.version ?? 'none'])
    found.push({ path: 'package-lock.json', occurrence });
  const silent = REQUIRED.filter(path => !found.some(place => place.path === path));
  return [
    ...found
      .filter(({ occurrence }) => occurrence !== version)
      .map(({ path, occurrence }) => `${path} says ${occurrence}, not ${version}`),
    ...silent.map(path => `${path} names no version`),
  ];
}

function listFiles(root: string): string[] {
  const walk = (path: string): string[] => {
    if (statSync(join(root, path)).isDirectory())
      return readdirSync(join(root, path)).flatMap(name => walk(`${path}/${name}`));
    return ['.yaml', '.yml', '.md'].includes(extname(path)) ? [path] : [];
  };
  return SEARCHED.filter(path => existsSync(join(root, path))).flatMap(walk);
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}
