/**
 * Lays out what `crossplane xpkg build` reads. It reads every YAML file below its root, so each package gets a folder
 * that holds its metadata, the objects it ships, and nothing else.
 *
 *   tsx scripts/stage-packages.ts FOLDER REGISTRY
 *
 * The Configuration's dependency on our Function follows REGISTRY, so that who publishes both elsewhere gets that one;
 * under another organisation the Function's name changes too, in the Composition and in install/ (docs/adr/0016).
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const OUR_FUNCTION = /^(\s+package: ).*\/function-tofu-workspace$/m;

const PACKAGES = {
  function: {
    'crossplane.yaml': 'package/crossplane.yaml',
    'input/tofuworkspace.fn.kueber.eu_inputs.yaml': 'package/input/tofuworkspace.fn.kueber.eu_inputs.yaml',
  },
  configuration: {
    'crossplane.yaml': 'crossplane.yaml',
    'apis/definition.yaml': 'apis/tofuworkspace/definition.yaml',
    'apis/composition.yaml': 'apis/tofuworkspace/composition.yaml',
    'examples/tofuworkspace.yaml': 'examples/backup-and-route/xr.yaml',
  },
} as const;

const [folder, registry] = process.argv.slice(2);
if (folder === undefined || registry === undefined) throw new Error('usage: stage-packages.ts FOLDER REGISTRY');

rmSync(folder, { recursive: true, force: true });
for (const [name, files] of Object.entries(PACKAGES))
  for (const [to, from] of Object.entries(files)) {
    const target = join(folder, name, to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(ROOT, from), target);
  }

const configuration = join(folder, 'configuration/crossplane.yaml');
const text = readFileSync(configuration, 'utf8');
if (!OUR_FUNCTION.test(text)) throw new Error('crossplane.yaml does not depend on function-tofu-workspace');
writeFileSync(configuration, text.replace(OUR_FUNCTION, `$1${registry}/function-tofu-workspace`));
