/**
 * Room drift: what tools printed and objects say, made into rows.
 * In: exit code and output of a process, a reading of the cluster. Out: rows with counts and addresses.
 * May import: errors, kube, live/snapshot.ts.
 * Must never: run a process, or hand on any other part of a tool's output: it may hold a secret.
 */

export const LAYERS = ['tofu', 'ansible', 'talos', 'flux', 'crossplane'] as const;
export type Layer = (typeof LAYERS)[number];

/** What the layer does about a change from outside. The further down the stack, the more a human is the control loop. */
export const MEANING: Readonly<Record<Layer, 'reports' | 'detects' | 'reconciles'>> = {
  tofu: 'reports',
  ansible: 'detects',
  talos: 'detects',
  flux: 'reconciles',
  crossplane: 'reconciles',
};

export type Outcome =
  | { readonly kind: 'no drift' | 'drift'; readonly detail: string; readonly addresses?: readonly string[] }
  /** It was looked at, and did not come to an end; `not checked` where a tool or credential is missing. */
  | { readonly kind: 'failed' | 'not checked'; readonly detail: string };

export interface DriftRow {
  readonly layer: Layer;
  /** An environment, a playbook, a cluster, a kind or an object. */
  readonly subject: string;
  readonly outcome: Outcome;
  /** What a human runs to see more; undefined where there is nothing to run. */
  readonly command?: string;
}

/** How a process ended. */
export interface Ended {
  /** null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
