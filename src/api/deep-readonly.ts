/** Zod infers mutable types; what has been parsed is not changed any more. */
export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
