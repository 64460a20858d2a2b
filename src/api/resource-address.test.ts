import { describe, expect, it } from 'vitest';
import { parseResourceAddress } from './resource-address.ts';

describe('parseResourceAddress', () => {
  it('reads a plain address', () => {
    expect(parseResourceAddress('b2_bucket.b0')).toEqual({
      resource: 'b2_bucket',
      steps: [
        { kind: 'name', name: 'b2_bucket' },
        { kind: 'name', name: 'b0' },
      ],
    });
  });

  it('reads modules and indexes, and takes no text in an index for a step', () => {
    expect(parseResourceAddress('module.m["b2_bucket.x"].module.b2_bucket[0].b2_application_key.k-1["a.b"]')).toEqual({
      resource: 'b2_application_key',
      steps: [
        { kind: 'name', name: 'module' },
        { kind: 'name', name: 'm' },
        { kind: 'index', index: 'b2_bucket.x' },
        { kind: 'name', name: 'module' },
        { kind: 'name', name: 'b2_bucket' },
        { kind: 'index', index: 0 },
        { kind: 'name', name: 'b2_application_key' },
        { kind: 'name', name: 'k-1' },
        { kind: 'index', index: 'a.b' },
      ],
    });
  });

  it.each([
    { text: 'aws_s3_bucket.b', reason: 'another resource' },
    { text: 'data.b2_bucket.b', reason: 'a data source has no state to move' },
    { text: 'b2_bucket', reason: 'no name' },
    { text: 'module.m', reason: 'a whole module' },
    { text: 'b2_bucket.b["${x}"]', reason: 'a template' },
    { text: 'b2_bucket.b["\\""]', reason: 'an escape' },
    { text: 'b2_bucket.b[*]', reason: 'a splat' },
    { text: 'b2_bucket.b[0][1]', reason: 'an attribute of an instance' },
    { text: ' b2_bucket.b', reason: 'a space' },
  ])('refuses $text: $reason', ({ text }) => {
    expect(parseResourceAddress(text)).toBeUndefined();
  });
});
