/** The older, go-templating Composition's objects in the model's cluster, all of them in use. */
import type { Cluster } from './core.ts';
import { NAMESPACE } from '../../fixtures/objects.ts';
import { olderObjects } from '../../fixtures/older-composition.ts';

/** Buckets in the order of the module's blocks: `b2_bucket.b0` and so on. */
export function composeOlder(cluster: Cluster, buckets: readonly string[], stateBucket: string): void {
  for (const [key, object] of Object.entries(olderObjects(NAMESPACE, buckets, stateBucket))) {
    const metadata = { ...(object['metadata'] as object), uid: 'uid-older', generation: 1 };
    cluster.replace({ key, object: { ...object, metadata }, connectionDetails: {} });
  }
}
