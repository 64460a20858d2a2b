import { RunFunctionRequest, RunFunctionResponse } from '@crossplane-org/function-sdk-typescript';
import { BinaryReader } from '@bufbuild/protobuf/wire';

/** Bytes that are no RunFunctionRequest. The message says where decoding failed and quotes nothing. */
export class MalformedRequestError extends Error {
  override readonly name = 'MalformedRequestError';
}

export function isMalformedRequestError(error: unknown): error is MalformedRequestError {
  return error instanceof MalformedRequestError;
}

export interface Incoming {
  readonly request: RunFunctionRequest;
  /** What stands for `__proto__` in `request`; undefined where nothing does. */
  readonly standIn: Buffer | undefined;
}

/**
 * The SDK's decoder, with three corrections (docs/security.md, "Hostile input"):
 *
 * - A map entry named `__proto__` sets the prototype of the SDK's object and is lost, though it is a legal
 *   key of a ConfigMap's or Secret's data. Its bytes are replaced by a name that occurs nowhere in the request.
 * - Text that is no UTF-8 is an error instead of U+FFFD, which would change somebody's object.
 * - The SDK stops at 100 messages, which is 33 levels of JSON: a CustomResourceDefinition can have more.
 *
 * @throws MalformedRequestError
 */
export function readRequest(bytes: Uint8Array): Incoming {
  const { buffer, standIn } = hideProto(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  try {
    return { request: RunFunctionRequest.decode(new Reader(buffer)), standIn };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new MalformedRequestError(`cannot decode the request: ${reason}`, { cause: error });
  }
}

/** @param standIn as the request had it, so that what passes through comes out under its own name */
export function writeResponse(response: RunFunctionResponse, standIn: Buffer | undefined): Buffer {
  const { buffer, byteOffset, byteLength } = RunFunctionResponse.encode(response).finish();
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (standIn !== undefined) replaceAll(bytes, standIn, PROTO);
  return bytes;
}

const PROTO = Buffer.from('__proto__');
/** A map key on the wire: field 1, nine bytes long. */
const PROTO_KEY = Buffer.concat([Buffer.of(0x0a, PROTO.length), PROTO]);
const STAND_IN_ENDINGS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** As long as what it replaces, so that every length prefix stays right. */
function hideProto(bytes: Buffer): { buffer: Buffer; standIn: Buffer | undefined } {
  if (!bytes.includes(PROTO_KEY)) return { buffer: bytes, standIn: undefined };
  const standIn = Array.from(STAND_IN_ENDINGS, ending => Buffer.from(`__proto_${ending}`)).find(
    candidate => !bytes.includes(candidate),
  );
  if (standIn === undefined) throw new MalformedRequestError('cannot decode the request: too many odd map keys');
  const buffer = Buffer.from(bytes);
  replaceAll(buffer, PROTO_KEY, Buffer.concat([PROTO_KEY.subarray(0, 2), standIn]));
  return { buffer, standIn };
}

function replaceAll(bytes: Buffer, from: Buffer, to: Buffer): void {
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + to.length)) to.copy(bytes, at);
}

/** Go's own limit is 10,000; ours is what JavaScript's stack bears many times over. One level of JSON takes three. */
const MAX_MESSAGE_DEPTH = 1_000;

class Reader extends BinaryReader {
  #depth = 0;

  /**
   * The SDK's generated code counts its recursion here: it reads, refuses from 100 on, and writes one more when
   * it enters a message and what it had read when it leaves. Shown 0, it writes 1 and 0. Should a later SDK
   * count elsewhere, its own limit holds again and a test says so.
   */
  get __tsProtoDecodeDepth(): number {
    return 0;
  }

  set __tsProtoDecodeDepth(depth: number) {
    this.#depth += depth > 0 ? 1 : -1;
    if (this.#depth > MAX_MESSAGE_DEPTH) throw new Error(`more than ${MAX_MESSAGE_DEPTH} messages in each other`);
  }

  override string(): string {
    return super.string(true);
  }
}
