import type { BackupBucket } from '../intent/intent.ts';

/** What becomes of a bucket in each state, as the end of "<state>: …". */
export const BUCKET_FATE = {
  Wanted: 'in the module, with an application key',
  Retained: 'kept, protected, without a key',
  Releasing: 'forgotten by the next apply, not destroyed',
  Released: 'nothing any more: OpenTofu has forgotten it',
} as const satisfies Record<BackupBucket['state'], string>;
