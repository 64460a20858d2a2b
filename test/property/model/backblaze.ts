/** Model of the Backblaze account: what lies there outlives every state, and nothing brings it back once destroyed. */

export interface Bucket {
  readonly id: string;
  /** As it was created; names are compared without case. */
  readonly name: string;
}

export interface ApplicationKey {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
  readonly bucketId: string;
}

export class Backblaze {
  readonly buckets = new Map<string, Bucket>();
  readonly keys = new Map<string, ApplicationKey>();
  /** Buckets that were there and are not any more. The one thing that must never hold anything. */
  readonly destroyed: Bucket[] = [];
  private counter = 0;

  findByName(name: string): Bucket | undefined {
    return [...this.buckets.values()].find(bucket => bucket.name.toLowerCase() === name.toLowerCase());
  }

  /** undefined where the name is taken. */
  createBucket(name: string): Bucket | undefined {
    if (this.findByName(name) !== undefined) return undefined;
    const bucket: Bucket = { id: this.nextId(), name };
    this.buckets.set(bucket.id, bucket);
    return bucket;
  }

  destroyBucket(id: string): void {
    const bucket = this.buckets.get(id);
    if (bucket === undefined) return;
    this.buckets.delete(id);
    this.destroyed.push(bucket);
  }

  createKey(name: string, bucketId: string): ApplicationKey {
    const id = this.nextId();
    const key: ApplicationKey = { id, secret: `secret-of-${id}`, name, bucketId };
    this.keys.set(id, key);
    return key;
  }

  /** An id that no bucket has. */
  nextId(): string {
    this.counter += 1;
    return this.counter.toString(16).padStart(24, '0');
  }
}
