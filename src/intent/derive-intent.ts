import type { Input } from '../api/input.ts';
import type { TofuWorkspace } from '../api/tofu-workspace.ts';
import type { AppObjects } from '../cluster/app-objects.ts';
import type { Existing } from '../cluster/existing.ts';
import {
  findBucketClaims,
  findBucketMoves,
  readConfiguredState,
  readProviderSources,
  type BucketMove,
} from '../cluster/module-text.ts';
import { readOutputMap, type ObservedWorkspace } from '../cluster/workspace.ts';
import { DoubtError } from '../errors.ts';
import { byCodeUnit, readPath } from '../kube.ts';
import { deriveAdoptions, deriveBuckets, deriveMoves, isB2Schedule } from './backup-bucket.ts';
import { bucketKey, deriveBucketMemory, type BucketMemory } from './bucket-memory.ts';
import { deriveDns } from './dns-record.ts';
import {
  refuseChangedSources,
  refuseChangedState,
  refuseDroppedMoves,
  refuseUncoveredBuckets,
} from './existing-state.ts';
import type { Intent, StateBackend, StateEncryption } from './intent.ts';
import { MODULE_LAYOUT, OUTPUT } from './names.ts';
import { deriveStateBackend } from './state-address.ts';

export interface IntentSources {
  readonly input: Input;
  readonly xr: TofuWorkspace;
  readonly app: AppObjects;
  readonly existing: Existing;
  /** Layout version of the observed module; undefined where it was not written by us, or there is none. */
  readonly layout: number | undefined;
}

export interface DerivedIntent {
  readonly intent: Intent;
  /** false while memory is lost: what is written down then would be taken for all there is. */
  readonly bucketsKnown: boolean;
  /** Names in spec.releaseBuckets that nothing remembers. */
  readonly unknownReleases: readonly string[];
  /** Names in spec.releaseBuckets that wait until OpenTofu has moved them from an older module. */
  readonly delayedReleases: readonly string[];
}

/**
 * Derives what the namespace wants from what it says now and what is remembered.
 * @throws DoubtError | FieldError where going on could lose a bucket, a Secret or the state
 */
export function deriveIntent(sources: IntentSources): DerivedIntent {
  const { input, xr, app, existing } = sources;
  const state = deriveStateBackend(input, xr);
  const encryption = deriveEncryption(input);
  const outputs = refuseDangerousChange(sources, state, encryption);
  const memory = deriveMemory(xr, sources.layout === undefined ? undefined : existing.workspace, outputs?.buckets);
  const { buckets, delayedReleases, unknownReleases } = deriveBuckets({
    input,
    xr,
    memory,
    schedules: app.schedules.filter(isB2Schedule),
  });
  return {
    bucketsKnown: !memory.lost,
    unknownReleases,
    delayedReleases,
    intent: {
      namespace: xr.namespace,
      name: xr.name,
      state,
      encryption,
      buckets,
      // Until outputs prove what the state holds, nobody knows what an unprotected, shorter list would destroy.
      protectBuckets: xr.spec.retainBuckets || !memory.proven,
      adoptions: deriveAdoptions(xr),
      moves: deriveMoves(xr, buckets),
      keyCapabilities: [...input.backup.keyCapabilities].sort(byCodeUnit),
      daysFromHidingToDeleting: input.backup.lifecycle.daysFromHidingToDeleting,
      dns: deriveDns({
        dns: input.dns,
        routes: app.routes,
        doubt: app.routeFaults.length > 0,
        remembered: [...(outputs?.records()?.keys() ?? []), ...xr.status.records.map(({ name }) => name)],
      }),
      providers: input.providers,
    },
  };
}

function deriveEncryption(input: Input): StateEncryption {
  const { keyProviderName, previousSecretRef, adoptUnencrypted } = input.state.encryption;
  return { keyProviderName, rotating: previousSecretRef !== undefined, adoptUnencrypted };
}

function deriveMemory(
  xr: TofuWorkspace,
  workspace: ObservedWorkspace | undefined,
  outputs: ReadonlyMap<string, string> | undefined,
): BucketMemory {
  return deriveBucketMemory(
    xr,
    workspace && {
      outputs: outputs && new Set(outputs.keys()),
      annotated: workspace.annotated,
      synced: workspace.synced,
    },
  );
}

/**
 * Moves in the observed module that may not be in state yet. A provider that does not say of which generation
 * it speaks leaves Synced True of an older module; what the outputs list was moved for certain.
 */
function findPendingMoves(
  { module, synced, annotated }: ObservedWorkspace,
  outputs: ReadonlyMap<string, string> | undefined,
): readonly BucketMove[] {
  const moves = findBucketMoves(module ?? '');
  if (moves.length === 0) return [];
  const names = (all: Iterable<string> | undefined): ReadonlySet<string> => new Set([...(all ?? [])].map(bucketKey));
  const listed = names(outputs?.keys());
  const releasing = names([...(annotated ?? [])].flatMap(([name, state]) => (state === 'Releasing' ? [name] : [])));
  return moves.filter(({ key }) => !listed.has(key) && !(synced && releasing.has(key)));
}

/** OpenTofu's outputs of a module of ours. */
interface Outputs {
  readonly buckets: ReadonlyMap<string, string> | undefined;
  /** Read only once nothing about buckets refuses. */
  readonly records: () => ReadonlyMap<string, string> | undefined;
}

/** @returns what had to be read for it, and is needed again; undefined where no module of ours is observed */
function refuseDangerousChange(
  { input, xr, existing, layout }: IntentSources,
  state: StateBackend,
  encryption: StateEncryption,
): Outputs | undefined {
  const { workspace, providerConfig } = existing;
  const configuration = readPath(providerConfig, 'spec', 'configuration');
  refuseChangedState(
    xr,
    { state, encryption },
    {
      configured: providerConfig && readConfiguredState(typeof configuration === 'string' ? configuration : ''),
      workspace: workspace?.workspace,
      annotated: workspace?.stateAddress,
    },
  );
  if (workspace === undefined) return undefined;
  if (layout === undefined) refuseUncoveredBuckets(xr, findBucketClaims(workspace.module));
  else if (layout > MODULE_LAYOUT)
    throw new DoubtError(
      'NewerLayout',
      `the module of Workspace ${xr.namespace}/${xr.name} has layout ${layout}, and this version writes ${MODULE_LAYOUT}: ` +
        'use the newer version of the function',
    );
  const buckets = layout === undefined ? undefined : readOutputMap(workspace.object, OUTPUT.buckets);
  if (layout !== undefined) refuseDroppedMoves(xr, findPendingMoves(workspace, buckets));
  refuseChangedSources(xr, state, {
    wanted: new Map(Object.entries(input.providers).map(([name, { source }]) => [name, source])),
    observed: readProviderSources(workspace.module ?? '', layout !== undefined),
  });
  return layout === undefined ? undefined : { buckets, records: () => readOutputMap(workspace.object, OUTPUT.records) };
}
