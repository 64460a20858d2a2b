/** Our step among others, and the wire: what is not ours passes through, whatever it is called. */
import { RunFunctionRequest, RunFunctionResponse, Severity } from '@crossplane-org/function-sdk-typescript';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEY } from '../../src/compose/keys.ts';
import { string } from '../../src/hcl/build.ts';
import { attr, body } from '../../src/hcl/build.ts';
import { print } from '../../src/hcl/print.ts';
import { scanStructure } from '../../src/hcl/scan.ts';
import { decode } from '../../src/wire/decode.ts';
import { encode } from '../../src/wire/encode.ts';
import { decide } from '../../src/decide.ts';
import {
  applied,
  conditionOf,
  find,
  input,
  moduleOf,
  observe,
  refuse,
  route,
  schedule,
  settle,
  xr,
  type Scene,
} from '../fixtures/objects.ts';
import { answer, requestOf, run } from '../fixtures/requests.ts';
import { localMap } from '../fixtures/texts.ts';

const BUCKET = 'demo-a-backups';
const SCENE: Scene = { schedules: [schedule('nightly', BUCKET)], routes: [route('web', ['app.int.example.test'])] };
const OTHER = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'other', namespace: 'demo-a' },
  data: { text: '${not} %{ours}', list: 'a,b' },
};

describe('field report 35: steps before us', () => {
  const composite = { apiVersion: 'platform.kueber.eu/v1alpha1', kind: 'TofuWorkspace', status: { theirs: ['kept'] } };
  const response = answer(
    requestOf(observe({ ...SCENE, desired: new Map([['other', OTHER]]) }), {
      context: { k: 'v', nested: { list: [1, null] } },
      desired: { composite: { resource: composite }, resources: { other: { resource: OTHER } } },
    }),
  );

  it('keeps their objects, their context and the tag', () => {
    expect(response.desired?.resources.other?.resource).toEqual(OTHER);
    expect(response.context).toEqual({ k: 'v', nested: { list: [1, null] } });
    expect(response.meta?.tag).toBe('tag-1');
    expect(Object.keys(response.desired?.resources ?? {})).toContain(KEY.workspace);
  });

  it('keeps their fields of the composite beside ours', () => {
    expect(response.desired?.composite?.resource).toMatchObject({ status: { theirs: ['kept'], bucketCount: 1 } });
  });

  it('refuses where a key of ours is taken, and leaves everything as it was', () => {
    const taken = new Map([[KEY.workspace, OTHER]]);
    const { desired, results } = answer(requestOf(observe({ ...SCENE, desired: taken })));
    expect(results.map(({ severity }) => severity)).toEqual([Severity.SEVERITY_FATAL]);
    expect(Object.keys(desired?.resources ?? {})).toEqual([KEY.workspace]);
    expect(desired?.resources[KEY.workspace]?.resource).toEqual(OTHER);
  });

  it('goes on beside an object whose name is left to core', () => {
    const nameless = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x-' } };
    expect(settle({ ...SCENE, desired: new Map([['nameless', nameless]]) }).resources.size).toBeGreaterThan(0);
  });
});

describe('source hazard H2: a throw loses the requirements', () => {
  it('answers a fault of ours with a Fatal result and the same requirements as ever', () => {
    const request = requestOf(observe({ ...SCENE, desired: new Map([['other', OTHER]]) }));
    const { requirements, results, desired, meta } = run(request, {
      decide: () => {
        throw new TypeError('S3CR3T-MARKER');
      },
    });
    expect(requirements).toEqual(answer(request).requirements);
    expect(results.map(({ severity, message }) => ({ severity, message }))).toEqual([
      { severity: Severity.SEVERITY_FATAL, message: 'the function failed on this request; its log has the reason' },
    ]);
    expect(Object.keys(desired?.resources ?? {})).toEqual(['other']);
    expect(meta?.ttl).toEqual({ seconds: 0, nanos: 0 });
  });
});

