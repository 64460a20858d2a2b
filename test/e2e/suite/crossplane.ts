/** Crossplane's core, taken away and brought back. */
import { readPath, type KubeObject } from '../../../src/kube.ts';
import { SYSTEM } from './calls.ts';
import { get, kubectl, list, removeAtOnce } from './cluster.ts';
import { eventually } from './eventually.ts';
import { deployment, pod } from './kinds.ts';

export async function corePods(): Promise<KubeObject[]> {
  const pods = await list('v1', 'Pod', SYSTEM);
  return pods.filter(each => readPath(each, 'metadata', 'labels', 'app') === 'crossplane');
}

/** Kills the pod, and waits until another one has taken over and leads. */
export async function restartCore(): Promise<void> {
  const before = await corePods();
  await Promise.all(before.map(({ metadata }) => removeAtOnce(pod(SYSTEM, metadata.name))));
  const names = new Set(before.map(({ metadata }) => metadata.name));
  await eventually('another core is ready', async () => {
    const pods = await corePods();
    return pods.some(each => !names.has(each.metadata.name) && isReady(each)) ? true : undefined;
  });
}

export async function scaleCore(replicas: 0 | 1): Promise<void> {
  await kubectl('--namespace', SYSTEM, 'scale', 'deployment/crossplane', `--replicas=${replicas}`);
  await eventually(`${replicas} core`, async () => {
    const pods = await corePods();
    const ready = readPath(await get(deployment(SYSTEM, 'crossplane')), 'status', 'readyReplicas') ?? 0;
    return pods.length === replicas && ready === replicas ? true : undefined;
  });
}

export function isReady(object: KubeObject): boolean {
  const conditions = (readPath(object, 'status', 'conditions') ?? []) as readonly { type: string; status: string }[];
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
