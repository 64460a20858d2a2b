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
import { readOutputMap } from '../cluster/workspace.ts';
import { DoubtError } from '../errors.ts';
import { byCodeUnit, readPath } from '../kube.ts';
import { deriveAdoptions, deriveBuckets, deriveMoves, isB2Schedule } from './backup-bucket.ts';
import { bucketKey, deriveBucketMemory, readWorkspaceMemory, type WorkspaceMemory } from './bucket-memory.ts';
import { deriveDns } from './dns-record.ts';
import { deriveExtra } from './extra-module.ts';
import {
  refuseChangedSources,
  refuseChangedState,
  refuseDroppedMoves,
  refuseUncoveredBuckets,
} from './existing-state.ts';
import type { Intent, StateBackend, StateEncryption } from './intent.ts';
import { EXTRA_MARKER, MODULE_LAYOUT, OUTPUT } from './names.ts';
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
  const ours = sources.layout === undefined ? undefined : existing.workspace;
  const workspaceMemory = ours && readWorkspaceMemory(ours);
  refuseDangerousChange(sources, { state, encryption, memory: workspaceMemory });

  const memory = deriveBucketMemory(xr, workspaceMemory);
  const { buckets, delayedReleases, unknownReleases } = deriveBuckets({
    input,
    xr,
    memory,
    schedules: app.schedules.filter(isB2Schedule),
  });
  const dns = deriveDns({
    dns: input.dns,
    routes: app.routes,
    doubt: app.routeFaults.length > 0,
    remembered: [
      ...((ours && readOutputMap(ours.object, OUTPUT.records))?.keys() ?? []),
      ...xr.status.records.map(({ name }) => name),
    ],
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
      release: String(xr.generation ?? 0),
      // Until outputs prove what the state holds, nobody knows what an unprotected, shorter list would destroy.
      protectBuckets: xr.spec.retainBuckets || !memory.proven,
      adoptions: deriveAdoptions(xr),
      moves: deriveMoves(xr, buckets),
      keyCapabilities: [...input.backup.keyCapabilities].sort(byCodeUnit),
      daysFromHidingToDeleting: input.backup.lifecycle.daysFromHidingToDeleting,
      dns,
      providers: { b2: input.providers.b2, netbird: input.providers.netbird },
      extra: deriveExtra({ input, namespace: xr.namespace, app, buckets, records: dns?.records ?? [] }),
    },
  };
}

function deriveEncryption(input: Input): StateEncryption {
  const { keyProviderName, previousSecretRef, adoptUnencrypted } = input.state.encryption;
  return { keyProviderName, rotating: previousSecretRef !== undefined, adoptUnencrypted };
}

/** Moves in the observed module that may not be in state yet: what the outputs list or forgot was moved for certain. */
function findPendingMoves(module: string | undefined, memory: WorkspaceMemory | undefined): readonly BucketMove[] {
  const listed = new Set([...(memory?.outputs ?? [])].map(bucketKey));
  return findBucketMoves(ownText(module ?? '')).filter(
    ({ key }) => !listed.has(key) && memory?.forgotten.has(key) !== true,
  );
}

/** What we wrote of a module of ours. */
function ownText(module: string): string {
  const end = module.indexOf(`\n${EXTRA_MARKER}\n`);
  return end < 0 ? module : module.slice(0, end + 1);
}

function refuseDangerousChange(
  { input, xr, existing, layout }: IntentSources,
  {
    state,
    encryption,
    memory,
  }: { state: StateBackend; encryption: StateEncryption; memory: WorkspaceMemory | undefined },
): void {
  const { workspace, providerConfig } = existing;
  const configuration = readPath(providerConfig, 'spec', 'configuration');
  refuseChangedState(
    xr,
    { state, encryption },
    {
      configured: providerConfig && readConfiguredState(typeof configuration === 'string' ? configuration : ''),
      workspace: workspace?.workspace,
      annotated: workspace?.stateAddress,
      elsewhere: workspace?.configuredBy === `ProviderConfig ${xr.name}` ? undefined : workspace?.configuredBy,
    },
  );
  if (workspace === undefined) return;
  if (layout === undefined) refuseUncoveredBuckets(xr, findBucketClaims(workspace.module));
  else if (layout > MODULE_LAYOUT)
    throw new DoubtError(
      'NewerLayout',
      `the module of Workspace ${xr.namespace}/${xr.name} has layout ${layout}, and this version writes ${MODULE_LAYOUT}: ` +
        'use the newer version of the function',
    );
  else refuseDroppedMoves(xr, findPendingMoves(workspace.module, memory));
  refuseChangedSources(xr, state, {
    wanted: wantedSources(input),
    observed: readProviderSources(workspace.module ?? '', layout !== undefined),
  });
}

/** Field of the Input's providers → source. */
function wantedSources({ providers: { extra, ...own } }: Input): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(own).map(([name, { source }]) => [name, source] as const),
    ...extra.map(({ name, source }) => [name, source] as const),
  ]);
}
