/** Every entry point of both clusters: built as Flux builds it, judged object by object, and in the right order. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPath } from '../../../src/kube.ts';
import {
  Artifact,
  CLUSTERS,
  findPlaceholders,
  judge,
  readObjects,
  writeSchemas,
  type KubernetesObject,
} from './artifact.ts';

const ROOT = join(import.meta.dirname, '../../..');
const packed = Artifact.pack();
let schemas: string;
beforeAll(() => {
  schemas = writeSchemas();
});
afterAll(() => {
  packed.remove();
  rmSync(schemas, { recursive: true, force: true });
});

const PRUNE = 'kustomize.toolkit.fluxcd.io/prune';
const build = (path: string, from = packed): KubernetesObject[] => readObjects(from.build(path));
const find = (objects: readonly KubernetesObject[], kind: string, name?: string): KubernetesObject => {
  const found = objects.find(object => object.kind === kind && (name ?? object.metadata.name) === object.metadata.name);
  if (found === undefined) throw new Error(`no ${kind} ${name ?? ''}`);
  return found;
};

describe('the artifact', () => {
  it('holds what Kustomizations read, and nothing else of the repository', () => {
    const folders = new Set(packed.files().map(file => file.split('/').slice(0, 2).join('/')));
    expect([...folders].filter(folder => !folder.startsWith('install/'))).toEqual(['apis/tofuworkspace', 'infra/k8s']);
    expect(packed.files().filter(file => file.startsWith('install/'))).toContain('install/kustomization.yaml');
  });

  it('holds no Secret in plain text', () => {
    const secrets = packed.files().filter(file => /^kind: Secret$/m.test(packed.read(file)));
    expect(secrets.length).toBeGreaterThan(4);
    for (const file of secrets) {
      expect(file).toMatch(/\.sops\.yaml$/);
      const { stringData } = parse(packed.read(file)) as { stringData: Record<string, string> };
      for (const value of Object.values(stringData)) expect(value).toMatch(/^ENC\[AES256_GCM,/);
    }
  });
});

describe.each(CLUSTERS)('cluster %s', cluster => {
  const entryPoints = packed.entryPoints(cluster);
  const decrypted = packed.copy();
  decrypted.decrypt();
  afterAll(() => {
    decrypted.remove();
  });

  it('is reconciled in order', () => {
    const order: string[] = [];
    const visit = (name: string, seen: readonly string[] = []): void => {
      expect(seen, 'a circle').not.toContain(name);
      const entryPoint = entryPoints.find(candidate => candidate.name === name);
      if (entryPoint === undefined) throw new Error(`nothing is called ${name}`);
      entryPoint.dependsOn.forEach(dependency => {
        visit(dependency, [...seen, name]);
      });
      if (!order.includes(name)) order.push(name);
    };
    visit('apps');
    expect(order).toEqual(
      cluster === 'talos'
        ? ['controllers', 'crossplane-extras', 'configs', 'apps']
        : ['controllers', 'configs', 'apps'],
    );
    expect(entryPoints.map(({ name }) => name).sort()).toEqual([...order].sort());
    expect(new Set(entryPoints.map(({ source }) => source))).toEqual(new Set(['GitRepository/flux-system']));
  });

  it('has entry points that are valid', () => {
    for (const { name } of entryPoints)
      expect(judge(packed.read(`infra/k8s/clusters/${cluster}/${name}.yaml`), schemas)).toEqual([]);
  });

  describe.each(entryPoints)('$name', ({ path, decrypts }) => {
    it('builds, is valid, and has nothing left to substitute', () => {
      const text = decrypted.build(path);
      expect(readObjects(text).length).toBeGreaterThan(0);
      expect(judge(text, schemas)).toEqual([]);
      expect(findPlaceholders(text)).toEqual([]);
    });
    it('has the key for what it must decrypt', () => {
      expect(build(path).some(object => 'sops' in object)).toBe(decrypts);
    });
    it('gives every namespaced object a namespace', () => {
      const clusterScoped =
        /^(Namespace|Cluster.*|Composit.*|Provider|Function|Configuration|DeploymentRuntimeConfig|CiliumL.*)$/;
      const homeless = build(path).filter(
        ({ kind, metadata }) => !clusterScoped.test(kind) && metadata.namespace === undefined,
      );
      expect(homeless.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    });
  });
});

describe('a fault', () => {
  const broken = (file: string, from: string | RegExp, to: string): Artifact => {
    const copy = packed.copy();
    copy.edit(file, from, to);
    return copy;
  };
  it.each([
    {
      fault: 'a misspelt field of an app',
      path: 'apps/talos',
      file: 'infra/k8s/apps/talos/paperless/schedule.yaml',
      from: 'repoPasswordSecretRef',
      to: 'repoPasswordSecretReg',
      message: /Schedule backup: .*repoPasswordSecretReg/,
    },
    {
      fault: 'a misspelt field of the provider',
      path: 'platform/crossplane-extras',
      file: 'infra/k8s/platform/crossplane-extras/provider-opentofu-runtime.yaml',
      from: 'readOnlyRootFilesystem',
      to: 'readOnlyRootFileSystem',
      message: /readOnlyRootFileSystem/,
    },
    {
      fault: 'a spec that the TofuWorkspace does not have',
      path: 'apps/talos',
      file: 'infra/k8s/components/workspace/talos/kustomization.yaml',
      from: 'stateBucket: ',
      to: 'stateBuckets: ',
      message: /TofuWorkspace workspace: .*stateBuckets/,
    },
    {
      fault: 'a version that is not served',
      path: 'platform/configs/talos',
      file: 'infra/k8s/platform/configs/talos/external-secrets/store.yaml',
      from: 'io/v1',
      to: 'io/v1beta1',
      message: /ClusterSecretStore .*could not find schema/,
    },
  ])('$fault is found', ({ path, file, from, to, message }) => {
    const copy = broken(file, from, to);
    expect(judge(copy.build(`infra/k8s/${path}`), schemas).join('\n')).toMatch(message);
    copy.remove();
  });
  it('a variable that nobody substitutes is found', () => {
    const copy = broken('infra/k8s/apps/talos/paperless/route.yaml', 'paperless.int.kueber.eu', 'paperless.${DOMAIN}');
    expect(findPlaceholders(copy.build('infra/k8s/apps/talos'))).toEqual(['  - paperless.${DOMAIN}']);
    copy.remove();
  });
  it('a file outside of a folder of its own is refused by kustomize, as Flux may', () => {
    const file = 'infra/k8s/platform/configs/talos/crossplane/kustomization.yaml';
    const copy = broken(file, /(apis\/tofuworkspace)$/m, '$1/definition.yaml');
    expect(() => copy.build('infra/k8s/platform/configs/talos')).toThrow(/security/);
    copy.remove();
  });
});

describe('crossplane-extras', () => {
  const objects = build('infra/k8s/platform/crossplane-extras');
  const install = (name: string): unknown => parse(readFileSync(join(ROOT, 'install', name), 'utf8'));

  it('installs what install/ holds, not a copy', () => {
    expect(find(objects, 'Function')).toMatchObject(install('function.yaml') as object);
    expect(find(objects, 'ClusterRole')).toEqual(install('rbac.yaml'));
    expect(find(objects, 'DeploymentRuntimeConfig', 'function-tofu-workspace')).toMatchObject(
      install('runtime-config.yaml') as object,
    );
    expect(parse(packed.read('infra/k8s/platform/crossplane-extras/configuration/configuration.yaml'))).toEqual(
      install('configuration.yaml'),
    );
  });
  it('brings the API from one place only', () => {
    const configs = build('infra/k8s/platform/configs/talos');
    const owners = [...objects, ...configs].filter(({ kind }) =>
      /^(Configuration|CompositeResourceDefinition)$/.test(kind),
    );
    expect(owners).toHaveLength(1);
    const definition = parse(readFileSync(join(ROOT, 'apis/tofuworkspace/definition.yaml'), 'utf8')) as object;
    expect(find(configs, 'CompositeResourceDefinition')).toMatchObject(definition);
  });
  it('is never pruned, nor what else holds things of others', () => {
    const guarded = [...objects, ...build('infra/k8s/platform/configs/talos')].filter(({ kind }) =>
      /^(Provider|Function|CompositeResourceDefinition|Composition|ClusterExternalSecret|ClusterSecretStore|Secret)$/.test(
        kind,
      ),
    );
    expect(guarded.length).toBeGreaterThan(12);
    for (const { metadata } of guarded) expect(metadata.annotations?.[PRUNE], metadata.name).toBe('disabled');
  });

  describe('the provider', () => {
    const spec = readPath(
      find(objects, 'DeploymentRuntimeConfig', 'provider-opentofu'),
      'spec',
      'deploymentTemplate',
      'spec',
    );
    const pod = readPath(spec, 'template', 'spec');
    const [container] = readPath(pod, 'containers') as readonly unknown[];
    const args = new Map(
      (readPath(container, 'args') as string[]).map(arg => arg.replace(/^--/, '').split('=') as [string, string]),
    );
    const minutes = (name: string): number => Number(/^(\d+)m$/.exec(args.get(name) ?? '')?.[1]);

    it('is hardened', () => {
      expect(readPath(pod, 'securityContext')).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(readPath(container, 'securityContext')).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(readPath(container, 'resources', 'limits', 'memory')).toBe('2Gi');
    });
    it('writes where volumes are', () => {
      const mounts = readPath(container, 'volumeMounts') as { mountPath: string }[];
      expect(mounts.map(({ mountPath }) => mountPath)).toEqual(['/tofu', '/tofu/plugin-cache', '/tmp']);
    });
    it('is one at a time, and has longer to end than an apply may take', () => {
      expect(spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
      expect(readPath(pod, 'terminationGracePeriodSeconds')).toBeGreaterThan(minutes('timeout') * 60);
    });
    it('looks at 100 namespaces well within a poll', () => {
      const busy = 100 * 10;
      expect(busy).toBeLessThan(0.25 * Number(args.get('max-reconcile-rate')) * minutes('poll') * 60);
    });

    it('waits before it ends while tofu applies, and not for a plan', async () => {
      const command = readPath(container, 'lifecycle', 'preStop', 'exec', 'command') as string[];
      // Under a name of its own: on a machine where tests run, there may be a real tofu.
      const name = `tofu-${process.pid}`;
      expect(command.join(' ')).toContain("'^tofu (");
      const [shell = '', ...rest] = command.map(part => part.replace('^tofu', `^${name}`));
      const scratch = mkdtempSync(join(tmpdir(), 'function-tofu-workspace-stop-'));
      // Of a process only its name and first argument count here.
      const start = (verb: string) => {
        writeFileSync(join(scratch, verb), "process.stdout.write('up'); setTimeout(() => undefined, 60_000);");
        return spawn(process.execPath, [verb, '-no-color'], {
          argv0: name,
          cwd: scratch,
          stdio: ['ignore', 'pipe', 'ignore'],
        });
      };
      const wait = (): number | null => spawnSync(shell, rest, { timeout: 5_000 }).status;
      for (const [verb, expected] of [
        ['plan', 0],
        ['apply', null],
        ['destroy', null],
      ] as const) {
        const tofu = start(verb);
        await once(tofu.stdout, 'data');
        expect(wait(), verb).toBe(expected);
        tofu.kill();
        await once(tofu, 'exit');
        expect(wait(), `after ${verb}`).toBe(0);
      }
      rmSync(scratch, { recursive: true });
    });
  });
});

describe('External Secrets', () => {
  it.each(build('infra/k8s/platform/configs/talos').filter(({ kind }) => kind === 'ClusterExternalSecret'))(
    '$metadata.name leaves the label of a Usage alone, and the Secret in place',
    ({ spec }) => {
      const target = readPath(spec, 'externalSecretSpec', 'target');
      expect(target).toMatchObject({ creationPolicy: 'Owner', deletionPolicy: 'Retain' });
      expect(target).not.toHaveProperty('template');
      expect(target).not.toHaveProperty('immutable');
    },
  );
});
