import { z } from 'zod';
import type { AddressStep } from '../intent/intent.ts';
import { WORKSPACE_NAME } from '../intent/names.ts';
import { readPath } from '../kube.ts';
import { BUCKET_NAME } from './bucket-name.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { HOST_NAME } from './host-name.ts';
import { NAMESPACE } from './kubernetes-names.ts';
import { parseDocument } from './parse-document.ts';
import { parseResourceAddress, RESOURCE_ADDRESS } from './resource-address.ts';
import { stateBucketSchema } from './state-bucket.ts';
import { textSchema } from './text-rule.ts';
import { repeatedAt } from './unique.ts';

export const XR_GROUP = 'platform.kueber.eu';
export const XR_VERSION = 'v1alpha1';
export const XR_KIND = 'TofuWorkspace';

/** Why no other name is accepted. */
export const NAME_REASON = 'a second TofuWorkspace in a namespace would claim the same buckets in another state';

/** B2 allows 100 buckets per account by default; the limit also keeps the CEL rules within their cost budget. */
const MAX_BUCKETS = 100;
/** A bucket and a key each. */
const MAX_MOVES = 2 * MAX_BUCKETS;

const bucketName = textSchema(BUCKET_NAME);

function lower(name: string): string {
  return name.toLowerCase();
}

/** Faults for names that repeat an earlier one, compared as B2 does: without case. */
function refuseRepeated(names: readonly string[], context: z.core.$RefinementCtx, ...field: string[]): void {
  for (const index of repeatedAt(names.map(lower)))
    context.addIssue({
      code: 'custom',
      path: [index, ...field],
      message: 'a bucket that is not in the list yet (names are compared without case)',
    });
}

const adoptBuckets = z
  .array(
    z
      .object({
        bucket: bucketName.describe('Name of the bucket.'),
        bucketId: textSchema({
          expected: 'a B2 bucket id (24 hexadecimal digits)',
          pattern: /^[0-9a-f]{24}$/,
          minLength: 24,
          maxLength: 24,
        }).describe('Id of the bucket, 24 hexadecimal digits.'),
      })
      .describe('A bucket to import.'),
  )
  .max(MAX_BUCKETS)
  .superRefine((list, context) => {
    refuseRepeated(
      list.map(({ bucket }) => bucket),
      context,
      'bucket',
    );
    for (const index of repeatedAt(list.map(({ bucketId }) => bucketId)))
      context.addIssue({ code: 'custom', path: [index, 'bucketId'], message: 'an id that is not in the list yet' });
  })
  .meta({
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['bucket'],
    'x-kubernetes-validations': [
      {
        rule: 'self.all(a, self.exists_one(b, b.bucket.lowerAscii() == a.bucket.lowerAscii()))',
        message: 'a bucket is adopted once (names are compared without case)',
      },
      {
        rule: 'self.all(a, self.exists_one(b, b.bucketId == a.bucketId))',
        message: 'a bucket id is adopted once',
      },
    ],
  });

const releaseBuckets = z
  .array(bucketName.describe('Name of a bucket.'))
  .max(MAX_BUCKETS)
  .superRefine((list, context) => {
    refuseRepeated(list, context);
  })
  .meta({
    'x-kubernetes-list-type': 'set',
    'x-kubernetes-validations': [
      {
        rule: 'self.all(a, self.exists_one(b, b.lowerAscii() == a.lowerAscii()))',
        message: 'a bucket is released once (names are compared without case)',
      },
    ],
  });

const movedFrom = z
  .array(
    z
      .object({
        address: textSchema(RESOURCE_ADDRESS).describe(
          'Address in the older module, such as b2_bucket.b0 or b2_application_key.b0.',
        ),
        bucket: bucketName.describe('Name of the bucket that it is, or whose key it is.'),
      })
      .describe('A resource of an older module.'),
  )
  .max(MAX_MOVES)
  .superRefine((list, context) => {
    for (const index of repeatedAt(list.map(({ address }) => address)))
      context.addIssue({
        code: 'custom',
        path: [index, 'address'],
        message: 'an address that is not in the list yet',
      });
    // Two addresses that become one resource: OpenTofu calls that ambiguous and plans nothing at all.
    const targets = list.map(({ address, bucket }) => `${parseResourceAddress(address)?.resource} ${lower(bucket)}`);
    for (const index of repeatedAt(targets))
      context.addIssue({
        code: 'custom',
        path: [index, 'bucket'],
        message: 'a bucket that no other address of this resource type becomes',
      });
  })
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['address'] });

