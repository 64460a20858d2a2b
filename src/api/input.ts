/**
 * Room api: parse what users give us, the step's Input and the XR, into exact types with defaults.
 * In: unknown values. Out: Input, TofuWorkspace, or a DocumentError that lists every fault.
 * May import: errors, kube, template, zod; of intent only names and the type of an address step.
 * Must never: guess, repair or drop a value in doubt, nor state a rule twice: one schema is the type,
 * the check and the CRD; what a CRD can't say is a refinement beside the field.
 */
import { z } from 'zod';
import { describeValue, DocumentError, FieldError, isFieldError } from '../errors.ts';
import { parseExtraTemplate } from '../extra-module/parse-template.ts';
import { tryExtraTemplate } from '../extra-module/print-texts.ts';
import { OWN_PROVIDERS } from '../intent/names.ts';
import { isRecord, readPath } from '../kube.ts';
import { mentions, parseTemplate, renderTemplate, type Template } from '../template.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { DURATION, parseDuration } from './duration.ts';
import { HOST_NAME } from './host-name.ts';
import { checkKeyName } from './key-name.ts';
import { checkSecretName, LABEL_KEY, LABEL_VALUE, SECRET_KEY, SECRET_NAME } from './kubernetes-names.ts';
import { parseDocument } from './parse-document.ts';
import { stateBucketSchema } from './state-bucket.ts';
import { textSchema } from './text-rule.ts';
import { repeatedAt } from './unique.ts';

export const INPUT_API_VERSION = 'tofuworkspace.fn.kueber.eu/v1beta1';
export const INPUT_KIND = 'Input';

/** Names that the Input's templates may use. */
export const TEMPLATE_NAMES = ['namespace', 'bucket'] as const;

/**
 * What a key restricted to one bucket may be given. Left out on purpose: what reaches beyond the
 * bucket (listKeys, writeKeys, deleteKeys, writeBuckets, deleteBuckets; writeKeys amounts to the whole
 * account), what changes the bucket that OpenTofu owns, and bypassGovernance (field report 10).
 */
export const KEY_CAPABILITIES = [
  'listAllBucketNames',
  'listBuckets',
  'readBuckets',
  'readBucketEncryption',
  'readBucketRetentions',
  'listFiles',
  'readFiles',
  'shareFiles',
  'writeFiles',
  'deleteFiles',
  'readFileLegalHolds',
  'writeFileLegalHolds',
  'readFileRetentions',
  'writeFileRetentions',
] as const;

const MAX_TTL_SECONDS = 24 * 3600;
const DURATION_EXPECTED = `${DURATION.expected}, at most 24h`;

const labels = z.record(textSchema(LABEL_KEY), textSchema(LABEL_VALUE));
const secretName = textSchema(SECRET_NAME);
const secretKey = textSchema(SECRET_KEY);
const hostName = textSchema(HOST_NAME);

/** A list in which nothing may stand twice: `set` to the API server. */
function distinctList<T extends z.ZodType<string>>(item: T, maximum: number) {
  return z
    .array(item)
    .min(1, { error: 'a list of at least one' })
    .max(maximum)
    .superRefine((list, context) => {
      for (const index of repeatedAt(list))
        context.addIssue({ code: 'custom', path: [index], message: 'a member that is not in the list yet' });
    })
    .meta({ 'x-kubernetes-list-type': 'set' });
}

/**
 * A template, and what its result must be. Its text is tried with the shortest names here: characters
 * that no value could make right are a fault of the Input; length depends on the values and is checked on each result.
 */
function templateText(field: string, check: (result: string) => string | undefined, needed: 'bucket' | undefined) {
  const fault = (template: Template<(typeof TEMPLATE_NAMES)[number]>, text: string) => {
    if (needed !== undefined && !mentions(template, needed))
      return { expected: `a template that uses {{${needed}}}, so that no two share one result`, found: undefined };
    const result = renderTemplate(template, { namespace: 'n', bucket: 'b' });
    const expected = check(result);
    return expected === undefined
      ? undefined
      : { expected: `a template whose result is ${expected}`, found: `string ${JSON.stringify(text)}` };
  };
  return z
    .string()
    .min(1, { error: 'a template' })
    .max(253)
    .superRefine((text, context) => {
      try {
        const found = fault(parseTemplate(text, TEMPLATE_NAMES, field), text);
        if (found !== undefined)
          context.addIssue({ code: 'custom', message: found.expected, params: { found: found.found } });
      } catch (error) {
        addFault(context, [], error);
      }
    });
}

