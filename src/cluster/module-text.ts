import {
  findBlocks,
  scanFirstBlock,
  scanStructure,
  type ScannedBody,
  type ScannedString,
  type ScannedValue,
} from '../hcl/scan.ts';

/** Something in a module that may hold buckets and was not written by us. */
export type BucketClaim =
  | {
      readonly kind: 'resource';
      readonly name: string;
      /** Literal `bucket_name`; undefined where it is an expression. */
      readonly bucket: string | undefined;
      /** It has `for_each` or `count`: how many buckets it stands for can't be seen. */
      readonly repeated: boolean;
    }
  | { readonly kind: 'module'; readonly name: string }
  /** Not inline HCL: it can't be looked into. */
  | { readonly kind: 'opaque'; readonly why: string }
  /** Text that breaks off or is no HCL: what was seen is not all there is. */
  | { readonly kind: 'incomplete' };

/**
 * Finds what in another's module may hold buckets.
 * @param module undefined where there is no inline HCL
 */
export function findBucketClaims(module: string | undefined): readonly BucketClaim[] {
  if (module === undefined) return [{ kind: 'opaque', why: 'its module is not inline HCL' }];
  const scan = scanStructure(module);
  return [
    ...findBlocks(scan, 'resource', 'b2_bucket').map(block => ({
      kind: 'resource' as const,
      name: block.labels[1] ?? '',
      bucket: readText(block, 'bucket_name'),
      repeated: block.attributes.has('for_each') || block.attributes.has('count'),
    })),
    ...findBlocks(scan, 'module').map(({ labels }) => ({ kind: 'module' as const, name: labels[0] ?? '' })),
    ...(scan.complete ? [] : [{ kind: 'incomplete' as const }]),
  ];
}

/** Where a module of ours takes a bucket's resource from, and the key of the bucket that it becomes. */
export interface BucketMove {
  readonly from: string;
  readonly key: string;
}

/** As hcl/print spells the block. The scanner reads no references, and this is read from text of ours alone. */
const BUCKET_MOVE = /^moved \{\n {2}from = (.+)\n {2}to {3}= b2_bucket\.backup\["([a-z0-9-]+)"\]\n\}$/gm;

/** Finds the moves from an older module that a module of ours asks for. */
export function findBucketMoves(module: string): readonly BucketMove[] {
  return [...module.matchAll(BUCKET_MOVE)].flatMap(([, from, key]) =>
    from === undefined || key === undefined ? [] : [{ from, key }],
  );
}

/**
 * Provider name → source in `required_providers`, as far as it is written there as a literal.
 * @param own a module of ours, which begins with that block and is long behind it
 */
export function readProviderSources(module: string, own: boolean): ReadonlyMap<string, string> {
  const scan = own ? scanFirstBlock(module) : scanStructure(module);
  const required = findBlocks(scan, 'terraform').flatMap(block => findBlocks(block, 'required_providers'));
  return new Map(
    required
      .flatMap(({ attributes }) => [...attributes])
      .flatMap(([name, value]): [string, string][] => {
        const source = isLiteralMap(value) ? value.get('source') : undefined;
        return source === undefined ? [] : [[name, source]];
      }),
  );
}

function isLiteralMap(value: ScannedValue): value is ReadonlyMap<string, ScannedString> {
  return value !== undefined && typeof value !== 'string';
}

/** Where a ProviderConfig's text keeps state, and the labels of its pbkdf2 key providers. */
export interface ConfiguredState {
  /** undefined where there is no `backend "s3"` block to read. */
  readonly backend:
    | {
        readonly endpoint: string;
        readonly bucket: string;
        readonly workspaceKeyPrefix: string;
        readonly key: string;
      }
    | undefined;
  readonly keyProviders: readonly string[];
}

/** Reads a ProviderConfig's `spec.configuration`. What is no literal reads as the empty string: it equals nothing. */
export function readConfiguredState(configuration: string): ConfiguredState {
  const terraform = findBlocks(scanStructure(configuration), 'terraform');
  const backend = terraform.flatMap(block => findBlocks(block, 'backend', 's3'))[0];
  const keyProviders = terraform
    .flatMap(block => findBlocks(block, 'encryption'))
    .flatMap(block => findBlocks(block, 'key_provider', 'pbkdf2'))
    .map(({ labels }) => labels[1] ?? '');
  return {
    backend: backend && {
      endpoint: readEndpoint(backend),
      bucket: readText(backend, 'bucket') ?? '',
      // OpenTofu's default.
      workspaceKeyPrefix: backend.attributes.has('workspace_key_prefix')
        ? (readText(backend, 'workspace_key_prefix') ?? '')
        : 'env:',
      key: readText(backend, 'key') ?? '',
    },
    keyProviders,
  };
}

function readText(body: ScannedBody, attribute: string): string | undefined {
  const value = body.attributes.get(attribute);
  return typeof value === 'string' ? value : undefined;
}

/** `endpoints.s3`, or the deprecated `endpoint`. */
function readEndpoint(backend: ScannedBody): string {
  const endpoints = backend.attributes.get('endpoints');
  return (isLiteralMap(endpoints) ? endpoints.get('s3') : readText(backend, 'endpoint')) ?? '';
}
