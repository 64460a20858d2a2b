/**
 * Names that wait for their turn, as client-go's rate-limited work queue: a name that waits is not added twice, and one
 * that is at work is never started a second time but comes again afterwards.
 */

export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** What a turn asks for: nothing, another turn after a time that grows with each in a row, or one at a time. */
export type Requeue =
  { readonly kind: 'done' } | { readonly kind: 'again' } | { readonly kind: 'after'; readonly ms: number };

export const DONE: Requeue = { kind: 'done' };
export const AGAIN: Requeue = { kind: 'again' };

export class WorkQueue {
  readonly #work: (name: string) => Promise<Requeue>;
  readonly #concurrency: number;
  readonly #backoff: Backoff;
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;

  constructor(options: {
    readonly work: (name: string) => Promise<Requeue>;
    readonly concurrency: number;
    readonly backoff: Backoff;
  }) {
    this.#work = options.work;
    this.#concurrency = options.concurrency;
    this.#backoff = options.backoff;
  }

  add(name: string): void {
    if (this.#stopped) return;
    this.#waiting.add(name);
    this.#next();
  }

  /** Nothing begins any more; resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    this.#timers.forEach(clearTimeout);
    await Promise.all(this.#running.values());
  }

  #next(): void {
    for (const name of this.#waiting) {
      if (this.#running.size >= this.#concurrency) return;
      if (this.#running.has(name)) continue;
      this.#waiting.delete(name);
      this.#running.set(name, this.#turn(name));
    }
  }

  async #turn(name: string): Promise<void> {
    const requeue = await this.#work(name);
    this.#running.delete(name);
    if (requeue.kind !== 'again') this.#failures.delete(name);
    if (requeue.kind === 'again') this.#addAfter(name, this.#delay(name));
    if (requeue.kind === 'after') this.#addAfter(name, requeue.ms);
    if (!this.#stopped) this.#next();
  }

  #delay(name: string): number {
    const failures = this.#failures.get(name) ?? 0;
    this.#failures.set(name, failures + 1);
    return Math.min(this.#backoff.baseMs * 2 ** failures, this.#backoff.maxMs);
  }

  #addAfter(name: string, ms: number): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.add(name);
    }, ms);
    this.#timers.add(timer);
  }
}
