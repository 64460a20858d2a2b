/** To the version before this one and back, as docs/install.md says, with Workspaces in place. */
import { statSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { FUNCTION_NAME } from '../../../../src/api/function-step.ts';
import { readPath, type KubeObject } from '../../../../src/kube.ts';
import { App, moduleOf, RECONCILE_SECONDS } from '../app.ts';
import { callWith, SYSTEM } from '../calls.ts';
import { get, kubectl, list, merge, required, type Reference } from '../cluster.ts';
import { isReady } from '../crossplane.ts';
import { eventually } from '../eventually.ts';
import { functionPackage } from '../kinds.ts';
import { record } from '../measured.ts';
import { hasState, realBuckets, realKeys, statePath } from '../world.ts';

const CONFIGURATION: Reference = {
  apiVersion: 'pkg.crossplane.io/v1',
  kind: 'Configuration',
  name: 'configuration-tofu-workspace',
};
const REPOSITORY = 'function-tofu-workspace';
const app = new App('e2e-upgrade');
const BUCKET = 'e2e-upgrade-backup';
const current = required('E2E_VERSION');
const previous = required('E2E_PREVIOUS_VERSION');

beforeAll(async () => {
  await app.create();
  await app.applySchedule('backup', BUCKET);
  await app.applyRoute('web', 'upgrade.int.kueber.eu');
  await app.applyTofuWorkspace();
  await app.ready();
  await eventually('the credentials', () => app.secretData(`${BUCKET}-b2`));
  await app.lastAnswerApplied();
});

interface Standing {
  /** Kind, name and composition resource key → uid; without Usages. */
  readonly composed: Readonly<Record<string, unknown>>;
  readonly usages: Readonly<Record<string, unknown>>;
  readonly generation: unknown;
  readonly module: string;
  readonly bucket: string | undefined;
  readonly keys: readonly string[];
  readonly stateWritten: number;
}

async function standing(): Promise<Standing> {
  const identities = (objects: readonly KubeObject[]): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      objects.map(({ kind, metadata }) => [
        `${kind} ${metadata.name} ${metadata.annotations?.['crossplane.io/composition-resource-name'] ?? ''}`,
        metadata['uid'],
      ]),
    );
  expect(hasState(app.namespace)).toBe(true);
  // What a version no longer composes is deleted by core, and there until its finalizer is gone.
  const composed = await eventually('nothing composed is about to go', async () => {
    const found = await app.composed();
    return found.some(({ metadata }) => metadata['deletionTimestamp'] !== undefined) ? undefined : found;
  });
  const workspace = await app.workspace();
  return {
    composed: identities(composed.filter(({ kind }) => kind !== 'Usage')),
    usages: identities(composed.filter(({ kind }) => kind === 'Usage')),
    generation: workspace.metadata['generation'],
    module: moduleOf(workspace),
    bucket: realBuckets()[BUCKET],
    keys: realKeys(BUCKET),
    stateWritten: statSync(statePath(app.namespace)).mtimeMs,
  };
}

/** Nothing is made anew, and a text that stays the same is not applied again. */
function expectSame(after: Standing, before: Standing): void {
  const { usages: usagesBefore, ...rest } = before;
  const { usages: usagesAfter, ...others } = after;
  const changed = { module: after.module, generation: after.generation, stateWritten: after.stateWritten };
  expect(others).toEqual(after.module === before.module ? rest : { ...rest, ...changed });
  // A version may hold more than another: Usages come and go, but what both have is the same object.
  for (const [key, uid] of Object.entries(usagesBefore)) expect([uid, undefined], key).toContain(usagesAfter[key]);
}

async function install(reference: Reference, version: string): Promise<void> {
  const name = reference.kind === 'Function' ? REPOSITORY : CONFIGURATION.name;
  await merge(reference, { spec: { package: `ghcr.io/kueber/${name}:${version}` } });
  await eventually(
    `${reference.kind} ${version} is healthy`,
    async () => {
      const revisions = await list(reference.apiVersion, `${reference.kind}Revision`);
      const active = revisions.find(
        ({ spec }) =>
          String(readPath(spec, 'image')).includes(`${name}:${version}`) && readPath(spec, 'desiredState') === 'Active',
      );
      if (active === undefined) throw new Error(JSON.stringify(revisions.map(({ spec, status }) => [spec, status])));
      const healthy = (object: KubeObject): boolean =>
        ((readPath(object, 'status', 'conditions') ?? []) as readonly { type: string; status: string }[]).some(
          ({ type, status }) => /Healthy$/.test(type) && status === 'True',
        );
      return healthy(active) && healthy(await get(reference)) ? true : undefined;
    },
    RECONCILE_SECONDS,
  );
}

/** Until only pods of the version are left to answer, one has for our TofuWorkspace, and what it answered is applied. */
async function answeredBy(version: string, since: number): Promise<void> {
  await eventually(`only ${version} runs`, async () => {
    const ofVersion = (pod: KubeObject): boolean => JSON.stringify(pod['spec']).includes(`${REPOSITORY}:${version}`);
    // Those that are being ended too: they answer the calls that have reached them.
    const pods = (await list('v1', 'Pod', SYSTEM)).filter(pod =>
      JSON.stringify(pod['spec']).includes(`${REPOSITORY}:`),
    );
    return pods.length === 2 && pods.every(pod => isReady(pod) && ofVersion(pod)) ? true : undefined;
  });
  await eventually(
    'our TofuWorkspace is run again',
    () => callWith('settled', since, app.namespace),
    RECONCILE_SECONDS,
  );
  await app.lastAnswerApplied();
}

describe('with a Workspace in place', () => {
  it('back to the version before, the Configuration first', async () => {
    const before = await standing();
    const started = Date.now();
    await install(CONFIGURATION, previous);
    await install(functionPackage(), previous);
    await answeredBy(previous, started);
    await app.ready();
    expectSame(await standing(), before);
    record('roll back', { seconds: Math.round((Date.now() - started) / 1000), toVersion: previous });
  });

  it('and to this one, the Function first', async () => {
    const before = await standing();
    const started = Date.now();
    await install(functionPackage(), current);
    await install(CONFIGURATION, current);
    await answeredBy(current, started);
    await app.ready();
    expectSame(await standing(), before);
    record('upgrade', {
      seconds: Math.round((Date.now() - started) / 1000),
      fromVersion: previous,
      toVersion: current,
    });
  });

  it('there is one Function of our package: Crossplane has installed none beside it', async () => {
    const functions = await list('pkg.crossplane.io/v1', 'Function');
    const ours = functions.filter(({ spec }) => String(readPath(spec, 'package')).includes(`/${REPOSITORY}:`));
    expect(ours.map(({ metadata }) => metadata.name)).toEqual([FUNCTION_NAME]);
  });

  it('kubectl shows both packages healthy', async () => {
    const text = await kubectl(
      'get',
      `function.pkg.crossplane.io/${FUNCTION_NAME}`,
      'configuration.pkg.crossplane.io/configuration-tofu-workspace',
      '--no-headers',
    );
    for (const line of text.trim().split('\n'))
      expect(line).toMatch(new RegExp(`True\\s+True\\s+ghcr.io/kueber/.*:${current}`));
  });
});
