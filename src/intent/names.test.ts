import { expect, it } from 'vitest';
import * as names from './names.ts';

// The golden list: each of these is in somebody's state, cluster or script. A change needs a migration, then a change here.
it('names that outlive a release are what they were', () => {
  expect({ ...names }).toEqual({
    WORKSPACE_NAME: 'workspace',
    EXTRA_MARKER: '# Extra modules of the Input: text of its author, not of function-tofu-workspace',
    OWN_PROVIDERS: ['b2', 'netbird', 'terraform'],
    MODULE_LAYOUT: 1,
    PASSPHRASE_VARIABLE: 'state_passphrase',
    PREVIOUS_PASSPHRASE_VARIABLE: 'state_passphrase_previous',
    ENCRYPTION_METHOD: 'current',
    ROTATED_SALT: 'rotated',
    RESOURCE: {
      bucket: 'backup',
      applicationKey: 'backup',
      guard: 'guard',
      dnsZone: 'zone',
      dnsRecord: 'internal',
      releasedBucketPrefix: 'released_',
    },
    OUTPUT: {
      buckets: 'buckets',
      records: 'records',
      applicationKeyIds: 'application_key_ids',
      applicationKeys: 'application_keys',
      releases: 'releases',
      stateRewrite: 'state_rewrite',
    },
  });
});
