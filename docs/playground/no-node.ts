/**
 * The decision is compiled here without the types of node, so that whatever it took from there would not compile. This
 * says so if those types come in by another way.
 */
// @ts-expect-error -- browsers have no Buffer
export type NoBuffer = typeof Buffer;
// @ts-expect-error -- nor a process
export type NoProcess = typeof process;
