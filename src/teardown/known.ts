import { checkBucketName } from '../api/bucket-name.ts';
import { parseTofuWorkspace, type TofuWorkspace } from '../api/tofu-workspace.ts';
import { readOutputMap, type ObservedWorkspace } from '../cluster/workspace.ts';
import { keepFault, quoteShort } from '../errors.ts';
import {
  deriveBucketMemory,
  readWorkspaceMemory,
  type BucketMemory,
  type WorkspaceMemory,
} from '../intent/bucket-memory.ts';
import { OUTPUT } from '../intent/names.ts';
import { byCodeUnit } from '../kube.ts';
import type { TeardownObjects } from './objects.ts';

/** What the TofuWorkspace and the Workspace say; a fault is kept as its words, for the check that it fails. */
export interface Known {
  readonly xr: TofuWorkspace | undefined;
  readonly memory: WorkspaceMemory | undefined;
  readonly known: BucketMemory | undefined;
  /** Output `buckets`: name → id. */
  readonly outputs: ReadonlyMap<string, string> | undefined;
  /** Output `records`, the names. */
  readonly records: readonly string[];
  readonly faults: readonly string[];
}

export function readKnown({ xr: object, workspace }: TeardownObjects): Known {
  const faults: string[] = [];
  const xr = keepFault(faults, () => object && parseTofuWorkspace(object));
  const read = readOutputs(faults, workspace);
  const names = [...(read.outputs?.keys() ?? []), ...(read.memory?.annotated?.keys() ?? [])];
  faults.push(
    ...names
      .filter(name => checkBucketName(name) !== undefined)
      .map(name => `${quoteShort(name)} in outputs or annotation: no name of a bucket`),
  );
  return { ...read, xr, known: xr && deriveBucketMemory(xr, read.memory), faults: [...new Set(faults)] };
}

function readOutputs(
  faults: string[],
  workspace: ObservedWorkspace | undefined,
): Pick<Known, 'memory' | 'outputs' | 'records'> {
  const memory = keepFault(faults, () => workspace && readWorkspaceMemory(workspace));
  const outputs = keepFault(faults, () => workspace && readOutputMap(workspace.object, OUTPUT.buckets));
  const records = keepFault(faults, () => workspace && readOutputMap(workspace.object, OUTPUT.records));
  return { memory, outputs, records: [...(records?.keys() ?? [])].sort(byCodeUnit) };
}
