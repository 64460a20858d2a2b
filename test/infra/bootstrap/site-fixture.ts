/** site.yaml as it is, or changed for one test. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import type { Site } from '../../../infra/bootstrap/site/site.ts';

export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
export const BOOTSTRAP = join(REPOSITORY, 'infra/bootstrap');
export const STAND_INS = fileURLToPath(new URL('stand-ins/', import.meta.url));

/** Not checked: a test may make it wrong. */
export function siteValue(change: (site: Site) => void = () => undefined): Site {
  const site = parse(readFileSync(join(BOOTSTRAP, 'site.yaml'), 'utf8')) as Site;
  change(site);
  return site;
}

export function writeSite(file: string, change: (site: Site) => void): string {
  writeFileSync(file, stringify(siteValue(change)));
  return file;
}