describe('source hazard H3: lists are merged and doubled', () => {
  it('writes our status whole over what an earlier step left there', () => {
    const status = { buckets: [{ name: 'old-bucket', state: 'Wanted' }], records: [{ name: 'x' }], selector: 'old' };
    const { desired } = answer(
      requestOf(observe(SCENE), { desired: { composite: { resource: { kind: 'TofuWorkspace', status } } } }),
    );
    expect(desired?.composite?.resource?.status).toEqual(settle(SCENE).status);
  });

  it('has each variable and each argument once, however often it answers', () => {
    const first = settle(SCENE);
    const again = settle({ ...SCENE, observed: applied(first) });
    expect(find(again, 'Workspace')).toEqual(find(first, 'Workspace'));
  });
});

describe('source hazard H4: names that every JavaScript object inherits', () => {
  const names = ['constructor', 'tostring', 'valueof', 'hasownproperty'];
  const scene: Scene = {
    schedules: names.map(name => schedule(name, name)),
    routes: names.map(name => route(name, [`${name}.int.example.test`])),
    input: input({ dns: { zones: ['int.example.test'] }, backup: { schedulesSecret: { name: '{{bucket}}' } } }),
    desired: new Map([['constructor', OTHER]]),
  };
  const keys = Object.fromEntries(names.map(name => [name, { id: `${name}-id`, secret: `${name}-key` }]));
  const first = settle(scene);
  const second = settle({ ...scene, observed: applied(first, { keys }) });

  it('are buckets, Schedules and hosts like any other', () => {
    expect(localMap(moduleOf(first), 'buckets')).toEqual(Object.fromEntries(names.map(name => [name, name])));
    expect(first.status.buckets).toEqual([...names].sort().map(name => ({ name, state: 'Wanted', schedules: [name] })));
    expect(Object.keys(localMap(moduleOf(first), 'records'))).toEqual(
      [...names].sort().map(name => `${name}.int.example.test`),
    );
  });

  it('are Secrets like any other, and keys of core too', () => {
    expect(names.map(name => find(second, 'Secret', name)?.data)).toEqual(
      names.map(name => ({ ACCESS_KEY_ID: btoa(`${name}-id`), SECRET_ACCESS_KEY: btoa(`${name}-key`) })),
    );
    const { desired } = answer(requestOf(observe(scene)));
    expect(desired?.resources.constructor).toMatchObject({ resource: OTHER });
  });

  it('are told apart from what is missing', () => {
    const decision = settle({ xr: xr({ releaseBuckets: ['constructor'] }) });
    expect(decision.warnings).toEqual(['spec.releaseBuckets: unknown bucket constructor: nothing remembers it']);
  });
});

describe('source hazard H6: what the wire drops or changes', () => {
  it.each([
    { name: 'settled', observation: observe(SCENE) },
    { name: 'waiting', observation: { ...observe(SCENE), required: new Map() } },
    { name: 'refused', observation: observe({ xr: xr({ retainBuckets: 'no' }) }) },
  ])('answers with what survives it whole: $name', ({ observation }) => {
    const request = requestOf(observation);
    const before = encode(request, decide(decode(request)));
    const after = RunFunctionResponse.decode(RunFunctionResponse.encode(before).finish());
    expect(JSON.parse(JSON.stringify(after))).toEqual(JSON.parse(JSON.stringify(before)));
  });
});

describe('source hazard H7: the answer shares objects with the request', () => {
  it('answers one request object twice alike and leaves it as it was', () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
        Object.values(value).forEach(freeze);
        Object.freeze(value);
      }
      return value;
    };
    const observed = applied(settle(SCENE), { outputs: { buckets: { [BUCKET]: 'id' } } });
    const request = freeze(requestOf(observe({ ...SCENE, observed, desired: new Map([['other', OTHER]]) })));
    const call = (): unknown => encode(request, decide(decode(request)));
    const copy = RunFunctionRequest.encode(request).finish();
    expect(call()).toEqual(call());
    expect(RunFunctionRequest.encode(request).finish()).toEqual(copy);
  });
});

