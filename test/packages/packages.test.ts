/** Both packages as a cluster gets them: pushed to a registry by the real Crossplane CLI, and read back from it. */
import { status } from '@grpc/grpc-js';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { Pki } from '../contract/pki.ts';
import { smoke } from './container.ts';
import { ARCHES, type Arch, crane, docker, REGISTRY, ROOT, USERS } from './surroundings.ts';

const BUDGET_BYTES = 90_000_000;

interface Layer {
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}
interface Manifest {
  readonly layers: readonly Layer[];
}
interface Index {
  readonly manifests: readonly { readonly platform?: { readonly os: string; readonly architecture: string } }[];
}
interface Document {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}
interface Bill {
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const FUNCTION = `${REGISTRY}/function-tofu-workspace`;
const CONFIGURATION = `${REGISTRY}/configuration-tofu-workspace`;
const pki = new Pki();

beforeAll(() => {
  execFileSync('scripts/packages.sh', ['push'], { cwd: ROOT, env: { ...process.env, REGISTRY }, stdio: 'inherit' });
});
afterAll(() => {
  pki.remove();
});

function readManifest(reference: string, ...flags: string[]): Manifest {
  return JSON.parse(crane('manifest', ...flags, reference)) as Manifest;
}

/** The one layer that core reads: package.yaml in the layer annotated as base. */
function readPackage(repository: string, manifest: Manifest): Document[] {
  const [base, ...more] = manifest.layers.filter(layer => layer.annotations?.['io.crossplane.xpkg'] === 'base');
  expect(more).toEqual([]);
  const text = pipe('"$CRANE" blob "$1" | tar -xzOf - package.yaml', [`${repository}@${base?.digest ?? ''}`]);
  // Documents may be parted by more lines than needed.
  return parseAllDocuments(text)
    .map(document => document.toJS() as Document | null)
    .filter(document => document !== null);
}

describe('the Function package', () => {
  it('is there for both platforms, whole', () => {
    const index = JSON.parse(crane('manifest', `${FUNCTION}:v${version}`)) as Index;
    expect(index.manifests.map(({ platform }) => platform)).toEqual(
      ARCHES.map(architecture => ({ architecture, os: 'linux' })),
    );
    for (const arch of ARCHES) crane('validate', '--remote', `${FUNCTION}:v${version}`, `--platform=linux/${arch}`);
  });

  describe.each(ARCHES)('for %s', arch => {
    let manifest: Manifest;
    beforeAll(() => {
      manifest = readManifest(`${FUNCTION}:v${version}`, `--platform=linux/${arch}`);
    });

    it('is the image, then the package, then its examples', () => {
      const roles = manifest.layers.map(({ annotations }) => annotations?.['io.crossplane.xpkg'] ?? 'image');
      expect(roles).toEqual(['image', 'image', 'base', 'upbound']);
    });

    it('holds its metadata and the schema of its input', () => {
      const documents = readPackage(FUNCTION, manifest);
      expect(documents.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
        'CustomResourceDefinition inputs.tofuworkspace.fn.kueber.eu',
        'Function function-tofu-workspace',
      ]);
      const about = documents.find(({ kind }) => kind === 'Function');
      expect(about?.spec).toEqual({ crossplane: { version: '>=v2.0.0' }, capabilities: ['composition'] });
      const { annotations } = about?.metadata ?? {};
      for (const name of ['maintainer', 'license', 'description', 'readme', 'iconURI'])
        expect(annotations).toHaveProperty([`meta.crossplane.io/${name}`]);
    });

    it('is within its size', () => {
      const bytes = manifest.layers.reduce((sum, { size }) => sum + size, 0);
      const ours = manifest.layers.slice(1).reduce((sum, { size }) => sum + size, 0);
      console.log(
        `compressed size for ${arch}: ${mega(bytes)} MB, of it ours ${mega(ours)} MB (budget ${mega(BUDGET_BYTES)} MB)`,
      );
      expect(bytes).toBeLessThan(BUDGET_BYTES);
    });
  });

  it.each(USERS)('runs as it comes from the registry, as %s', async user => {
    const arch: Arch = 'amd64';
    docker('pull', `--platform=linux/${arch}`, `${FUNCTION}:v${version}`);
    const seen = await smoke(`${FUNCTION}:v${version}`, user, pki);
    expect(seen).toMatchObject({ tag: 'tag-1', stranger: status.UNAVAILABLE, exitCode: 0, rootMountedReadOnly: true });
  });
});

describe('the Configuration package', () => {
  let documents: Document[];
  beforeAll(() => {
    documents = readPackage(CONFIGURATION, readManifest(`${CONFIGURATION}:v${version}`));
  });

  it('holds exactly one XRD and one Composition', () => {
    expect(documents.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'CompositeResourceDefinition tofuworkspaces.platform.kueber.eu',
      'Composition tofuworkspaces',
      'Configuration configuration-tofu-workspace',
    ]);
  });

  it('depends on our Function where it was pushed to, and on the provider', () => {
    expect(documents.find(({ kind }) => kind === 'Configuration')?.spec.dependsOn).toEqual([
      { apiVersion: 'pkg.crossplane.io/v1', kind: 'Function', package: FUNCTION, version: `>=v${version}` },
      {
        apiVersion: 'pkg.crossplane.io/v1',
        kind: 'Provider',
        package: 'xpkg.upbound.io/upbound/provider-opentofu',
        version: expect.stringMatching(/^>=v\d/) as unknown,
      },
    ]);
  });

  it('has no dollar-brace in it, which Flux would replace', () => {
    expect(JSON.stringify(documents)).not.toContain('${');
  });
});

describe('beside the packages', () => {
  const read = (name: string): string => readFileSync(join(ROOT, 'build/packages', name), 'utf8');

  it('the bill of materials names every package in the bundle', () => {
    const bill = JSON.parse(read(`function-tofu-workspace-v${version}.cdx.json`)) as Bill;
    const named = new Set(bill.components.map(component => `${component.name} ${component.version}`));
    const licences = pipe('"$CRANE" export --platform=linux/amd64 "$1" - | tar -xOf - app/THIRD-PARTY-LICENSES.txt', [
      `${FUNCTION}:v${version}`,
    ]);
    const bundled = [...licences.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+ \d+\.\d+\.\d+): /gm)].map(found => found[1] ?? '');
    expect(bundled.length).toBeGreaterThan(10);
    expect(bundled.filter(name => !named.has(name))).toEqual([]);
  });

  it('the checksums cover every file', () => {
    const listed = read('SHA256SUMS')
      .trim()
      .split('\n')
      .map(line => line.split(/ +/)[1]);
    expect(listed.sort()).toEqual([
      `configuration-tofu-workspace-v${version}.xpkg`,
      `function-tofu-workspace-v${version}-amd64.xpkg`,
      `function-tofu-workspace-v${version}-arm64.xpkg`,
      `function-tofu-workspace-v${version}.cdx.json`,
    ]);
  });
});

/** A shell's pipe, for what is too large or too binary to pass through here. */
function pipe(script: string, args: readonly string[]): string {
  return execFileSync('bash', ['-c', `set -o pipefail; ${script}`, 'pipe', ...args], { encoding: 'utf8' });
}

function mega(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