/** Passes a fault on that was found beyond the schema. */
function addFault(context: z.core.$RefinementCtx, path: readonly (string | number)[], error: unknown): void {
  if (!isFieldError(error)) throw error;
  const found = error.message.slice(`${error.path}: expected ${error.expected}, got `.length);
  context.addIssue({ code: 'custom', path: [...path], message: error.expected, params: { found } });
}

const providerSource = textSchema({
  expected: 'a provider source, "namespace/type" or "host/namespace/type"',
  pattern:
    /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?\/)?[A-Za-z0-9]([-_A-Za-z0-9]*[A-Za-z0-9])?\/[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  maxLength: 253,
});
const SOURCE_WORDS = 'Source address, namespace/type or host/namespace/type.';

const providerVersion = textSchema({
  expected: 'an exact version such as "1.2.3"',
  pattern: /^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z]+([.-][0-9A-Za-z]+)*)?$/,
  maxLength: 64,
});
const VERSION_WORDS = 'Exact version; ranges are refused, so that no apply changes the provider by itself.';

function provider(source: string, version: string, what: string) {
  return z
    .strictObject({
      source: providerSource.default(source).describe(SOURCE_WORDS),
      version: providerVersion.default(version).describe(VERSION_WORDS),
    })
    .prefault({})
    .describe(what);
}

/** Faults for names that repeat an earlier one. */
function refuseRepeatedNames(list: readonly { readonly name: string }[], context: z.core.$RefinementCtx): void {
  for (const index of repeatedAt(list.map(({ name }) => name)))
    context.addIssue({ code: 'custom', path: [index, 'name'], message: 'a name that is not in the list yet' });
}

const NAMED_LIST = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };

const providers = z
  .strictObject({
    b2: provider('Backblaze/b2', '0.13.0', 'Provider of buckets and application keys.'),
    netbird: provider('netbirdio/netbird', '0.0.10', 'Provider of DNS records.'),
    extra: z
      .array(
        z
          .strictObject({
            name: textSchema({
              expected: 'a local name of a provider (lower-case letters, digits and "-")',
              pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
              maxLength: 63,
            })
              .refine(name => !OWN_PROVIDERS.includes(name), {
                error: `a name other than ${OWN_PROVIDERS.join(', ')}, which are the function's own`,
              })
              .describe('Local name, the part of resource types before the first "_".'),
            source: providerSource.describe(SOURCE_WORDS),
            version: providerVersion.describe(VERSION_WORDS),
          })
          .describe('A provider.'),
      )
      .max(16)
      .superRefine(refuseRepeatedNames)
      .meta(NAMED_LIST)
      .default([])
      .describe('Further providers, for extraModules. They find what the environment of the Workspace holds, no more.'),
  })
  .prefault({})
  .describe('OpenTofu providers of the module, pinned.');

const extraModules = z
  .array(
    z
      .strictObject({
        name: textSchema({
          expected: 'a name of lower-case letters, digits and "-"',
          pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
          maxLength: 63,
        }).describe('Name, for messages and for the comment above the text.'),
        template: z
          .string()
          .min(1, { error: 'a template' })
          .max(32768)
          .superRefine((text, context) => {
            try {
              parseExtraTemplate(text, 'template');
            } catch (error) {
              addFault(context, [], error);
            }
          })
          .describe('Handlebars template of HCL. Every name of its blocks starts with extra_.'),
      })
      .describe('A text.'),
  )
  .max(16)
  .superRefine(refuseRepeatedNames)
  .meta(NAMED_LIST)
  .default([])
  .describe("Text that is appended to every module: what the function's own blocks do not cover.");