describe('field report 6 and source hazard H5: template openers in data become code', () => {
  const HOSTILE = [
    'a${path.module}b',
    '$${X}',
    'cost$',
    '${file("/etc/passwd")}',
    '%{ if true }',
    '"}\nresource "b2_bucket" "evil" {',
  ];

  it.each(HOSTILE)('reads %j back from the printed string as it was', text => {
    const printed = print(body([attr('value', string(text))]));
    expect(scanStructure(printed).attributes.get('value')).toBe(text);
  });

  it('reads any text over the dangerous characters back', () => {
    const dangerous = fc.string({
      unit: fc.constantFrom('$', '%', '{', '}', '"', '\\', '\n', '\b', '\f', 'a'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(dangerous, text => {
        expect(scanStructure(print(body([attr('value', string(text))]))).attributes.get('value')).toBe(text);
      }),
    );
  });

  it.each(HOSTILE)('lets %j as free text of an object reach neither module nor configuration', text => {
    const metadata = { annotations: { note: text } };
    const hostile = settle({
      schedules: [schedule('nightly', BUCKET, { ...metadata, labels: { 'crossplane-workspace': 'true', note: text } })],
      routes: [route('web', ['app.int.example.test', `${text}.int.example.test`], metadata)],
      xr: xr({}, { metadata }),
    });
    expect(moduleOf(hostile)).toBe(moduleOf(settle(SCENE)));
    expect(hostile.resources).toEqual(settle(SCENE).resources);
  });

  it.each(HOSTILE)('refuses %j as a bucket, a template, an address or an endpoint', text => {
    expect(refuse({ schedules: [schedule('nightly', text)] }).fatal).toContain('spec.backend.s3.bucket: expected');
    expect(refuse({ xr: xr({ movedFrom: [{ address: text, bucket: BUCKET }] }) }).fatal).toContain(
      'spec.movedFrom[0].address',
    );
    expect(refuse({ input: input({ backup: { keyName: text } }) }).fatal).toContain('backup.keyName: expected');
    expect(refuse({ input: input({ state: { endpoint: text } }) }).fatal).toContain('state.endpoint: expected');
  });

  it('writes what a moved address may hold as it is', () => {
    const address = 'module.old["a b/c:d@e"].b2_bucket.old';
    expect(moduleOf(settle({ xr: xr({ movedFrom: [{ address, bucket: BUCKET }] }) }))).toContain(
      `  from = ${address}\n`,
    );
  });
});

describe('further fact: Handlebars lets unknown names through and escapes as HTML', () => {
  it.each([
    '{{bukket}}-{{bucket}}',
    '{{#if owner}}x{{/if}}{{bucket}}',
    '{{lookup this "x"}}{{bucket}}',
    '{{#each bucket}}{{this}}{{/each}}',
  ])('refuses %s with the field, on the Fatal answer', name => {
    const decision = refuse({ ...SCENE, input: input({ backup: { schedulesSecret: { name } } }) });
    expect(conditionOf(decision, 'IntentSettled').reason).toBe('InvalidDocument');
    expect(decision.fatal).toContain(
      'cannot read Input: backup.schedulesSecret.name: expected a Handlebars template of text and the names namespace, bucket',
    );
  });

  it('escapes nothing, and refuses a result that is no name', () => {
    const backup = { keyName: "{{bucket}}-o'neil" };
    expect(refuse({ ...SCENE, input: input({ backup }) }).fatal).toContain(
      'backup.keyName: expected a template whose result is',
    );
    expect(
      localMap(
        moduleOf(settle({ ...SCENE, input: input({ backup: { keyName: '{{namespace}}--{{{bucket}}}' } }) })),
        'application_keys',
      ),
    ).toEqual({
      [BUCKET]: `demo-a--${BUCKET}`,
    });
  });
});
