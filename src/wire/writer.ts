const INITIAL_BYTES = 16 * 1024;
/** Up to here a loop is quicker than a call of Node's. */
const SHORT_TEXT = 64;

/**
 * Protobuf's bytes, from last to first: what a message is made of is written before its length, which is
 * known by then. Whoever writes a message writes its fields in reverse.
 */
export class Writer {
  private buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  /** First byte written; free is what lies before. */
  private start = INITIAL_BYTES;

  /** How much is written. */
  get length(): number {
    return this.buffer.length - this.start;
  }

  /** Puts the length and a tag before what was written since {@link length} was `since`. */
  prefix(tag: number, since: number): void {
    this.varint(this.length - since);
    this.varint(tag);
  }

  /** @param value a tag, a length or an enumeration's: at least 0, below 2^31 */
  varint(value: number): void {
    this.reserve(5);
    const size = value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
    this.start -= size;
    let [at, rest] = [this.start, value];
    for (; rest > 0x7f; rest >>>= 7) this.buffer[at++] = (rest & 0x7f) | 0x80;
    this.buffer[at] = rest;
  }

  double(value: number): void {
    this.reserve(8);
    this.start -= 8;
    this.buffer.writeDoubleLE(value, this.start);
  }

  bytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.start -= value.length;
    this.buffer.set(value, this.start);
  }

  text(value: string): void {
    if (value.length <= SHORT_TEXT && this.ascii(value)) return;
    const size = Buffer.byteLength(value);
    this.reserve(size);
    this.start -= size;
    this.buffer.write(value, this.start, size, 'utf8');
  }

  /** Everything written. The writer is done with it. */
  finish(): Buffer {
    return this.buffer.subarray(this.start);
  }

  private ascii(value: string): boolean {
    this.reserve(value.length);
    let at = this.start;
    for (let index = value.length - 1; index >= 0; index -= 1) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) return false;
      this.buffer[--at] = code;
    }
    this.start = at;
    return true;
  }

  private reserve(size: number): void {
    if (this.start >= size) return;
    const written = this.length;
    const larger = Buffer.allocUnsafe(2 * (written + size));
    this.buffer.copy(larger, larger.length - written, this.start);
    this.start = larger.length - written;
    this.buffer = larger;
  }
}
