/** Every row, in the order of what they can cost: state and buckets first. */
import type { Row } from './row.ts';
import { addressDrift } from './rows/address-drift.ts';
import { bucketAlreadyExists } from './rows/bucket-already-exists.ts';
import { bucketInTwoNamespaces } from './rows/bucket-in-two-namespaces.ts';
import { bucketReleasing } from './rows/bucket-releasing.ts';
import { bucketsUnprotected } from './rows/buckets-unprotected.ts';
import { everyWorkspaceFailsInit } from './rows/every-workspace-fails-init.ts';
import { gpuHostNotCommissioned } from './rows/gpu-host-not-commissioned.ts';
import { igpuIdsDiffer } from './rows/igpu-ids-differ.ts';
import { namespaceLabelMissing } from './rows/namespace-label-missing.ts';
import { namespaceTerminating } from './rows/namespace-terminating.ts';
import { nodeImageDiffers } from './rows/node-image-differs.ts';
import { outOfBandChange } from './rows/out-of-band-change.ts';
import { paused } from './rows/paused.ts';
import { providerVersionsDiffer } from './rows/provider-versions-differ.ts';
import { scheduleSecretNotDelivered } from './rows/schedule-secret-not-delivered.ts';
import { secretNotDelivered } from './rows/secret-not-delivered.ts';
import { tofuWorkspaceRefused } from './rows/tofuworkspace-refused.ts';
import { twoTofuWorkspaces } from './rows/two-tofuworkspaces.ts';
import { unlabelledObject } from './rows/unlabelled-object.ts';
import { workspaceFails } from './rows/workspace-fails.ts';

export const ROWS: readonly Row[] = [
  everyWorkspaceFailsInit,
  twoTofuWorkspaces,
  bucketInTwoNamespaces,
  namespaceTerminating,
  bucketsUnprotected,
  bucketReleasing,
  bucketAlreadyExists,
  namespaceLabelMissing,
  secretNotDelivered,
  scheduleSecretNotDelivered,
  unlabelledObject,
  tofuWorkspaceRefused,
  workspaceFails,
  paused,
  addressDrift,
  nodeImageDiffers,
  gpuHostNotCommissioned,
  igpuIdsDiffer,
  providerVersionsDiffer,
  outOfBandChange,
];
