/**
 * Prints the bill of materials of what the function runs with: npm's CycloneDX, without what differs from run to run
 * (serial number, time) and without the addresses of the registry that the packages happened to come from.
 *
 * Packages for development are left out here and not by npm's `--omit dev`, which also leaves out those that are needed
 * at run time where a package for development needs them too.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Component {
  readonly 'bom-ref': string;
  readonly properties?: readonly { readonly name: string }[];
  readonly externalReferences?: readonly { readonly type: string }[];
}
interface Bill {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const ROOT = join(import.meta.dirname, '..');
const { name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { name: string };

process.stdout.write(`${JSON.stringify(narrow(readBill()), null, 2)}\n`);

function readBill(): Bill {
  const text = execFileSync(
    'npm',
    ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'],
    {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return JSON.parse(text) as Bill;
}

function narrow(bill: Bill): object {
  const { metadata } = bill;
  const components = bill.components.filter(component => !isForDevelopment(component));
  const kept = new Set([metadata.component, ...components].map(component => component['bom-ref']));
  return {
    ...bill,
    // What is undefined is not printed.
    serialNumber: undefined,
    // npm names it after the folder that it lies in.
    metadata: { ...metadata, timestamp: undefined, component: { ...metadata.component, name } },
    components: components.map(component => ({
      ...component,
      externalReferences: component.externalReferences?.filter(({ type }) => type !== 'distribution'),
    })),
    dependencies: bill.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(other => kept.has(other)) })),
  };
}

function isForDevelopment({ properties = [] }: Component): boolean {
  return properties.some(property => property.name === 'cdx:npm:package:development');
}
