/** A provider that is killed, or asked to end, while tofu is at work. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { Bench, bucketModule, workspace } from './bench.ts';
import { Namespace, eventually } from './cluster.ts';

const NAME = 'demo';
const PENDING = 'crossplane.io/external-create-pending';

describe.skipIf(inject('kubeconfig') === '')('a provider', () => {
  let bench: Bench;
  let namespace: Namespace;

  beforeEach(async () => {
    bench = await Bench.open();
    bench.start();
    namespace = await Namespace.create();
    await bench.furnish(namespace);
  });

  afterEach(async () => {
    const conflicts = bench.conflicts();
    await bench.close();
    expect(conflicts).toBe('');
  });

  const uid = async (): Promise<string> => (await namespace.get('Workspace', NAME)).metadata.uid;

  const buckets = (): string[] => bench.world.list('b2_bucket', 'bucket_name');

  const module = (names: readonly string[], slow?: number): Readonly<Record<string, unknown>> => ({
    spec: {
      forProvider: {
        module: bucketModule(
          names.map(name => `${namespace.name}-${name}`),
          slow === undefined ? {} : { slow },
        ),
      },
    },
  });

  it('killed during the first apply does not go on by itself: nobody knows what exists', async () => {
    const first = bucketModule([`${namespace.name}-a`], { slow: 600 });
    await namespace.create('Workspace', NAME, workspace(first));
    await bench.begun(await eventually('there is a Workspace', uid));
    await bench.kill();
    // The bucket was made, and no state tells of it.
    expect(buckets()).toEqual([`${namespace.name}-a`]);
    expect(running(bench.work)).not.toEqual([]);

    bench.start();
    await namespace.synced(
      NAME,
      /^cannot determine creation result - remove the crossplane\.io\/external-create-pending annotation/,
    );
    // What the killed one had left running was ended before.
    expect(running(bench.work)).toEqual([]);
    expect(bench.log).toContain('ended what a killed provider had left running');

    // The provider is not told of changes of that annotation: a human has to touch something else as well.
    await namespace.merge('Workspace', NAME, { metadata: { annotations: { [PENDING]: null } } });
    await sleep(5000);
    expect(namespace.condition('Synced', await namespace.get('Workspace', NAME))?.message).toContain(
      'cannot determine',
    );
    await namespace.merge('Workspace', NAME, { metadata: { annotations: { 'example.test/touched': 'by hand' } } });
    await namespace.synced(NAME, /Bucket name is already in use/);
    expect(buckets()).toEqual([`${namespace.name}-a`]);
  });

  it('killed during a later apply goes on by itself, and makes nothing twice', async () => {
    await namespace.create('Workspace', NAME, workspace(bucketModule([`${namespace.name}-a`])));
    await namespace.ready(NAME);
    await namespace.merge('Workspace', NAME, module(['a'], 600));
    await bench.begun(await uid());
    await bench.kill();
    expect(running(bench.work)).not.toEqual([]);

    bench.start();
    await namespace.merge('Workspace', NAME, module(['a'], 0));
    await namespace.ready(NAME);
    expect(buckets()).toEqual([`${namespace.name}-a`]);
    await namespace.delete('Workspace', NAME);
    await namespace.gone('Workspace', NAME);
    expect(buckets()).toEqual([]);
  });

  it('asked to end during an apply waits for tofu, and what it had made is in the state', async () => {
    await namespace.create('Workspace', NAME, workspace(bucketModule([`${namespace.name}-a`])));
    await namespace.ready(NAME);
    await namespace.merge('Workspace', NAME, module(['a', 'b'], 600));
    await bench.begun(await uid());
    expect(await bench.stop()).toBe(0);
    expect(running(bench.work)).toEqual([]);
    expect(bench.log).toContain('"msg":"stopped"');
    expect(bench.store.read(`${namespace.name}/${NAME}/terraform.tfstate`)).toContain(`${namespace.name}-b`);

    bench.start();
    await namespace.merge('Workspace', NAME, module(['a', 'b'], 0));
    await namespace.ready(NAME);
    expect(buckets()).toEqual([`${namespace.name}-a`, `${namespace.name}-b`]);
  });

  it('refuses a work folder where another one works', async () => {
    await eventually('it works', () => (bench.log.includes('"msg":"watching"') ? true : undefined));
    const other = await bench.startAnother();
    expect(other).toMatchObject({ status: 1 });
    expect(other.stderr).toContain('two providers would run tofu twice in one directory');
  });
});

/** Processes that tofu or its providers are, of this work folder. */
function running(work: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`PROVIDER_OPENTOFU_STAND_IN=${work}`);
      } catch {
        return false;
      }
    });
}