/** The only source of the XR's spec: type, check and XRD. Unknown fields are ignored, as the API server prunes them. */
export const specSchema = z
  .object({
    stateBucket: stateBucketSchema()
      .optional()
      .describe("Bucket of the state store; the Input's where absent. Fixed once set, unless stateMigratedTo is."),
    retainBuckets: z
      .boolean()
      .default(true)
      .describe(
        'Refuse every destroy of a bucket. Off: deletion of this TofuWorkspace may destroy them; the loss of a Schedule never does.',
      ),
    adoptBuckets: adoptBuckets
      .default([])
      .describe('Buckets that exist at B2 and are imported. Not together with retainBuckets false.'),
    releaseBuckets: releaseBuckets
      .default([])
      .describe('Buckets that no Schedule wants any more and that OpenTofu forgets without destroying them.'),
    movedFrom: movedFrom
      .default([])
      .describe('Resources of an older module in the same state, so that they are taken over and not replaced.'),
    stateMigratedTo: textSchema({
      expected: 'the address of the state, without spaces',
      pattern: /^[!-~]+$/,
      maxLength: 1024,
    })
      .optional()
      .describe(
        "A human's word that the state was moved to this address: endpoint/bucket/namespace/name/key, as the fault names it.",
      ),
  })
  .superRefine((spec, context) => {
    if (!spec.retainBuckets && spec.adoptBuckets.length > 0)
      context.addIssue({
        code: 'custom',
        path: ['adoptBuckets'],
        message: 'no bucket to adopt while retainBuckets is false (a wrong id would destroy the bucket)',
      });
    const adopted = new Set(spec.adoptBuckets.map(({ bucket }) => lower(bucket)));
    for (const [index, name] of spec.releaseBuckets.entries())
      if (adopted.has(lower(name)))
        context.addIssue({
          code: 'custom',
          path: ['releaseBuckets', index],
          message: 'a bucket that is not in adoptBuckets too',
        });
  })
  .meta({
    'x-kubernetes-validations': [
      {
        // An empty state would start at the new address, beside the buckets of the old one (hazard 6).
        rule: '!has(oldSelf.stateBucket) || (has(self.stateBucket) && self.stateBucket == oldSelf.stateBucket) || has(self.stateMigratedTo)',
        message: 'stateBucket is fixed once set: move the state first, then name its new address in stateMigratedTo',
      },
      {
        rule: '!has(self.adoptBuckets) || size(self.adoptBuckets) == 0 || !has(self.retainBuckets) || self.retainBuckets',
        message: 'adoptBuckets is not allowed while retainBuckets is false: a wrong id would destroy the bucket',
      },
      {
        rule: '!has(self.adoptBuckets) || !has(self.releaseBuckets) || self.adoptBuckets.all(a, !self.releaseBuckets.exists(r, r.lowerAscii() == a.bucket.lowerAscii()))',
        message: 'no bucket may be in both adoptBuckets and releaseBuckets (names are compared without case)',
      },
    ],
  })
  .describe('What the namespace wants beyond its Schedules and routes.');

const count = z.int().min(0);

/** What the function remembers in status: doubt about it is doubt about buckets, so it is parsed as strictly as spec. */
const memoryShape = {
  buckets: z
    .array(
      z
        .object({
          name: bucketName.describe('Name of the bucket.'),
          state: z
            .enum(['Wanted', 'Retained', 'Releasing', 'Released'])
            .describe(
              'Wanted by a Schedule; Retained without one; Releasing until OpenTofu has forgotten it; then Released.',
            ),
          schedules: z
            .array(z.string().max(253).describe('Name of a Schedule.'))
            .max(1000)
            .meta({ 'x-kubernetes-list-type': 'set' })
            .default([])
            .describe('Schedules that back up to it.'),
        })
        .describe('A bucket.'),
    )
    .max(1000)
    .superRefine((list, context) => {
      refuseRepeated(
        list.map(({ name }) => name),
        context,
        'name',
      );
    })
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .optional()
    .describe('Buckets that are known.'),
  records: z
    .array(
      z
        .object({
          name: textSchema(HOST_NAME).describe('Full name, lower case, without final dot.'),
          type: z.enum(['A', 'AAAA', 'CNAME']).describe('Type of the record.'),
          content: z.string().min(1).max(253).describe('Where it points to.'),
        })
        .describe('A DNS record.'),
    )
    .max(1000)
    .superRefine((list, context) => {
      for (const index of repeatedAt(list.map(({ name }) => name)))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'a name that is not in the list yet' });
    })
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .optional()
    .describe('DNS records that are wanted.'),
};

