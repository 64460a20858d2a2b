/**
 * Guards of what exists: the state that an observed Workspace and ProviderConfig use must be the one
 * that we are about to name, and what an older module holds must be carried over. Each fault here is
 * one that OpenTofu would not report: it would start an empty state, or destroy.
 */
import type { TofuWorkspace } from '../api/tofu-workspace.ts';
import { parseResourceAddress } from '../api/resource-address.ts';
import type { BucketClaim, BucketMove, ConfiguredState } from '../cluster/module-text.ts';
import { DoubtError, quoteShort } from '../errors.ts';
import { byCodeUnit } from '../kube.ts';
import { bucketKey } from './bucket-memory.ts';
import type { StateBackend, StateEncryption } from './intent.ts';
import { deriveStateAddress } from './state-address.ts';

/** What the observed objects say about the state. */
export interface ObservedState {
  /** Of the ProviderConfig; undefined where none is observed. */
  readonly configured: ConfiguredState | undefined;
  /** OpenTofu workspace of the Workspace; undefined where none is observed. */
  readonly workspace: string | undefined;
  /** The address that the Workspace was composed with; undefined where it does not say. */
  readonly annotated: string | undefined;
  /** `<kind> <name>` of another configuration that the Workspace uses instead; undefined where it uses ours. */
  readonly elsewhere: string | undefined;
}

/**
 * Refuses a state address that differs from the observed one (hazard 6).
 * @throws DoubtError until `spec.stateMigratedTo` repeats the new address
 */
export function refuseChangedState(
  xr: TofuWorkspace,
  wanted: { readonly state: StateBackend; readonly encryption: StateEncryption },
  observed: ObservedState,
): void {
  const address = deriveStateAddress(wanted.state);
  if (xr.spec.stateMigratedTo === address) return;
  const until = `refused until the state was moved by hand and spec.stateMigratedTo is ${address}`;
  const before = deriveObservedAddress(wanted.state, observed);
  if (before !== undefined && before !== address)
    throw new DoubtError(
      'StateAddressChanged',
      `the state would move from ${before} to ${address}, where OpenTofu would start an empty one: ${until}`,
    );
  const label = wanted.encryption.keyProviderName;
  const labels = observed.configured?.keyProviders ?? [];
  if (labels.length > 0 && !labels.includes(label))
    throw new DoubtError(
      'KeyProviderRenamed',
      `the key provider would be renamed from ${labels.join(', ')} to ${label}, which makes the state unreadable: ${until}`,
    );
}

/**
 * undefined where nothing is observed that has a state. An older Composition's Workspace does not say where its
 * state is; without its ProviderConfig nobody does, and to suppose that it is where we want it would be a guess.
 */
function deriveObservedAddress(
  state: StateBackend,
  { configured, workspace, annotated, elsewhere }: ObservedState,
): string | undefined {
  if (elsewhere !== undefined) return annotated ?? `the place that ${elsewhere} names`;
  if (configured !== undefined)
    return configured.backend === undefined
      ? 'a configuration without backend "s3"'
      : deriveStateAddress({ ...configured.backend, workspace: workspace ?? state.workspace });
  if (annotated !== undefined) return annotated;
  return workspace === undefined ? undefined : 'a place that nothing names any more, the ProviderConfig being gone,';
}

/**
 * Refuses a provider source that differs from the one the state was written with.
 * @throws DoubtError until `spec.stateMigratedTo` repeats the state's address
 */
export function refuseChangedSources(
  xr: TofuWorkspace,
  state: StateBackend,
  sources: { readonly wanted: ReadonlyMap<string, string>; readonly observed: ReadonlyMap<string, string> },
): void {
  const address = deriveStateAddress(state);
  if (xr.spec.stateMigratedTo === address) return;
  for (const [provider, source] of sources.wanted) {
    const before = sources.observed.get(provider);
    if (before === undefined || canonicalSource(before) === canonicalSource(source)) continue;
    throw new DoubtError(
      'ProviderSourceChanged',
      `providers.${provider}.source would change from ${before} to ${source}, and the state names the former: ` +
        `refused until "tofu state replace-provider" was run and spec.stateMigratedTo is ${address}`,
    );
  }
}

/** OpenTofu's reading: the default host may be left out, case does not matter. */
function canonicalSource(source: string): string {
  const parts = source.toLowerCase().split('/');
  return parts.length === 2 ? ['registry.opentofu.org', ...parts].join('/') : parts.join('/');
}