/** Tries the templates with a sample of the data; what only a namespace's own data brings to light is refused there. */
function tryExtraModules(
  input: {
    readonly dns?: unknown;
    readonly extraModules: readonly { readonly template: string }[];
    readonly providers: { readonly extra: readonly { readonly name: string }[] };
  },
  context: z.core.$RefinementCtx,
): void {
  const names = { dns: input.dns !== undefined, extra: input.providers.extra.map(({ name }) => name) };
  for (const [index, { template }] of input.extraModules.entries())
    try {
      tryExtraTemplate(template, names);
    } catch (error) {
      addFault(context, ['extraModules', index, 'template'], error);
    }
}

const state = z
  .strictObject({
    bucket: stateBucketSchema()
      .default('crossplane-talos-workspaces-995867de')
      .describe('Bucket of the state store for every TofuWorkspace that names none in spec.stateBucket.'),
    endpoint: textSchema({
      expected: 'an http or https URL of a host and an optional port, without path, query or credentials',
      pattern: /^https?:\/\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?$/,
      maxLength: 253,
    })
      .refine(url => URL.canParse(url), { error: 'a URL with a valid port' })
      .default('https://fsn1.your-objectstorage.com')
      .describe('URL of the S3 API of the state store.'),
    region: textSchema({
      expected: 'a region name (letters, digits, "-" or "_")',
      pattern: /^[A-Za-z0-9]([-_A-Za-z0-9]*[A-Za-z0-9])?$/,
      maxLength: 63,
    })
      .default('fsn1')
      .describe('Region of the state store.'),
    key: textSchema({
      expected: 'an object key without leading "/" and without empty, "." or ".." segments',
      pattern: /^\.{0,2}[-_A-Za-z0-9][-_.A-Za-z0-9]*(\/\.{0,2}[-_A-Za-z0-9][-_.A-Za-z0-9]*)*$/,
      maxLength: 512,
    })
      .default('terraform.tfstate')
      .describe('Object key of the state, used literally; the namespace is the workspace_key_prefix.'),
    lockfile: z
      .boolean()
      .default(false)
      .describe('Lock state with conditional writes. Only for stores that honour If-None-Match.'),
    credentialsSecretRef: z
      .strictObject({
        name: secretName.default('tofu-workspace-s3-credentials').describe('Name of the Secret.'),
        accessKeyIdKey: secretKey.default('AWS_ACCESS_KEY_ID').describe('Key that holds the access key id.'),
        secretAccessKeyKey: secretKey
          .default('AWS_SECRET_ACCESS_KEY')
          .describe('Key that holds the secret access key.'),
      })
      .prefault({})
      .describe("Secret in the TofuWorkspace's namespace with the state store's credentials."),
    encryption: z
      .strictObject({
        secretRef: z
          .strictObject({
            name: secretName.default('tofu-encryption').describe('Name of the Secret.'),
            key: secretKey.default('passphrase').describe('Key that holds the passphrase.'),
          })
          .prefault({})
          .describe("Secret in the TofuWorkspace's namespace with the passphrase of state and plans."),
        previousSecretRef: z
          .strictObject({
            name: secretName.describe('Name of the Secret.'),
            key: secretKey.describe('Key that holds the previous passphrase.'),
          })
          .optional()
          .describe('The passphrase before, while rotating: state written with it stays readable.'),
        keyProviderName: textSchema({
          expected: 'an HCL identifier (letters, digits, "_" or "-", starting with a letter or "_")',
          pattern: /^[A-Za-z_][-A-Za-z0-9_]*$/,
          maxLength: 64,
        })
          .default('passphrase')
          .describe('Label of the pbkdf2 key provider. Another label makes existing state unreadable.'),
        adoptUnencrypted: z
          .boolean()
          .default(false)
          .describe('Also read state that is not encrypted yet. Off again once every state has been written.'),
      })
      .refine(
        ({ secretRef, previousSecretRef: previous }) =>
          previous === undefined || previous.name !== secretRef.name || previous.key !== secretRef.key,
        { error: 'a reference other than secretRef', path: ['previousSecretRef'] },
      )
      .prefault({})
      .describe('Encryption of state and plans.'),
  })
  .prefault({})
  .describe('Where OpenTofu keeps state. A change of the address is another, empty state.');

