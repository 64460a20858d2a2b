/** The annotations by which crossplane-runtime knows whether a creation that it began has come to an end. */
import { ANNOTATION, type ApiObject } from './api.ts';

/** For so long after a creation, a resource that is not there yet is waited for. */
const GRACE_MS = 30_000;

/** Since then nobody knows what exists, and nothing is done until a human removes the annotation. */
export const CREATE_INCOMPLETE = `cannot determine creation result - remove the ${ANNOTATION.createPending} annotation if it is safe to proceed`;

export function isCreationIncomplete(object: ApiObject): boolean {
  const pending = timeOf(object, ANNOTATION.createPending);
  const ended = Math.max(timeOf(object, ANNOTATION.createSucceeded), timeOf(object, ANNOTATION.createFailed));
  return pending > ended;
}

export function isCreationRecent(object: ApiObject, now: Date): boolean {
  const succeeded = timeOf(object, ANNOTATION.createSucceeded);
  return succeeded > 0 && now.getTime() - succeeded < GRACE_MS;
}

/** RFC 3339 in whole seconds, as Go writes it: a creation that ends in the second it began in counts as ended. */
export function creationTime(now: Date): string {
  return now.toISOString().replace(/\.\d+Z$/, 'Z');
}

function timeOf({ metadata }: ApiObject, annotation: string): number {
  const time = Date.parse(metadata.annotations?.[annotation] ?? '');
  return Number.isNaN(time) ? 0 : time;
}