/**
 * Refuses to replace a module that was not written by us while it holds buckets that nothing carries
 * over: their blocks would go, and OpenTofu destroys what has no block, protected or not (hazard 2).
 *
 * @throws DoubtError naming what `spec.movedFrom` must cover
 */
export function refuseUncoveredBuckets(xr: TofuWorkspace, claims: readonly BucketClaim[]): void {
  claims.forEach(claim => {
    refuseWrongBucket(xr, claim);
  });
  const uncovered = claims.filter(claim => !isCovered(claim, xr.spec.movedFrom));
  if (uncovered.length === 0) return;
  const names = uncovered.map(nameClaim).sort(byCodeUnit).join(', ');
  throw new DoubtError(
    'ForeignModule',
    `the module of Workspace ${xr.namespace}/${xr.name} was not written by this function and holds ${names}: ` +
      'name each address and its bucket in spec.movedFrom, so that nothing is destroyed',
  );
}

/** `bucket_name` forces replacement: a move to another name, or another spelling, would replace the bucket. */
function refuseWrongBucket(xr: TofuWorkspace, claim: BucketClaim): void {
  if (claim.kind !== 'resource' || claim.bucket === undefined) return;
  const move = xr.spec.movedFrom.find(candidate => isCovered(claim, [candidate]));
  if (move === undefined || move.bucket === claim.bucket) return;
  throw new DoubtError(
    'ForeignModule',
    `spec.movedFrom moves b2_bucket.${claim.name} to bucket ${quoteShort(move.bucket)}, ` +
      `and its bucket_name is ${quoteShort(claim.bucket)}: OpenTofu would replace the bucket`,
  );
}

/**
 * Refuses to drop a move that OpenTofu has not applied: the bucket is still in state under its old address,
 * where no block is left for it, and what has no block is destroyed, protected or not (hazard 2). Another
 * bucket for the address is a correction, but without protection OpenTofu would replace the bucket.
 *
 * @param pending moves in the observed module of ours, as long as it is not applied
 * @throws DoubtError until `spec.movedFrom` lists each again
 */
export function refuseDroppedMoves(xr: TofuWorkspace, pending: readonly BucketMove[]): void {
  const listed = new Map(xr.spec.movedFrom.map(({ address, bucket }) => [JSON.stringify(address), bucketKey(bucket)]));
  const dropped = pending.filter(({ from, key }) => {
    const now = listed.get(JSON.stringify(parseResourceAddress(from)?.steps));
    return now === undefined || (now !== key && !xr.spec.retainBuckets);
  });
  if (dropped.length === 0) return;
  throw new DoubtError(
    'MoveNotApplied',
    `spec.movedFrom no longer says ${dropped.map(({ from, key }) => `that ${from} is bucket ${key}`).join(', ')}, and ` +
      'OpenTofu has not applied that move yet, so it would destroy the bucket: put it back until the Workspace is Synced' +
      (xr.spec.retainBuckets ? '' : ' (to give an address another bucket, set spec.retainBuckets to true before)'),
  );
}

/**
 * Whether `spec.movedFrom` takes over everything a claim stands for. A module call and a module that is
 * not inline can't be looked into: an entry for a bucket in it is a human's word that all are listed.
 */
function isCovered(claim: BucketClaim, moves: TofuWorkspace['spec']['movedFrom']): boolean {
  return moves.some(({ address, resource }) => {
    if (resource !== 'b2_bucket') return false;
    const [first, second] = address.map(step => (step.kind === 'name' ? step.name : undefined));
    switch (claim.kind) {
      case 'resource':
        return !claim.repeated && address.length === 2 && first === 'b2_bucket' && second === claim.name;
      case 'module':
        return first === 'module' && second === claim.name;
      case 'opaque':
        return true;
      case 'incomplete':
        return false;
    }
  });
}

function nameClaim(claim: BucketClaim): string {
  switch (claim.kind) {
    case 'resource':
      return claim.repeated
        ? `b2_bucket.${claim.name} (with for_each or count: give each bucket a block of its own in the old module first)`
        : `b2_bucket.${claim.name}`;
    case 'module':
      return `module.${claim.name}`;
    case 'opaque':
      return `what can't be seen (${claim.why})`;
    case 'incomplete':
      return "what can't be seen (its text can't be read whole: mend it first)";
  }
}