const backup = z
  .strictObject({
    endpoints: distinctList(hostName, 16)
      .default(['backblazeb2.com'])
      .describe('Hosts, or parent domains, of S3 endpoints that count as Backblaze B2.'),
    credentialsSecretRef: z
      .strictObject({
        name: secretName.default('tofu-workspace-b2-credentials').describe('Name of the Secret.'),
        applicationKeyIdKey: secretKey
          .default('B2_APPLICATION_KEY_ID')
          .describe('Key that holds the application key id.'),
        applicationKeyKey: secretKey.default('B2_APPLICATION_KEY').describe('Key that holds the application key.'),
      })
      .prefault({})
      .describe("Secret in the TofuWorkspace's namespace with the B2 credentials that OpenTofu uses."),
    keyName: templateText('backup.keyName', checkKeyName, undefined)
      .default('{{namespace}}-{{bucket}}')
      .describe('Handlebars template of the names of application keys. A change rotates every key at once.'),
    keyCapabilities: distinctList(z.enum(KEY_CAPABILITIES), KEY_CAPABILITIES.length)
      .default(['listAllBucketNames', 'listBuckets', 'listFiles', 'readFiles', 'writeFiles', 'deleteFiles'])
      .describe('Capabilities of application keys. A change rotates every key at once.'),
    lifecycle: z
      .strictObject({
        daysFromHidingToDeleting: z
          .int({ error: 'a whole number of days, at least 1' })
          .min(1, { error: 'a whole number of days, at least 1' })
          .max(36500, { error: 'a whole number of days, at most 36500' })
          .default(30)
          .describe('Days that hidden versions stay before B2 deletes them.'),
      })
      .prefault({})
      .describe('Lifecycle rule that a bucket gets when it is created; existing buckets keep theirs.'),
    schedulesSecret: z
      .strictObject({
        name: templateText('backup.schedulesSecret.name', checkSecretName, 'bucket')
          .default('{{bucket}}-b2')
          .describe('Handlebars template of the name. Must use the bucket.'),
        accessKeyIdKey: secretKey.default('ACCESS_KEY_ID').describe('Key that will hold the application key id.'),
        secretAccessKeyKey: secretKey.default('SECRET_ACCESS_KEY').describe('Key that will hold the application key.'),
      })
      .refine(secret => secret.accessKeyIdKey !== secret.secretAccessKeyKey, {
        error: 'a key other than accessKeyIdKey',
        path: ['secretAccessKeyKey'],
      })
      .prefault({})
      .describe('Secret that is composed for each bucket, for Schedules to read.'),
  })
  .prefault({})
  .describe('Backup buckets at Backblaze B2 and their application keys.');

const RECORD_CONTENT = {
  A: { schema: z.ipv4(), expected: 'an IPv4 address, because the type is A' },
  AAAA: { schema: z.ipv6(), expected: 'an IPv6 address, because the type is AAAA' },
  CNAME: { schema: hostName, expected: `${HOST_NAME.expected}, because the type is CNAME` },
} as const;

const dns = z
  .strictObject({
    zones: distinctList(hostName, 32)
      .default(['int.kueber.eu'])
      .describe('Zones of NetBird in which hostnames of routes get a record. They must exist.'),
    record: z
      .strictObject({
        type: z.enum(['A', 'AAAA', 'CNAME']).default('A').describe('Type of every record.'),
        content: z
          .string()
          .min(1)
          .max(253)
          .default('100.64.0.10')
          .describe('Where every record points to: an address or a name, as the type demands.'),
        ttl: z
          .int({ error: 'a whole number of seconds from 60 to 86400' })
          .min(60, { error: 'a whole number of seconds from 60 to 86400' })
          .max(86400, { error: 'a whole number of seconds from 60 to 86400' })
          .default(300)
          .describe('Time to live of every record, in seconds.'),
      })
      .superRefine((record, context) => {
        const { schema, expected } = RECORD_CONTENT[record.type];
        if (!schema.safeParse(record.content).success)
          context.addIssue({
            code: 'custom',
            path: ['content'],
            message: expected,
            // The content may be the default, which the document doesn't hold.
            params: { found: describeValue(record.content) },
          });
      })
      .prefault({})
      .describe('The record that each hostname gets.'),
    tokenSecretRef: z
      .strictObject({
        name: secretName.default('tofu-workspace-netbird-credentials').describe('Name of the Secret.'),
        key: secretKey.default('NB_PAT').describe('Key that holds the access token.'),
      })
      .prefault({})
      .describe("Secret in the TofuWorkspace's namespace with the token for NetBird."),
    managementUrl: textSchema({
      expected: 'an https URL without query or credentials',
      pattern: /^https:\/\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?(\/[-A-Za-z0-9._~]+)*\/?$/,
      maxLength: 253,
    })
      .refine(url => URL.canParse(url), { error: 'a URL with a valid port' })
      .optional()
      .describe("URL of a self-hosted management server; NetBird's own where absent."),
  })
  .optional()
  .describe('Internal DNS records at NetBird for labelled routes. Absent: off.');

