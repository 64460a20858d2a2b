import { BinaryReader } from '@bufbuild/protobuf/wire';

/** One level of JSON takes two calls to read it: what JavaScript's stack bears many times over. Go's limit is 3,333. */
const MAX_LEVELS = 333;

/** Powers of two: above the number of names in the objects that we read, and of values that come again and again. */
const KEY_SLOTS = 256;
const TEXT_SLOTS = 1024;
/** Longer texts seldom come twice. */
const SHORT_TEXT = 24;

const PAST_END = 'a field is longer than the message that it is part of';
const REPLACEMENT = '\ufffd';
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Protobuf's bytes, from first to last. Whatever they hold, reading ends or throws. */
export class Reader extends BinaryReader {
  private readonly bytesRead: Buffer;
  private readonly keys: string[] = [];
  private readonly texts: string[] = [];
  private levels = 0;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.bytesRead = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Text that is no UTF-8 is an error: U+FFFD in its place would change somebody's object. */
  override string(): string {
    const end = this.endOfField(this.len);
    if (end - this.pos <= SHORT_TEXT) return this.recall(this.texts, TEXT_SLOTS, end);
    return this.text(this.pos, end);
  }

  private text(start: number, end: number): string {
    this.pos = end;
    const text = this.bytesRead.toString('utf8', start, end);
    if (!text.includes(REPLACEMENT)) return text;
    // Either somebody wrote this character, or Node did.
    try {
      return STRICT.decode(this.bytesRead.subarray(start, end));
    } catch (cause) {
      throw new Error(`text at byte ${start} is not utf-8`, { cause });
    }
  }

  /** The key of a map: half of what an object is made of is the same few names. */
  key(): string {
    return this.recall(this.keys, KEY_SLOTS, this.endOfField(this.len));
  }

  /** Text that is likely to have come before in these bytes: to find it again is quicker than to make it anew. */
  private recall(known: string[], slots: number, end: number): string {
    const start = this.pos;
    let hash = end - start;
    for (let at = start; at < end; at += 1) hash = (hash * 31 + (this.bytesRead[at] as number)) | 0;
    const slot = hash & (slots - 1);
    const candidate = known[slot];
    if (candidate !== undefined && this.spells(candidate, start, end)) {
      this.pos = end;
      return candidate;
    }
    const text = this.text(start, end);
    known[slot] = text;
    return text;
  }

  private spells(text: string, start: number, end: number): boolean {
    if (text.length !== end - start) return false;
    // What is not ASCII has fewer characters than bytes, or is one of these.
    for (let index = 0; index < text.length; index += 1) {
      const byte = this.bytesRead[start + index] as number;
      if (byte > 0x7f || text.charCodeAt(index) !== byte) return false;
    }
    return true;
  }

  /** Reads the length of a field and returns where it ends, which is never behind the message that it is part of. */
  endOfField(endOfMessage: number): number {
    const length = this.uint32();
    const end = this.pos + length;
    if (end > endOfMessage) throw new RangeError(PAST_END);
    return end;
  }

  /** At the end of a message: what its last field held must end there too. */
  close(endOfMessage: number): void {
    if (this.pos !== endOfMessage) throw new RangeError(PAST_END);
  }

  /** The bytes up to `end`. */
  rest(end: number): Uint8Array {
    const bytes = this.bytesRead.subarray(this.pos, end);
    this.pos = end;
    return bytes;
  }

  /** Steps over the field whose tag was just read. */
  skipField(tag: number): void {
    if (tag >>> 3 === 0) throw new Error('a field has the number 0');
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- what is no wire type is refused there
    this.skip(tag & 7, tag >>> 3);
  }

  /** @throws where levels of JSON lie in each other without end */
  enter(): void {
    this.levels += 1;
    if (this.levels > MAX_LEVELS) throw new Error(`more than ${MAX_LEVELS} levels in each other`);
  }

  leave(): void {
    this.levels -= 1;
  }
}
