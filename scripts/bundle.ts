/**
 * Writes what the image adds to its base: the server as one ES module, its version, and its packages' licences.
 *
 *   tsx scripts/bundle.ts FOLDER    FOLDER/app/{dist/main.js,package.json,THIRD-PARTY-LICENSES.txt}
 *
 * Same sources, same bytes, and one modification time for all (SOURCE_DATE_EPOCH, else 0), so that a layer made of
 * them has the same digest whenever and wherever it is built.
 */
import { build, type Metafile, type Plugin } from 'esbuild';
import { chmodSync, lutimesSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

interface About {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

async function bundle(folder: string): Promise<void> {
  const app = join(folder, 'app');
  rmSync(app, { recursive: true, force: true });
  mkdirSync(join(app, 'dist'), { recursive: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/main.ts'],
    outfile: join(app, 'dist/main.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Stack traces stay readable without a source map.
    minify: false,
    legalComments: 'none',
    plugins: [BUILTINS_WITHOUT_REQUIRE],
    metafile: true,
    logLevel: 'warning',
  });
  refuseDynamicRequire(join(app, 'dist/main.js'));
  const { name, version } = readAbout(ROOT);
  writeFileSync(join(app, 'package.json'), `${JSON.stringify({ name, version, type: 'module' }, null, 2)}\n`);
  writeFileSync(join(app, 'THIRD-PARTY-LICENSES.txt'), printLicences(metafile));
  freeze(folder);
}

/** An ES module has no `require`: packages in CommonJS get Node's own modules another way. */
const BUILTINS_WITHOUT_REQUIRE: Plugin = {
  name: 'builtins-without-require',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ kind, path }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/** esbuild leaves a call of `__require` where it cannot know what is wanted; it would only fail when reached. */
function refuseDynamicRequire(path: string): void {
  if (/\b__require\(/.test(readFileSync(path, 'utf8')))
    throw new Error(`${path} requires something by a name that is known only when it runs`);
}

function printLicences(metafile: Metafile): string {
  const packages = new Set<string>();
  for (const output of Object.values(metafile.outputs))
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
      const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
      if (found !== undefined && bytesInOutput > 0) packages.add(found);
    }
  return [...packages]
    .sort()
    .map(path => printLicence(join(ROOT, path)))
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function printLicence(path: string): string {
  const { name, version, license } = readAbout(path);
  const file = readdirSync(path).find(entry => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : `\n${readFileSync(join(path, file), 'utf8').trim()}\n`;
  return `${name} ${version}: ${license ?? 'no licence named'}\n${text}`;
}

function readAbout(path: string): About {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as About;
}

/** Readable by all, writable by their owner only, none younger than another. Deepest first: a write inside touches a folder. */
function freeze(path: string): void {
  const time = Number(process.env.SOURCE_DATE_EPOCH ?? 0);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) freeze(inner);
    else chmodSync(inner, 0o644);
    lutimesSync(inner, time, time);
  }
  chmodSync(path, 0o755);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: bundle.ts FOLDER');
await bundle(folder);