/** The only source of the Input's type, its check and its CRD. */
export const inputSchema = z
  .strictObject({
    apiVersion: z.literal(INPUT_API_VERSION).describe('Version of this schema.'),
    kind: z.literal(INPUT_KIND).describe('Always Input.'),
    metadata: z.record(z.string(), z.unknown()).optional().describe('Ignored.'),
    selector: z
      .strictObject({
        matchLabels: labels
          .refine(map => Object.keys(map).length > 0, {
            error: 'at least one label, because an empty selector matches everything',
          })
          .meta({ minProperties: 1 })
          .default({ 'crossplane-workspace': 'true' })
          .describe('Labels that a Schedule or HTTPRoute must all carry. At least one.'),
      })
      .prefault({})
      .describe("Which Schedules and HTTPRoutes of the TofuWorkspace's namespace count."),
    namespaceLabels: labels
      .default({ 'secrets.tofu-workspace': 'true' })
      .describe("Labels that the TofuWorkspace's Namespace must carry for its Secrets to be delivered."),
    ttl: textSchema({ ...DURATION, expected: DURATION_EXPECTED })
      .refine(text => !DURATION.pattern.test(text) || parseDuration(text) <= MAX_TTL_SECONDS, {
        error: DURATION_EXPECTED,
      })
      .default('5m')
      .describe('How long an answer holds while nothing changes, as whole hours, minutes and seconds; at most 24h.'),
    state,
    backup,
    dns,
    providers,
    extraModules,
  })
  .superRefine(tryExtraModules)
  .describe('Input of the function: what holds for every TofuWorkspace. Secrets are named, never held.');

export type Input = DeepReadonly<z.output<typeof inputSchema>>;

/**
 * Parses the step's Input; undefined, a step without Input, means every default.
 * @throws DocumentError that lists every fault
 */
export function parseInput(value: unknown): Input {
  const given = value === undefined ? { apiVersion: INPUT_API_VERSION, kind: INPUT_KIND } : value;
  const text = printSorted(given);
  const known = PARSED.get(text);
  if (known !== undefined) return known;
  const parsed = freeze(parseDocument(inputSchema, refuseProtoLabels(given), INPUT_KIND));
  if (text.length <= MAX_PARSED_LENGTH && PARSED.size < MAX_PARSED) PARSED.set(text, parsed);
  return parsed;
}

/**
 * Inputs that were valid, by their text. A cluster has one for each step of a Composition, the same for every
 * namespace, and to parse it took a tenth of a small call. Nothing of a tenant is in it.
 */
const PARSED = new Map<string, Input>();
const MAX_PARSED = 64;
const MAX_PARSED_LENGTH = 16_384;

/** One text for each value, whatever the order of its keys: core sends maps in random order. */
function printSorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printSorted).join()}]`;
  if (isRecord(value)) {
    const keys = Object.keys(value).sort();
    return `{${keys.map(key => `${JSON.stringify(key)}:${printSorted(value[key])}`).join()}}`;
  }
  // JSON has no NaN and would say null.
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

/** Zod leaves a key `__proto__` out of a record without a word; a selector with one label less matches more. */
function refuseProtoLabels(value: unknown): unknown {
  const maps = [['selector', 'matchLabels'], ['namespaceLabels']];
  const faults = maps
    .filter(path => isRecord(readPath(value, ...path)) && readPath(value, ...path, '__proto__') !== undefined)
    .map(path => new FieldError(path.join('.'), LABEL_KEY.expected, { value: '__proto__' }));
  if (faults.length > 0) throw new DocumentError(INPUT_KIND, faults);
  return value;
}