/** The whole status, for the XRD. Of it, only what is remembered is ever read back. */
export const statusSchema = z
  .object({
    selector: z.string().max(8192).optional().describe('Labels by which Schedules and routes were asked for.'),
    read: z
      .object({
        schedules: count.optional().describe('Schedules with the labels in this namespace.'),
        routes: count.optional().describe('HTTPRoutes with the labels in this namespace.'),
      })
      .optional()
      .describe('How much was found.'),
    bucketCount: count.optional().describe('Number of buckets.'),
    recordCount: count.optional().describe('Number of DNS records.'),
    ...memoryShape,
    observedGeneration: count.optional().describe('Generation of the spec that this status speaks of.'),
  })
  .describe('What was found and what became of it.');

const documentSchema = z.object({
  apiVersion: z.literal(`${XR_GROUP}/${XR_VERSION}`),
  kind: z.literal(XR_KIND),
  metadata: z.object({
    name: z.string().refine(name => name === WORKSPACE_NAME, {
      error: `${JSON.stringify(WORKSPACE_NAME)} (${NAME_REASON})`,
    }),
    namespace: textSchema(NAMESPACE),
    uid: z.string().optional(),
    generation: z.int().min(0).optional(),
  }),
  spec: specSchema,
  status: z.object(memoryShape).optional(),
});

type Document = z.output<typeof documentSchema>;

/** A resource of an older module that becomes the bucket, or the bucket's key. */
export interface MovedFrom {
  readonly address: readonly AddressStep[];
  readonly resource: 'b2_bucket' | 'b2_application_key';
  readonly bucket: string;
}

export interface TofuWorkspaceSpec {
  readonly stateBucket: string | undefined;
  readonly retainBuckets: boolean;
  readonly adoptBuckets: readonly { readonly bucket: string; readonly bucketId: string }[];
  readonly releaseBuckets: readonly string[];
  readonly movedFrom: readonly MovedFrom[];
  readonly stateMigratedTo: string | undefined;
}

export type RememberedBucket = DeepReadonly<NonNullable<NonNullable<Document['status']>['buckets']>[number]>;
export type RememberedRecord = DeepReadonly<NonNullable<NonNullable<Document['status']>['records']>[number]>;

export interface TofuWorkspace {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string | undefined;
  /** undefined where the document has none: a rendered file, not the API server's. */
  readonly generation: number | undefined;
  readonly spec: TofuWorkspaceSpec;
  /** Empty where nothing is remembered. */
  readonly status: { readonly buckets: readonly RememberedBucket[]; readonly records: readonly RememberedRecord[] };
}

/**
 * Parses the observed XR.
 * @throws DocumentError that lists every fault
 */
export function parseTofuWorkspace(value: unknown): TofuWorkspace {
  const { metadata, spec, status } = parseDocument(documentSchema, value, describeDocument(value));
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    generation: metadata.generation,
    spec: {
      stateBucket: spec.stateBucket,
      retainBuckets: spec.retainBuckets,
      adoptBuckets: spec.adoptBuckets,
      releaseBuckets: spec.releaseBuckets,
      movedFrom: spec.movedFrom.map(({ address, bucket }) => ({ ...readAddress(address), bucket })),
      stateMigratedTo: spec.stateMigratedTo,
    },
    status: { buckets: status?.buckets ?? [], records: status?.records ?? [] },
  };
}

/** Its full name as far as it has one: a fault must say of which object. */
function describeDocument(value: unknown): string {
  const [namespace, name] = [readPath(value, 'metadata', 'namespace'), readPath(value, 'metadata', 'name')];
  const parts = [namespace, name].filter(part => typeof part === 'string' && part !== '');
  return [XR_KIND, parts.join('/')].join(' ').trimEnd();
}

function readAddress(text: string): Pick<MovedFrom, 'address' | 'resource'> {
  const parsed = parseResourceAddress(text);
  if (parsed === undefined) throw new Error(`the schema let the address ${JSON.stringify(text)} pass`);
  return { address: parsed.steps, resource: parsed.resource };
}
