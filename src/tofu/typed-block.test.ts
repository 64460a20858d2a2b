import { describe, expectTypeOf, it } from 'vitest';
import type { Expression } from '../hcl/ast.ts';
import { attribute, index, number, reference, string, strings, toset } from '../hcl/build.ts';
import { dataInstances, dataSource, EACH_KEY, instances, provider, resource } from './typed-block.ts';

/** Judged by the compiler: each `@ts-expect-error` is an error of its own where the next line compiles. */
describe('blocks are checked against the provider schemas', () => {
  it('a reference has the type that the schema gives', () => {
    const bucket = index(instances('b2_bucket', 'backup'), EACH_KEY);
    expectTypeOf(attribute(bucket, 'bucket_id')).toExtend<Expression<string>>();
    expectTypeOf(attribute(bucket, 'revision')).toExtend<Expression<number>>();
    expectTypeOf(attribute(index(dataInstances('netbird_dns_zone', 'zone'), 'x'), 'id')).toExtend<Expression<string>>();
    // @ts-expect-error no such attribute
    attribute(bucket, 'bucket');
  });

  it('arguments', () => {
    const name = string('x');
    resource('b2_bucket', 'x', { arguments: { bucket_name: name, bucket_type: name } });
    // @ts-expect-error bucket_type is missing
    resource('b2_bucket', 'x', { arguments: { bucket_name: name } });
    // @ts-expect-error a number where a string belongs
    resource('b2_bucket', 'x', { arguments: { bucket_name: number(1), bucket_type: name } });
    // @ts-expect-error no such argument
    resource('b2_bucket', 'x', { arguments: { bucket_name: name, bucket_type: name, acl: name } });
    // @ts-expect-error the provider sets it
    resource('b2_bucket', 'x', { arguments: { bucket_name: name, bucket_type: name, bucket_id: name } });
    // @ts-expect-error no such resource
    resource('b2_buckets', 'x', { arguments: {} });
    const zone = reference<number>('local', 'zone');
    // @ts-expect-error a wrong type through a reference
    resource('netbird_dns_record', 'x', { arguments: { content: name, name, type: name, zone_id: zone } });
  });

  it('sets take a list literal, and only of the right element', () => {
    const name = string('x');
    resource('b2_application_key', 'x', { arguments: { key_name: name, capabilities: strings(['a']) } });
    resource('b2_application_key', 'x', { arguments: { key_name: name, capabilities: toset(strings(['a'])) } });
    // @ts-expect-error a text is no set
    resource('b2_application_key', 'x', { arguments: { key_name: name, capabilities: name } });
  });

  it('nested blocks', () => {
    const args = { bucket_name: string('x'), bucket_type: string('x') };
    const days = number(1);
    const rule = { arguments: { days_from_hiding_to_deleting: days } };
    // @ts-expect-error file_name_prefix is missing
    resource('b2_bucket', 'x', { arguments: args, blocks: { lifecycle_rules: [rule] } });
    // @ts-expect-error no such block
    resource('b2_bucket', 'x', { arguments: args, blocks: { rules: [] } });
  });

  it('meta-arguments', () => {
    const args = { bucket_name: string('x'), bucket_type: string('x') };
    // @ts-expect-error OpenTofu iterates no list
    resource('b2_bucket', 'x', { forEach: strings(['a']), arguments: args });
    // @ts-expect-error nothing of that name to ignore
    resource('b2_bucket', 'x', { arguments: args, lifecycle: { ignoreChanges: ['tags'] } });
    // @ts-expect-error a literal, never an expression (field report 27)
    resource('b2_bucket', 'x', { arguments: args, lifecycle: { preventDestroy: reference<boolean>('var', 'x') } });
  });

  it('data sources and providers', () => {
    dataSource('netbird_dns_zone', 'x', { arguments: { domain: string('x') } });
    // @ts-expect-error computed only
    dataSource('netbird_dns_zone', 'x', { arguments: { enabled: string('x') } });
    provider('netbird', { arguments: { management_url: string('x') } });
    // @ts-expect-error no such argument
    provider('b2', { arguments: { management_url: string('x') } });
  });
});
