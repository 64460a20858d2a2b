import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProviderConfig, WorkspaceParameters } from './api.ts';
import {
  configurationFiles,
  credentialsFile,
  initArguments,
  moduleFile,
  rootModuleFolder,
  variableOptions,
  writeRunFile,
} from './run-files.ts';

const PARAMETERS: WorkspaceParameters = { source: 'Inline', module: '# module' };

function config(spec: ProviderConfig['spec']): ProviderConfig {
  return { apiVersion: 'a', kind: 'ProviderConfig', metadata: { name: 'demo', uid: 'u' }, spec };
}

describe('files of a run directory', () => {
  it.each([
    { inlineFormat: undefined, path: '/run/main.tf' },
    { inlineFormat: 'HCL', path: '/run/main.tf' },
    { inlineFormat: 'JSON', path: '/run/main.tf.json' },
  ] as const)('module as $inlineFormat: $path', ({ inlineFormat, path }) => {
    const parameters = { ...PARAMETERS, ...(inlineFormat === undefined ? {} : { inlineFormat }) };
    expect(moduleFile('/run', parameters)).toMatchObject({ path, content: '# module' });
  });

  it.each([
    { entrypoint: '', folder: '/run' },
    { entrypoint: 'deep/er', folder: '/run/deep/er' },
    { entrypoint: '../../etc', folder: '/run/etc' },
  ])('entrypoint "$entrypoint"', ({ entrypoint, folder }) => {
    expect(rootModuleFolder('/run', { ...PARAMETERS, entrypoint })).toBe(folder);
  });

  it('a credential is known by the last part of its name, and would overwrite the module', () => {
    expect(credentialsFile('/run', 'a/b/key.json', Buffer.from('x')).path).toBe('/run/key.json');
    expect(credentialsFile('/run', 'a/main.tf', Buffer.from('x')).path).toBe('/run/main.tf');
  });

  it('configuration and backend file, where there are any', () => {
    expect(configurationFiles('/run', config({}))).toEqual([]);
    const both = config({ configuration: '# configuration', backendFile: '# backend' });
    expect(configurationFiles('/run', both).map(({ path, content }) => [path, content])).toEqual([
      ['/run/crossplane-provider-config.tf', '# configuration'],
      ['/run/crossplane.remote.tfbackend', '# backend'],
    ]);
  });

  it('arguments of init', () => {
    const parameters = { ...PARAMETERS, initArgs: ['-upgrade'] };
    expect(initArguments('/run', config({}), parameters)).toEqual(['-upgrade']);
    expect(initArguments('/run', config({ backendFile: '#' }), parameters)).toEqual([
      '-backend-config=/run/crossplane.remote.tfbackend',
      '-upgrade',
    ]);
  });

  it('variables: values, then files, then the map', () => {
    const parameters = { ...PARAMETERS, vars: [{ key: 'a', value: 'b c' }], varmap: { list: [1] } };
    const files = [
      { format: 'HCL', content: 'x = 1' },
      { format: 'JSON', content: '{}' },
    ] as const;
    const options = variableOptions('/run', parameters, files);
    expect(options.args).toEqual([
      '-var=a=b c',
      '-var-file=crossplane-provider-opentofu-0.tfvars',
      '-var-file=crossplane-provider-opentofu-1.tfvars.json',
      '-var-file=crossplane-provider-opentofu-2.tfvars.json',
    ]);
    expect(options.files.map(({ path, content }) => [path, content])).toEqual([
      ['/run/crossplane-provider-opentofu-0.tfvars', 'x = 1'],
      ['/run/crossplane-provider-opentofu-1.tfvars.json', '{}'],
      ['/run/crossplane-provider-opentofu-2.tfvars.json', '{"list":[1]}'],
    ]);
    expect(variableOptions('/run', PARAMETERS, [])).toEqual({ args: [], files: [] });
  });

  it('are for their owner alone, and an error says which', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'run-'));
    await writeRunFile({ path: join(folder, 'main.tf'), content: 'x', fault: 'no' });
    expect(readFileSync(join(folder, 'main.tf'), 'utf8')).toBe('x');
    expect(statSync(join(folder, 'main.tf')).mode & 0o777).toBe(0o600);
    const missing = writeRunFile({ path: join(folder, 'no', 'main.tf'), content: 'x', fault: 'cannot write it' });
    await expect(missing).rejects.toThrow(/^cannot write it: ENOENT/);
    rmSync(folder, { recursive: true });
  });
});
