import type { Requirement } from '../decision.ts';
import { DocumentError, isDocumentError } from '../errors.ts';
import { parseHttpRoute, type HttpRoute } from './http-route.ts';
import { readNamespaceLabels, type NamespaceLabels } from './namespace.ts';
import { pickRequired, type RequiredObjects } from './required-objects.ts';
import { REQUIREMENT } from './requirements.ts';
import { parseSchedule, type Schedule } from './schedule.ts';

/** What the app's namespace holds for us. */
export interface AppObjects {
  /** Sorted by name. */
  readonly schedules: readonly Schedule[];
  /** Sorted by name; those that could be read. */
  readonly routes: readonly HttpRoute[];
  /** One sentence per route that could not be read. */
  readonly routeFaults: readonly string[];
  /** Routes that were answered, readable or not; undefined with DNS off. */
  readonly routeCount: number | undefined;
  readonly namespaceLabels: NamespaceLabels;
  /** Objects that were answered without being asked for, and put aside. */
  readonly foreign: number;
}

export interface AppObjectRules {
  /** Hosts, or parent domains, that are Backblaze B2. */
  readonly b2Hosts: readonly string[];
  readonly zones: readonly string[];
  readonly namespaceLabels: Readonly<Record<string, string>>;
}

/**
 * Reads what the requirements were answered with.
 * @throws DocumentError where any Schedule can't be read, naming all of them (invariant 2)
 */
export function readAppObjects(
  requirements: ReadonlyMap<string, Requirement>,
  answers: ReadonlyMap<string, readonly unknown[]>,
  rules: AppObjectRules,
): AppObjects {
  const pick = (key: string): RequiredObjects => {
    const requirement = requirements.get(key);
    return requirement === undefined ? { objects: [], foreign: 0 } : pickRequired(requirement, answers.get(key) ?? []);
  };
  const schedules = pick(REQUIREMENT.schedules);
  const routes = pickRoutes(() => pick(REQUIREMENT.routes));
  const namespaces = pick(REQUIREMENT.namespace);
  const read = readEach(routes.objects, route => parseHttpRoute(route, rules.zones));
  const readSchedules = readEach(schedules.objects, schedule => parseSchedule(schedule, rules.b2Hosts));
  const [fault] = readSchedules.faults;
  if (fault !== undefined) throw joinFaults(fault, readSchedules.faults);
  return {
    schedules: readSchedules.values,
    routes: read.values,
    routeFaults: [...routes.faults, ...read.faults].map(({ message }) => message),
    routeCount: requirements.has(REQUIREMENT.routes) ? routes.objects.length : undefined,
    namespaceLabels: readNamespaceLabels(namespaces.objects[0], rules.namespaceLabels),
    foreign: schedules.foreign + routes.foreign,
  };
}

/** Doubt about DNS never blocks backups: a route without identity is a fault like any unreadable one. */
function pickRoutes(pick: () => RequiredObjects): RequiredObjects & { readonly faults: readonly DocumentError[] } {
  try {
    return { ...pick(), faults: [] };
  } catch (error) {
    if (isDocumentError(error)) return { objects: [], foreign: 0, faults: [error] };
    throw error;
  }
}

function readEach<From, To>(
  objects: readonly From[],
  read: (object: From) => To,
): { readonly values: readonly To[]; readonly faults: readonly DocumentError[] } {
  const values: To[] = [];
  const faults: DocumentError[] = [];
  for (const object of objects)
    try {
      values.push(read(object));
    } catch (error) {
      if (!isDocumentError(error)) throw error;
      faults.push(error);
    }
  return { values, faults };
}

function joinFaults(first: DocumentError, faults: readonly DocumentError[]): DocumentError {
  return faults.length === 1
    ? first
    : new DocumentError(
        faults.map(({ document }) => document).join(', '),
        faults.flatMap(fault => fault.faults),
      );
}
