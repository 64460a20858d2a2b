/**
 * The three steps of phase 0. Each may be killed at any point and started again: AWS is asked what is there, and the
 * device what it runs with, before anything changes.
 */
import type { Site } from '../site/site.ts';
import { isGenerated, keysOf, partsOf, SECRET_NAMES, type Part, type SecretName } from './catalogue.ts';
import { generatePart, type Values } from './generate.ts';
import { isProvisioned, provision as provisionRouter, type RouterSecrets } from './router.ts';
import type { SecretStore } from './secret-store.ts';

type Say = (line: string) => void;

/** Stages what is missing. A value that exists is never made anew: others depend on it, state could not be read. */
export async function generate(site: Site, store: SecretStore, say: Say): Promise<void> {
  for (const name of SECRET_NAMES.filter(each => partsOf(each).some(isGenerated))) {
    const versions = await store.versions(name);
    if (!versions.exists) await store.create(name);
    const known = versions.staged ?? versions.current;
    const values = known === undefined ? {} : await store.read(name, known);
    const missing = partsOf(name)
      .filter(isGenerated)
      .filter(part => isMissing(name, part, values));
    if (missing.length === 0) {
      say(`${name}: there${versions.staged === undefined ? '' : ', staged'}`);
      continue;
    }
    let wanted: Values = values;
    for (const part of missing) wanted = { ...wanted, ...(await generatePart(part, site)) };
    await store.stage(name, wanted);
    say(`${name}: generated ${missing.flatMap(keysOf).join(', ')}; staged and read back`);
  }
}

function isMissing(name: SecretName, part: Part, values: Values): boolean {
  const absent = keysOf(part).filter(key => values[key] === undefined);
  if (absent.length > 0 && absent.length < keysOf(part).length) {
    throw new Error(`secret ${name} has no ${absent.join(', ')}, but what belongs to it: put it right by hand`);
  }
  return absent.length > 0;
}

/** Takes what is staged, or what is current: a router that was replaced gets the keys that everybody knows. */
export async function provision(site: Site, store: SecretStore, say: Say): Promise<void> {
  const secrets = await readRouterSecrets(store);
  if (await isProvisioned(site, secrets)) {
    say(`${site.router.name}: has these keys already`);
    return;
  }
  await provisionRouter(site, secrets);
  say(`${site.router.name}: initialised as VPN gateway`);
}

export async function promote(site: Site, store: SecretStore, say: Say): Promise<void> {
  if (!(await isProvisioned(site, await readRouterSecrets(store)))) {
    throw new Error(`${site.router.name} does not run with the staged keys yet: task p0_prov`);
  }
  for (const name of SECRET_NAMES) {
    say(`${name}: ${(await store.promote(name)) ? 'is current now' : 'nothing staged'}`);
  }
}

/** What is not as it must be after phase 0. */
export async function findFaults(store: SecretStore): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const name of SECRET_NAMES) {
    const generated = partsOf(name).filter(isGenerated);
    const { current, staged, provisioned } = await store.versions(name);
    if (staged !== undefined) faults.push(`${name} is staged, but not promoted`);
    if (generated.length === 0) continue;
    if (current === undefined || provisioned === undefined) {
      faults.push(`${name} is not there`);
      continue;
    }
    const values = await store.read(name, current);
    for (const key of generated.flatMap(keysOf)) if (values[key] === undefined) faults.push(`${name} has no ${key}`);
  }
  return faults;
}

/** Is the gateway up with the current keys? */
export async function isGatewayUp(site: Site, store: SecretStore): Promise<boolean> {
  return isProvisioned(site, await readRouterSecrets(store));
}

async function readRouterSecrets(store: SecretStore): Promise<RouterSecrets> {
  const read = async (name: 'router' | 'ssh'): Promise<Values> => {
    const { staged, current } = await store.versions(name);
    const version = staged ?? current;
    if (version === undefined) throw new Error(`secret ${name} is not in AWS yet: task p0_gen`);
    return store.read(name, version);
  };
  return { router: await read('router'), ssh: await read('ssh') };
}
