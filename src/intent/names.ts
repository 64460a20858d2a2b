/**
 * Names that outlive a release. Each is API: state, Kubernetes objects or users refer to it, so a
 * change of any value here needs a migration (invariant 7). The golden list in names.test.ts guards them.
 */

/** The one name a TofuWorkspace may have: two in one namespace would claim the same buckets in two states. */
export const WORKSPACE_NAME = 'workspace';

/** Layout version of the module: raised together with the `moved` blocks that carry state over. */
export const MODULE_LAYOUT = 1;

/** Sensitive OpenTofu variables; the Workspace feeds them as TF_VAR_<name> from Secrets. */
export const PASSPHRASE_VARIABLE = 'state_passphrase';
export const PREVIOUS_PASSPHRASE_VARIABLE = 'state_passphrase_previous';

/** Label of the aes_gcm method in use. */
export const ENCRYPTION_METHOD = 'current';

/** Name under which a rotation keeps its salt in the state (`encrypted_metadata_alias`). */
export const ROTATED_SALT = 'rotated';

/** Resource names in the module: `b2_bucket.backup["<key>"]` and so on. */
export const RESOURCE = {
  bucket: 'backup',
  applicationKey: 'backup',
  guard: 'guard',
  dnsZone: 'zone',
  dnsRecord: 'internal',
  releasedBucketPrefix: 'released_',
} as const;

/** Local names of providers that the module may require by itself, and of the one that is built in. */
export const OWN_PROVIDERS: readonly string[] = ['b2', 'netbird', 'terraform'];

/**
 * The line behind which a module holds text of the Input. What reads a module of ours reads no further: behind it stands
 * whatever somebody wrote, comments that look like blocks of ours included.
 */
export const EXTRA_MARKER = '# Extra modules of the Input: text of its author, not of function-tofu-workspace';

/** Output names. `buckets` and `records` are what the function remembers from. */
export const OUTPUT = {
  /** name → bucket id */
  buckets: 'buckets',
  /** name → content */
  records: 'records',
  /** key → application key id, sensitive */
  applicationKeyIds: 'application_key_ids',
  /** key → application key, sensitive */
  applicationKeys: 'application_keys',
  /** Only during a release: name of each bucket that this module forgets → the release it belongs to. */
  releases: 'releases',
  /** Only while the state is to be written anew: it makes the plan differ, so that the provider applies. */
  stateRewrite: 'state_rewrite',
} as const;
