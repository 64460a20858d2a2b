/**
 * Room report: observed → what we say.
 * In: observed objects, the decision's parts. Out: readiness, status, conditions, hints.
 * May import: errors, kube, decision, intent, api, cluster, node:zlib.
 * Must never: say a secret, a time or a counter; the same request makes the same words (field report 31).
 */
import { readCondition, type KubeObject } from '../kube.ts';

/**
 * Whether a composed object does its job (field report 30).
 *
 * @param observed the object as it exists; undefined where it does not, which is never ready
 */
export function reportReady(kind: string, observed: KubeObject | undefined): boolean {
  if (observed === undefined) return false;
  const isTrue = (type: string): boolean => readCondition(observed, type)?.status === 'True';
  switch (kind) {
    case 'Workspace':
      // Ready stays True from the last good apply; without Synced it says nothing about this module.
      return isTrue('Ready') && isTrue('Synced');
    case 'Usage':
      return isTrue('Ready');
    default:
      // ProviderConfig and Secret have no Ready condition: to exist is to be ready.
      return true;
  }
}
