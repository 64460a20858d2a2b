/** What the function did, told by its own log and metrics. */
import { FUNCTION_NAME } from '../../../src/api/function-step.ts';
import { readPath, type KubeObject } from '../../../src/kube.ts';
import { list, raw, type Fields } from './cluster.ts';

export const SYSTEM = 'crossplane-system';
const FUNCTION_LABEL = 'pkg.crossplane.io/function';

export interface Call {
  /** Milliseconds since 1970, of the pod's clock, which is this machine's. */
  readonly time: number;
  readonly namespace: string;
  readonly outcome: string;
}

export async function functionPods(name = FUNCTION_NAME): Promise<KubeObject[]> {
  const pods = await list('v1', 'Pod', SYSTEM);
  return pods.filter(
    pod =>
      readPath(pod, 'metadata', 'labels', FUNCTION_LABEL) === name &&
      readPath(pod, 'metadata', 'deletionTimestamp') === undefined,
  );
}

/** Calls for TofuWorkspaces since a time, in order, from the logs of the pods that run now, or of those that are named. */
export async function callsSince(since: number, namespace?: string, pods?: readonly KubeObject[]): Promise<Call[]> {
  const asked = pods ?? (await functionPods());
  const logs = await Promise.all(asked.map(({ metadata }) => readLog(metadata.name, since)));
  return logs
    .flat()
    .filter(call => call.time >= since && (namespace === undefined || call.namespace === namespace))
    .sort((a, b) => a.time - b.time);
}

/** The first call since a time that had this outcome. */
export async function callWith(outcome: string, since: number, namespace: string): Promise<Call | undefined> {
  return (await callsSince(since, namespace)).find(call => call.outcome === outcome);
}

async function readLog(pod: string, since: number): Promise<Call[]> {
  // Whole seconds only: the rest is cut off by the caller.
  const from = new Date(Math.floor(since / 1000) * 1000).toISOString();
  const text = await raw(`/api/v1/namespaces/${SYSTEM}/pods/${pod}/log?sinceTime=${from}&container=package-runtime`);
  return text.split('\n').flatMap(line => {
    if (!line.startsWith('{')) return [];
    const { msg, time, namespace, outcome } = JSON.parse(line) as Fields;
    if (msg !== 'call') return [];
    return [{ time: new Date(time as string).getTime(), namespace: String(namespace), outcome: String(outcome) }];
  });
}

/** One metric of a pod of the function, by its name with labels as it is printed. */
export async function metric(pod: string, name: string): Promise<number> {
  const text = await raw(`/api/v1/namespaces/${SYSTEM}/pods/${pod}:8081/proxy/metrics`);
  const line = text.split('\n').find(each => each.startsWith(`${name} `));
  if (line === undefined) throw new Error(`${pod} has no metric ${name}`);
  return Number(line.slice(name.length + 1));
}
