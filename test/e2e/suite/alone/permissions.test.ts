/** What Crossplane may do by install/rbac.yaml, and what it looks like when a part of that is missing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readPath, type KubeObject } from '../../../../src/kube.ts';
import { App, conditionOf, RECONCILE_SECONDS } from '../app.ts';
import { callsSince, functionPods, SYSTEM } from '../calls.ts';
import { apply, kubectl, remove } from '../cluster.ts';
import { restartCore } from '../crossplane.ts';
import { eventually } from '../eventually.ts';
import { clusterRole } from '../kinds.ts';
import { record } from '../measured.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const CORE = `system:serviceaccount:${SYSTEM}:crossplane`;
const ROLE = 'crossplane:function-tofu-workspace';
const shipped = parse(
  readFileSync(join(import.meta.dirname, '../../../../install/rbac.yaml'), 'utf8'),
) as KubeObject & {
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
};
const app = new App('e2e-permissions');

beforeAll(async () => {
  await app.create();
  await app.applySchedule('backup', 'e2e-permissions-backup');
  await app.applyTofuWorkspace();
  await app.ready();
});

afterAll(async () => {
  await apply(shipped);
});

async function may(who: string, verb: string, resource: string): Promise<boolean> {
  const answer = await kubectl('auth', 'can-i', verb, resource, '--as', who, '--all-namespaces').catch(
    (error: unknown) => (error as { stdout: string }).stdout,
  );
  return answer.trim() === 'yes';
}

function without(verb: string, resource: string): KubeObject {
  const rules = shipped.rules.map(rule =>
    rule.resources.includes(resource) ? { ...rule, verbs: rule.verbs.filter(each => each !== verb) } : rule,
  );
  return { ...shipped, rules };
}

const granted = shipped.rules.flatMap(({ apiGroups: [group], resources, verbs }) =>
  resources.flatMap(resource =>
    verbs.map(verb => ({ verb, resource: group === '' ? resource : `${resource}.${group ?? ''}`, group })),
  ),
);

describe('the shipped ClusterRole', () => {
  it('gives core every right that it names', async () => {
    for (const { verb, resource } of granted) expect(await may(CORE, verb, resource), `${verb} ${resource}`).toBe(true);
  });

  it('is where the rights on what is required come from, and nobody else gives them', async () => {
    await remove(clusterRole(ROLE));
    try {
      const left = async (): Promise<string[]> => {
        const still = await Promise.all(
          granted.map(async each => ((await may(CORE, each.verb, each.resource)) ? each : undefined)),
        );
        return still.flatMap(each => (each === undefined ? [] : [`${each.verb} ${each.resource}`]));
      };
      const required = granted
        .filter(({ group }) => group !== 'opentofu.m.upbound.io')
        .map(({ verb, resource }) => `${verb} ${resource}`);
      await eventually('the rights are gone', async () => {
        const still = await left();
        return required.some(right => still.includes(right)) ? undefined : true;
      });
      // The RBAC manager gives those on the provider's kinds as well, where it runs: rbac.yaml says so.
      expect(await left()).toEqual(
        granted
          .filter(({ group }) => group === 'opentofu.m.upbound.io')
          .map(({ verb, resource }) => `${verb} ${resource}`),
      );
    } finally {
      await apply(shipped);
    }
    await eventually('core has them again', async () =>
      (await may(CORE, 'list', 'schedules.k8up.io')) ? true : undefined,
    );
  });

  it('does not let core write what it only reads', async () => {
    for (const resource of ['schedules.k8up.io', 'httproutes.gateway.networking.k8s.io', 'namespaces'])
      for (const verb of ['create', 'update', 'patch', 'delete'])
        expect(await may(CORE, verb, resource), `${verb} ${resource}`).toBe(false);
  });
});

describe("the function's own service account", () => {
  it('may do what everyone may, and no more', async () => {
    const [pod] = await functionPods();
    const account = readPath(pod, 'spec', 'serviceAccountName');
    expect(typeof account).toBe('string');
    const list = (who: string): Promise<string> =>
      kubectl('auth', 'can-i', '--list', '--no-headers', '--as', who, '--as-group', 'system:authenticated');
    const sorted = (text: string): string[] => text.split('\n').sort();
    expect(sorted(await list(`system:serviceaccount:${SYSTEM}:${String(account)}`))).toEqual(
      sorted(await list('system:serviceaccount:default:nobody')),
    );
  });

  it('is not even known in the pod', async () => {
    const text = JSON.stringify((await functionPods()).map(pod => readPath(pod, 'spec')));
    expect(text).not.toContain('serviceAccountToken');
    expect(text).not.toContain('/var/run/secrets/kubernetes.io');
  });
});

describe('what a missing permission looks like', () => {
  it('list: a time-out of an informer after about a minute, and nothing is deleted', async () => {
    const before = await app.workspace();
    await apply(without('list', 'schedules'));
    await restartCore();
    const started = Date.now();
    const seconds = await eventually(
      'Synced False',
      async () => {
        const synced = conditionOf(await app.tofuWorkspace(), 'Synced');
        if (synced?.['status'] !== 'False') return undefined;
        expect(synced['message']).toMatch(
          /cannot list required resources.*Timeout: failed waiting for .* Informer to sync/,
        );
        return (Date.now() - started) / 1000;
      },
      RECONCILE_SECONDS,
    );
    expect((await app.workspace()).metadata['uid']).toBe(before.metadata['uid']);
    await apply(shipped);
    const given = Date.now();
    await eventually(
      'Synced again, without a restart',
      async () => (conditionOf(await app.tofuWorkspace(), 'Synced')?.['status'] === 'True' ? true : undefined),
      RECONCILE_SECONDS,
    );
    record('list missing', {
      secondsUntilSeen: Math.round(seconds),
      secondsUntilWell: Math.round((Date.now() - given) / 1000),
    });
  });

  it('watch: the function is called again and again', async () => {
    await apply(without('watch', 'schedules'));
    await restartCore();
    await eventually('reconciled', async () => (await callsSince(Date.now() - 5000, app.namespace))[0]);
    const started = Date.now();
    await sleep(60_000);
    record('watch missing', { callsInAMinute: (await callsSince(started, app.namespace)).length });
    // At rest there is one in five minutes.
    await eventually('called three times', async () => (await callsSince(started, app.namespace))[2], 180);
    await apply(shipped);
    await restartCore();
    await app.ready();
  });
});
