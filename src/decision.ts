/**
 * What we answer, free of the wire. `decide.ts` makes it, `wire/encode.ts` writes it.
 */
import type { Json, KubeObject } from './kube.ts';

/** A request to core for objects: by labels within one namespace, or one object by name. */
export type Requirement =
  | {
      readonly kind: 'labels';
      readonly apiVersion: string;
      readonly objectKind: string;
      readonly namespace: string;
      readonly labels: ReadonlyMap<string, string>;
    }
  | {
      readonly kind: 'name';
      readonly apiVersion: string;
      readonly objectKind: string;
      /** undefined for a cluster-scoped object. */
      readonly namespace: string | undefined;
      readonly name: string;
    };

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export interface DesiredObject {
  readonly object: KubeObject;
  /** undefined leaves readiness to a later step. */
  readonly ready: boolean | undefined;
}

interface Answer {
  /** By requirement key; the same on every call for one Input and namespace. */
  readonly requirements: ReadonlyMap<string, Requirement>;
  readonly conditions: readonly Condition[];
  readonly warnings: readonly string[];
}

/** A requirement is not answered yet: nothing is decided, what exists of ours is desired unchanged. */
export interface Waiting extends Answer {
  readonly kind: 'waiting';
  readonly resources: ReadonlyMap<string, DesiredObject>;
  /** Our status fields as observed, so that an applied answer would keep them; undefined where there are none. */
  readonly status: Readonly<Record<string, Json>> | undefined;
}

/** Doubt: one Fatal result, and what was last applied stays. */
export interface Refused extends Answer {
  readonly kind: 'refused';
  readonly fatal: string;
}

export interface Settled extends Answer {
  readonly kind: 'settled';
  readonly ttlSeconds: number;
  /** By composition resource key, sorted. */
  readonly resources: ReadonlyMap<string, DesiredObject>;
  readonly status: Readonly<Record<string, Json>>;
}

export type Decision = Waiting | Refused | Settled;
