/**
 * `get.ts router.address` prints one value of site.yaml for the shell scripts of the steps, without a path all of it: a
 * list or a map as JSON.
 */
import { readSite } from './site.ts';

const path = process.argv[2] ?? '';
let value: unknown = readSite();
for (const key of path.split('.').filter(part => part !== '')) {
  value = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}
if (value === undefined) {
  process.stderr.write(`site/get.ts: there is no ${path} in site.yaml\n`);
  process.exitCode = 2;
} else {
  process.stdout.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
}
