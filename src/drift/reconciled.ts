/** What reconciles by itself, and whether it does: conditions of Flux and Crossplane, reasons only. */
import { nameObject, readCondition, readPath, type KubeObject } from '../kube.ts';
import type { Reading } from '../live/snapshot.ts';
import type { DriftRow, Layer, Outcome } from './row.ts';

interface Reconciled {
  readonly layer: Layer;
  readonly apiVersion: string;
  /** All must be True. */
  readonly conditions: readonly string[];
}

export const RECONCILED_KINDS = {
  GitRepository: { layer: 'flux', apiVersion: 'source.toolkit.fluxcd.io/v1', conditions: ['Ready'] },
  Kustomization: { layer: 'flux', apiVersion: 'kustomize.toolkit.fluxcd.io/v1', conditions: ['Ready'] },
  HelmRelease: { layer: 'flux', apiVersion: 'helm.toolkit.fluxcd.io/v2', conditions: ['Ready'] },
  Provider: { layer: 'crossplane', apiVersion: 'pkg.crossplane.io/v1', conditions: ['Installed', 'Healthy'] },
  Function: { layer: 'crossplane', apiVersion: 'pkg.crossplane.io/v1', conditions: ['Installed', 'Healthy'] },
  TofuWorkspace: { layer: 'crossplane', apiVersion: 'platform.kueber.eu/v1alpha1', conditions: ['Synced', 'Ready'] },
  Workspace: { layer: 'crossplane', apiVersion: 'opentofu.m.upbound.io/v1beta1', conditions: ['Synced', 'Ready'] },
} as const satisfies Readonly<Record<string, Reconciled>>;

export type ReconciledKind = keyof typeof RECONCILED_KINDS;

/** One row for a kind where all is well, one for each object where it is not. */
export function readReconciled(kind: ReconciledKind, reading: Reading): readonly DriftRow[] {
  const { layer, conditions } = RECONCILED_KINDS[kind];
  const say = (subject: string, outcome: Outcome): DriftRow => ({ layer, subject, outcome });
  if (reading.kind === 'unreadable') return [say(kind, { kind: 'not checked', detail: reading.reason })];
  const bad = reading.objects.flatMap(object => {
    const outcome = judge(object, conditions);
    return outcome === undefined ? [] : [say(nameObject(object), outcome)];
  });
  if (bad.length > 0) return bad;
  return [say(kind, { kind: 'no drift', detail: `${reading.objects.length}, all ${conditions.join(' and ')}` })];
}

function judge(object: KubeObject, conditions: readonly string[]): Outcome | undefined {
  if (readPath(object, 'spec', 'suspend') === true || object.metadata.annotations?.['crossplane.io/paused'] === 'true')
    return { kind: 'drift', detail: 'suspended or paused: nothing puts a change back' };
  const failed = conditions.flatMap(type => {
    const condition = readCondition(object, type);
    return condition?.status === 'True'
      ? []
      : [`${type} ${condition?.status ?? 'absent'} ${condition?.reason ?? ''}`.trim()];
  });
  return failed.length === 0 ? undefined : { kind: 'failed', detail: failed.join(', ') };
}
