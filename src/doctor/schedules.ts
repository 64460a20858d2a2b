/** Schedules and routes of apps and of the cluster, as the function would read them. */
import type { Input } from '../api/input.ts';
import { parseHttpRoute } from '../cluster/http-route.ts';
import { parseSchedule, type B2Backend, type Schedule } from '../cluster/schedule.ts';
import { isDocumentError } from '../errors.ts';
import type { App, AppObject } from '../infra/apps.ts';
import { matchesLabels, parseKubeObject, readStrings, type KubeObject } from '../kube.ts';
import { namespaceOf } from './namespaces.ts';
import { ofObject, ofPlace, printEvidence, type Evidence } from './row.ts';

/** An object of a file or of the cluster, with its place and the labels that it has there. */
export interface Placed {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly evidence: Evidence;
}

export function placeLive(object: KubeObject): Placed {
  return {
    object,
    namespace: namespaceOf(object),
    labels: readStrings(object, 'metadata', 'labels'),
    evidence: ofObject(object),
  };
}

export function placeApp({ namespace }: App, object: AppObject): Placed {
  return { object: parseKubeObject(object.document), namespace, labels: object.labels, evidence: ofPlace(object) };
}

export function placeApps(apps: readonly App[], kind: string): readonly Placed[] {
  return apps.flatMap(app => app.objects.filter(object => object.kind === kind).map(object => placeApp(app, object)));
}

/** Carries every label by which the Composition selects. */
export function isSelected({ labels }: Placed, { selector }: Input): boolean {
  return matchesLabels(labels, Object.entries(selector.matchLabels));
}

export interface PlacedSchedule extends Placed {
  readonly schedule: Schedule;
  readonly backend: B2Backend;
}

/** What was parsed, and the messages of what could not be. */
export interface Parsed<T> {
  readonly found: readonly T[];
  readonly unseen: readonly string[];
}

/** Those that back up to B2. */
export function findB2Schedules(placed: readonly Placed[], input: Input): Parsed<PlacedSchedule> {
  return parseAll(placed, entry => {
    const schedule = parseSchedule(entry.object, input.backup.endpoints);
    return schedule.backend.kind === 'b2' ? [{ ...entry, schedule, backend: schedule.backend }] : [];
  });
}

/** Those with host names under an internal zone. */
export function findInternalRoutes(
  placed: readonly Placed[],
  { dns }: Input,
): Parsed<Placed & { readonly hosts: readonly string[] }> {
  return parseAll(placed, entry => {
    const hosts = dns === undefined ? [] : parseHttpRoute(entry.object, dns.zones).hosts.map(({ name }) => name);
    return hosts.length === 0 ? [] : [{ ...entry, hosts }];
  });
}

function parseAll<T>(placed: readonly Placed[], parse: (entry: Placed) => readonly T[]): Parsed<T> {
  const found: T[] = [];
  const unseen: string[] = [];
  for (const entry of placed)
    try {
      found.push(...parse(entry));
    } catch (error) {
      if (!isDocumentError(error)) throw error;
      unseen.push(`${printEvidence(entry.evidence)}: ${error.message}`);
    }
  return { found, unseen };
}
