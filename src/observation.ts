/**
 * What one call tells us, free of the wire: plain values, nothing merged, nothing defaulted.
 * `wire/decode.ts` makes it, `decide.ts` reads it.
 */

/** Capabilities that core advertises and we ask about. */
export type Capability = 'capabilities' | 'required-resources' | 'conditions';

export interface ObservedObject {
  readonly object: unknown;
  readonly connectionDetails: ReadonlyMap<string, Uint8Array>;
}

export interface Observation {
  /** The step's Input; undefined where the Composition gives none. */
  readonly input: unknown;
  /** The observed XR; undefined where the request has none. */
  readonly composite: unknown;
  /** Objects that the XR composes now, by composition resource key. */
  readonly observed: ReadonlyMap<string, ObservedObject>;
  /** Objects that earlier steps desire, by composition resource key. */
  readonly desired: ReadonlyMap<string, unknown>;
  /**
   * Answers to requirements, by requirement key. An absent key was not answered yet; an empty list
   * is an answer. Never treat the two alike: one means "wait", the other "there is nothing".
   */
  readonly required: ReadonlyMap<string, readonly unknown[]>;
  /** Empty where core is too old to advertise any. */
  readonly capabilities: ReadonlySet<Capability>;
}
