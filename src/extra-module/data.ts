/**
 * Room extra-module: text that the Composition's author adds to the module, checked before it may stand there.
 * In: Handlebars templates, what the namespace wants as plain data. Out: HCL text whose top-level blocks can touch
 * nothing of ours, or a FieldError.
 * May import: errors, template, hcl, handlebars. Must never: compile a template, let data become code, or know a bucket
 * from a record.
 */

/** What a name in a template stands for. A flag has no text, it is only asked for by `if`. */
export type Shape =
  { readonly kind: 'text' } | { readonly kind: 'flag' } | { readonly kind: 'list'; readonly item: Shape } | ObjectShape;

export interface ObjectShape {
  readonly kind: 'object';
  readonly fields: Readonly<Record<string, Shape>>;
}

const TEXT = { kind: 'text' } as const;
const FLAG = { kind: 'flag' } as const;
const TEXTS = { kind: 'list', item: TEXT } as const;

function objects<const F extends ObjectShape['fields']>(fields: F) {
  return { kind: 'list', item: { kind: 'object', fields } } as const;
}

/** Names that the templates of extra modules may use. Each is API: a template that used it must go on working. */
export const OFFERED = {
  kind: 'object',
  fields: {
    namespace: TEXT,
    /** `bucket` is the key in buckets; empty where the Schedule's backend is no B2 bucket. */
    schedules: objects({ name: TEXT, bucket: TEXT }),
    routes: objects({ name: TEXT, hosts: TEXTS }),
    /** Those that the module holds, whether a Schedule wants them or not. */
    buckets: objects({ key: TEXT, name: TEXT, wanted: FLAG, schedules: TEXTS }),
    records: objects({ name: TEXT, zone: TEXT }),
  },
} as const satisfies ObjectShape;

type DataOf<S> = S extends { readonly kind: 'text' }
  ? string
  : S extends { readonly kind: 'flag' }
    ? boolean
    : S extends { readonly kind: 'list'; readonly item: infer I }
      ? readonly DataOf<I>[]
      : S extends { readonly kind: 'object'; readonly fields: infer F }
        ? { readonly [K in keyof F]: DataOf<F[K]> }
        : never;

/** What is offered to the templates of one namespace; every list is sorted. */
export type ExtraData = DataOf<typeof OFFERED>;

/** Names of {@link OFFERED}. */
export type OfferedName = keyof ExtraData;

/** One of everything: with it a template is tried before any namespace uses it. */
export const SAMPLE: ExtraData = {
  namespace: 'sample',
  schedules: [{ name: 'sample', bucket: 'sample' }],
  routes: [{ name: 'sample', hosts: ['sample.example.com'] }],
  buckets: [{ key: 'sample', name: 'sample', wanted: true, schedules: ['sample'] }],
  records: [{ name: 'sample.example.com', zone: 'example.com' }],
};

/** Nothing of anything. */
export const EMPTY: ExtraData = { namespace: 'sample', schedules: [], routes: [], buckets: [], records: [] };
