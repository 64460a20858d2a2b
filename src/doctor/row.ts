/**
 * Room doctor: what is wrong between the layers, and what to do about it.
 * In: texts of the infra tree, a snapshot of the cluster, the Composition's Input. Out: verdicts with evidence and fixes.
 * May import: errors, kube, infra, live, and what the function itself reads and says with: api, cluster, compose, intent, report.
 * Must never: read a file or a cluster, call fine what could not be read, or name a fix that destroys a bucket other
 * than last, and as what it is.
 */
import type { Input } from '../api/input.ts';
import type { SourceFile } from '../infra/finding.ts';
import type { KubeObject } from '../kube.ts';
import type { Snapshot } from '../live/snapshot.ts';

/** Where two layers agree by convention only. */
export type Seam =
  | 'OpenTofu ↔ Talos'
  | 'Ansible ↔ OpenTofu'
  | 'OpenTofu ↔ Crossplane'
  | 'Flux ↔ Crossplane'
  | 'app ↔ Crossplane'
  | 'Crossplane ↔ provider'
  | 'human ↔ OpenTofu';

/** The infra tree; every file by its name below `root`, as a user would open it. */
export interface Tree {
  readonly root: string;
  readonly files: readonly SourceFile[];
}

export interface Sources {
  /** undefined where no infra tree was named. */
  readonly tree: Tree | undefined;
  /** undefined where no cluster was named. */
  readonly snapshot: Snapshot | undefined;
  readonly input: Input;
}

export interface Fix {
  /** What to do, as a sentence. */
  readonly does: string;
  readonly commands?: readonly string[];
  /** Buckets, and the backups in them, may be gone for ever after it. */
  readonly destroys?: true;
}

export type Evidence =
  | { readonly kind: 'file'; readonly file: string; readonly line: number }
  | { readonly kind: 'object'; readonly object: string; readonly namespace: string | undefined; readonly name: string };

export interface Problem {
  readonly kind: 'broken' | 'warning';
  readonly evidence: Evidence;
  /** What was found, with the values that do not agree. Never a Secret's value. */
  readonly found: string;
  /** In the order in which to consider them. */
  readonly fixes: readonly Fix[];
}

/** Which of the sources a verdict speaks of. */
export type Side = 'infra' | 'cluster';

export type Verdict =
  | Problem
  | { readonly kind: 'fine'; readonly side: Side; readonly looked: string }
  | { readonly kind: 'not looked at'; readonly side: Side; readonly why: string };

export interface Row {
  /** Stable: the JSON and the anchor of the page. */
  readonly id: string;
  /** What people see. */
  readonly symptom: string;
  readonly seam: Seam;
  /** What actually happened. */
  readonly happened: string;
  /** What to look at by hand. */
  readonly lookAt: string;
  /** The fixes with placeholders, for the page. */
  readonly fixes: readonly Fix[];
  readonly look: (sources: Sources) => readonly Verdict[];
}

export function ofObject({ kind, metadata }: KubeObject): Evidence {
  return { kind: 'object', object: kind, namespace: metadata.namespace, name: metadata.name };
}

export function ofPlace({ file, line }: { readonly file: string; readonly line: number }): Evidence {
  return { kind: 'file', file, line };
}

/** `file:line`, or `Kind namespace/name`. */
export function printEvidence(evidence: Evidence): string {
  if (evidence.kind === 'file') return `${evidence.file}:${evidence.line}`;
  const { object, namespace, name } = evidence;
  return namespace === undefined ? `${object} ${name}` : `${object} ${namespace}/${name}`;
}
