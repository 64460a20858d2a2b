/** Which Workspace has which bucket in its state, as its outputs say. */
import { readOutputMap } from '../cluster/workspace.ts';
import { isDoubtError } from '../errors.ts';
import { OUTPUT } from '../intent/names.ts';
import type { KubeObject } from '../kube.ts';
import { namespaceOf } from './namespaces.ts';

export interface OwnedBucket {
  /** Lower case: B2 compares names so. */
  readonly key: string;
  readonly bucket: string;
  readonly namespace: string;
  readonly workspace: KubeObject;
}

/** Outputs of another shape list nothing: the function refuses them, and says so itself. */
export function findOwnedBuckets(workspaces: readonly KubeObject[]): readonly OwnedBucket[] {
  return workspaces.flatMap(workspace =>
    readNames(workspace).map(bucket => ({
      key: bucket.toLowerCase(),
      bucket,
      namespace: namespaceOf(workspace),
      workspace,
    })),
  );
}

function readNames(workspace: KubeObject): readonly string[] {
  try {
    return [...(readOutputMap(workspace, OUTPUT.buckets)?.keys() ?? [])];
  } catch (error) {
    if (isDoubtError(error)) return [];
    throw error;
  }
}
