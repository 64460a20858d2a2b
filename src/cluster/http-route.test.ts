import { describe, expect, it } from 'vitest';
import { route } from '../../test/fixtures/objects.ts';
import { parseKubeObject } from '../kube.ts';
import { parseHttpRoute, type HttpRoute } from './http-route.ts';

function parse(hostnames: unknown, zones: readonly string[] = ['int.example.test']): HttpRoute {
  return parseHttpRoute(parseKubeObject(route('web', hostnames)), zones);
}

describe('hosts', () => {
  const cases: { name: string; reason: string; hostnames: unknown; hosts: string[] }[] = [
    { name: 'None', reason: "the listener's host is not ours to read", hostnames: undefined, hosts: [] },
    { name: 'EmptyList', reason: 'an empty list is none', hostnames: [], hosts: [] },
    {
      name: 'Normalised',
      reason: 'lower-case, no final dot, once each, sorted',
      hostnames: ['B.INT.example.test.', 'a.int.example.test', 'b.int.example.test'],
      hosts: ['a.int.example.test', 'b.int.example.test'],
    },
    {
      name: 'Apex',
      reason: 'a record may bear the name of its zone',
      hostnames: ['int.example.test'],
      hosts: ['int.example.test'],
    },
    {
      name: 'OtherZone',
      reason: 'public names are none of ours',
      hostnames: ['app.example.test', 'xint.example.test'],
      hosts: [],
    },
    {
      name: 'Wildcard',
      reason: 'custom zones hold no wildcards; the other hosts still count',
      hostnames: ['*.int.example.test', 'ok.int.example.test'],
      hosts: ['ok.int.example.test'],
    },
    {
      name: 'Invalid',
      reason: 'not a host name',
      hostnames: ['a_b.int.example.test', '-a.int.example.test', 'a..int.example.test'],
      hosts: [],
    },
  ];
  it.each(cases)('$name: $reason', ({ hostnames, hosts }) => {
    expect(parse(hostnames).hosts.map(({ name }) => name)).toEqual(hosts);
  });

  it('belong to the longest zone that fits', () => {
    const { hosts } = parse(['a.lab.int.example.test'], ['int.example.test', 'lab.int.example.test']);
    expect(hosts).toEqual([{ name: 'a.lab.int.example.test', zone: 'lab.int.example.test' }]);
  });

  it('warn only where somebody probably expects a record', () => {
    expect(parse(['app.example.test', '*.int.example.test']).ignored).toEqual([
      { host: '*.int.example.test', why: 'a NetBird zone holds no wildcard records', warn: true },
      { host: 'app.example.test', why: 'in none of the zones', warn: false },
    ]);
  });
});

describe('an unreadable route', () => {
  const cases: { name: string; hostnames: unknown; says: string }[] = [
    { name: 'Text', hostnames: 'app.int.example.test', says: 'spec.hostnames: expected a list of strings, got string' },
    { name: 'Map', hostnames: { a: 'b' }, says: 'spec.hostnames: expected a list of strings, got an object' },
    {
      name: 'WrongItems',
      hostnames: [null, 5],
      says: 'spec.hostnames[0]: expected a non-empty string, got null; spec.hostnames[1]: expected a non-empty string, got number 5',
    },
  ];
  it.each(cases)('$name says where, what was expected and what was found', ({ hostnames, says }) => {
    expect(() => parse(hostnames)).toThrow(says);
    expect(() => parse(hostnames)).toThrow('HTTPRoute demo-a/web');
  });
});
