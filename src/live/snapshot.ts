/**
 * Room live: what a cluster holds at one time, read and never written.
 * In: an API server, or documents that kubectl printed. Out: objects by kind, or why a kind could not be read.
 * May import: errors, kube, the Kubernetes client.
 * Must never: write to a cluster, or hand on a value of a Secret.
 */
import { isRecord, readPath, type KubeObject } from '../kube.ts';

/** The kinds that are looked at, each with the apiVersion that it is read at. */
export const LIVE_KINDS = {
  Namespace: 'v1',
  Secret: 'v1',
  Schedule: 'k8up.io/v1',
  HTTPRoute: 'gateway.networking.k8s.io/v1',
  TofuWorkspace: 'platform.kueber.eu/v1alpha1',
  Workspace: 'opentofu.m.upbound.io/v1beta1',
  ProviderConfig: 'opentofu.m.upbound.io/v1beta1',
  ProviderConfigUsage: 'opentofu.m.upbound.io/v1beta1',
  Usage: 'protection.crossplane.io/v1beta1',
  ExternalSecret: 'external-secrets.io/v1',
} as const;

export type LiveKind = keyof typeof LIVE_KINDS;

/** A kind that could not be read is not a kind without objects: whoever looks has to say which of the two it was. */
export type Reading =
  | { readonly kind: 'objects'; readonly objects: readonly KubeObject[] }
  | { readonly kind: 'unreadable'; readonly reason: string };

export type Snapshot = Readonly<Record<LiveKind, Reading>>;

export const LIVE_KIND_NAMES = Object.keys(LIVE_KINDS) as readonly LiveKind[];

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A Secret with the names of its keys and no value; every other object as it is. */
export function withoutSecretValues(object: KubeObject): KubeObject {
  if (object.kind !== 'Secret' || object.apiVersion !== 'v1') return object;
  const data = readPath(object, 'data');
  const { metadata, apiVersion, kind, type } = object;
  // kubectl keeps the whole of what it applied there, values included.
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key !== LAST_APPLIED);
  return {
    apiVersion,
    kind,
    type,
    metadata: { ...metadata, annotations: Object.fromEntries(annotations) },
    data: Object.fromEntries((isRecord(data) ? Object.keys(data) : []).map(key => [key, ''])),
  };
}
