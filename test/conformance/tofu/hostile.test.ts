/** Texts that look like code, in every place of the module that holds a text of others: each arrives as itself. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { consider, parse } from '../../../src/decide.ts';
import { print } from '../../../src/hcl/print.ts';
import type { Intent, WantedBucket } from '../../../src/intent/intent.ts';
import { buildRootModule } from '../../../src/tofu/root-module.ts';
import { observe } from '../../fixtures/objects.ts';
import { describeTofu } from './app.ts';

const HOSTILE = [
  '${file("/etc/passwd")}',
  '%{ for x in [1] }x%{ endfor }',
  '"\nresource "b2_bucket" "x" {}\n#',
  '\\" } \\',
  '$${a} $$${b} %%{c}',
  '<<EOT\nx\nEOT\n',
  '/* // # */',
  '\u0000\u001b[31m\r\n\t\u202e\u{1F600}',
  '__proto__',
  "'; DROP TABLE buckets; --",
];

function hostileIntent(): Intent {
  const scene = observe();
  const { intent } = consider(scene, parse(scene));
  const wanted = HOSTILE.map((text, index): WantedBucket => ({
    state: 'Wanted',
    key: text,
    name: `${text} ${index}`,
    schedules: [],
    applicationKeyName: `key ${text}`,
    secretName: '',
  }));
  const retained = { state: 'Retained', key: `retained ${HOSTILE[0]}`, name: `retained ${HOSTILE[1]}` } as const;
  return {
    ...intent,
    buckets: [...wanted, retained],
    keyCapabilities: HOSTILE,
    moves: HOSTILE.map(text => ({
      from: [
        { kind: 'name', name: 'b2_bucket' },
        { kind: 'name', name: 'old' },
        { kind: 'index', index: text },
      ],
      resource: 'b2_bucket',
      key: text,
    })),
    dns: {
      zones: HOSTILE,
      records: HOSTILE.map(text => ({ name: `record ${text}`, zone: text })),
      type: 'A',
      content: HOSTILE.join(''),
      ttl: 300,
      managementUrl: HOSTILE.join(' '),
    },
  };
}

const each = (map: (text: string, index: number) => string): string[] => HOSTILE.map(map).sort();

describeTofu('hostile texts', start => {
  it('stay texts', async () => {
    const app = start();
    for (const [index, domain] of HOSTILE.entries())
      app.world.put('netbird_dns_zone', `hostile-${index}`, { id: `hostile-${index}`, name: '', domain });
    const order = {
      ...app.order(app.settle()),
      module: print(buildRootModule(hostileIntent())),
    };
    await app.directory.connect(order);
    await app.directory.apply(order);

    const { world } = app;
    const retained = `retained ${HOSTILE[1]}`;
    expect(world.list('b2_bucket', 'bucket_name')).toEqual([...each((text, i) => `${text} ${i}`), retained].sort());
    expect(world.list('b2_application_key', 'key_name')).toEqual(each(text => `key ${text}`));
    for (const key of Object.values(world.objects('b2_application_key')))
      expect([...(key.capabilities as string[])].sort()).toEqual([...HOSTILE].sort());
    expect(world.list('netbird_dns_record', 'name')).toEqual(each(text => `record ${text}`));
    expect(new Set(world.list('netbird_dns_record', 'content'))).toEqual(new Set([HOSTILE.join('')]));

    const outputs = new Map((await app.directory.outputs(order)).map(({ name, value }) => [name, value]));
    expect(Object.keys(outputs.get('buckets') as object).sort()).toEqual(
      [...each((text, i) => `${text} ${i}`), retained].sort(),
    );
    expect(Object.keys(outputs.get('application_keys') as object).sort()).toEqual([...HOSTILE].sort());
    expect((await app.directory.plan(order)).differs).toBe(false);

    // And through the formatter, as it stands.
    const file = `${app.directory.folder}/main.tf`;
    writeFileSync(file, order.module);
    expect(await app.directory.run(order, 'fmt', '-check', '-diff')).toMatchObject({ status: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe(order.module);
  });
});
