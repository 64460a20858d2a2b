/** An assignment to `__proto__`, a legal key of a Secret's data, would set the prototype of the object. */
export function setField<Value>(object: Record<string, Value>, key: string, value: Value): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}
