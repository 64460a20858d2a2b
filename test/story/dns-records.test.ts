/** From hostnames to records. */
import { describe, expect, it } from 'vitest';
import {
  applied,
  conditionOf,
  DNS_ON,
  input,
  moduleOf,
  refuse,
  route,
  schedule,
  settle,
  xr,
} from '../fixtures/objects.ts';
import { blockOf, localMap } from '../fixtures/texts.ts';

const APP = 'app.int.example.test';
const API = 'api.int.example.test';
const ZONE = 'int.example.test';

describe('field report 17: same host twice, or only the first host', () => {
  const routes = [route('web', [APP]), route('api', [APP, 'API.int.example.test.', APP])];

  it('makes one record per host over all routes', () => {
    const decision = settle({ routes });
    expect(moduleOf(decision)).toContain(`  records = {\n    "${API}" = "${ZONE}"\n    "${APP}" = "${ZONE}"\n  }\n`);
    expect(decision.status.records).toEqual([API, APP].map(name => ({ name, type: 'A', content: '100.64.0.10' })));
    expect(decision.status.recordCount).toBe(2);
  });

  it('does not mind the order', () => {
    const reversed = [route('api', ['API.int.example.test.', APP]), route('web', [APP])];
    expect(moduleOf(settle({ routes: reversed }))).toBe(moduleOf(settle({ routes })));
  });

  it('deletes a record only when the last of its routes has gone', () => {
    expect(Object.keys(localMap(moduleOf(settle({ routes: routes.slice(1) })), 'records'))).toEqual([API, APP]);
    expect(Object.keys(localMap(moduleOf(settle({ routes: routes.slice(0, 1) })), 'records'))).toEqual([APP]);
  });
});

describe('field report 18: routes without hostnames, and wildcards', () => {
  const decision = settle({
    routes: [
      route('none', undefined),
      route('empty', []),
      route('wild', ['*.int.example.test', 'ok.int.example.test', '10.0.0.1', '*']),
    ],
  });

  it('publishes what a route asks for by its own hostnames, and nothing else', () => {
    expect(localMap(moduleOf(decision), 'records')).toEqual({ 'ok.int.example.test': ZONE });
    expect(conditionOf(decision, 'RecordsResolved').status).toBe('True');
  });

  it('names the route and the wildcard that gets no record', () => {
    expect(decision.warnings).toEqual([
      'HTTPRoute demo-a/wild: no record for "*.int.example.test": a NetBird zone holds no wildcard records',
    ]);
  });
});

describe('field report 20: record names that never converge', () => {
  const record = `resource "netbird_dns_record" "internal" {
  for_each = local.records
  zone_id  = data.netbird_dns_zone.zone[each.value].id
  name     = each.key
  type     = "A"
  content  = "100.64.0.10"
  ttl      = 300
}`;

  it('writes the full name in lower case without final dot, with type, content and ttl', () => {
    const module = moduleOf(settle({ routes: [route('web', ['App.INT.example.test.'])] }));
    expect(localMap(module, 'records')).toEqual({ [APP]: ZONE });
    expect(blockOf(module, 'resource "netbird_dns_record" "internal"')).toBe(record);
  });

  it('looks zones up and creates none', () => {
    const module = moduleOf(settle({ routes: [route('web', [APP])] }));
    expect(blockOf(module, 'data "netbird_dns_zone" "zone"')).toBe(
      'data "netbird_dns_zone" "zone" {\n  for_each = toset(local.zones)\n  domain   = each.value\n}',
    );
    expect(module).not.toContain('resource "netbird_dns_zone"');
  });

  it('keeps zone look-up, provider and record block without a route: old records are to be removed', () => {
    const module = moduleOf(settle({}));
    expect(blockOf(module, 'provider "netbird"')).toBe('provider "netbird" {}');
    expect(blockOf(module, 'data "netbird_dns_zone" "zone"')).toBeDefined();
    expect(blockOf(module, 'resource "netbird_dns_record" "internal"')).toBe(record);
    expect(localMap(module, 'records')).toEqual({});
  });

  it('has no NetBird at all with DNS off', () => {
    expect(moduleOf(settle({ input: input() }))).not.toMatch(/netbird/i);
  });

  it('refuses to switch DNS off while records exist: nothing could delete them any more', () => {
    const observed = applied(settle({ routes: [route('web', [APP])] }), {
      outputs: { buckets: {}, records: { [APP]: '100.64.0.10' } },
    });
    const decision = refuse({ input: input(), observed });
    expect(conditionOf(decision, 'IntentSettled').reason).toBe('DnsOffWithRecords');
    expect(decision.fatal).toContain(`the Input has no dns, and records exist: ${APP}.`);
    const status = { records: [{ name: API, type: 'A', content: '100.64.0.10' }] };
    expect(refuse({ input: input(), xr: xr({}, { status }) }).fatal).toContain(`records exist: ${API}.`);
  });
});

describe('doubt about DNS never blocks backups', () => {
  it.each([
    { name: 'text', hostnames: APP },
    { name: 'a map', hostnames: { a: 'b' } },
    { name: 'a list of no strings', hostnames: [null, 5] },
  ])('keeps the records that exist, and goes on with buckets, where hostnames is $name', ({ hostnames }) => {
    const observed = applied(settle({ routes: [route('web', [APP])] }), {
      outputs: { buckets: {}, records: { [APP]: '100.64.0.10' } },
    });
    const decision = settle({
      input: input(DNS_ON),
      routes: [route('web', hostnames), route('new', [API])],
      schedules: [schedule('nightly', 'demo-a-backups')],
      observed,
    });
    expect(localMap(moduleOf(decision), 'records')).toEqual({ [APP]: ZONE, [API]: ZONE });
    expect(localMap(moduleOf(decision), 'buckets')).toEqual({ 'demo-a-backups': 'demo-a-backups' });
    expect(conditionOf(decision, 'RecordsResolved')).toMatchObject({ status: 'False', reason: 'UnreadableRoute' });
  });
});
