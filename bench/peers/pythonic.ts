/** crossplane-function-pythonic, from PyPI, with the composition beside this file. */
import { RunFunctionRequest, RunFunctionResponse } from '@crossplane-org/function-sdk-typescript';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createCaller } from '../../test/contract/caller.ts';
import { PORT } from '../server.ts';

const FOLDER = join(import.meta.dirname, 'pythonic');
const REQUIREMENTS = join(FOLDER, 'requirements.txt');

/** Installs the pinned version where the other tools lie, outside git, unless it is there. */
export function installPythonic(): readonly string[] {
  const [, version = ''] = readFileSync(REQUIREMENTS, 'utf8').trim().split('==');
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const tools = process.env.FTW_TOOLS_DIR ?? join(cache, 'function-tofu-workspace/tools');
  const venv = join(tools, `pythonic-${version}`);
  const program = join(venv, 'bin/function-pythonic');
  if (!existsSync(program)) {
    mkdirSync(tools, { recursive: true });
    execFileSync('python3', ['-m', 'venv', venv], { stdio: 'inherit' });
    execFileSync(join(venv, 'bin/pip'), ['install', '--quiet', '--requirement', REQUIREMENTS], { stdio: 'inherit' });
  }
  return [program, '--insecure', '--allow-oversize-protos', '--address', `127.0.0.1:${PORT}`];
}

/**
 * The same objects as it wants them: its script as Input, the required objects in the field that it reads, and the
 * context of its own last answer, without which it asks for required objects again.
 */
export async function adaptToPythonic(request: Buffer, address: string): Promise<Buffer> {
  const { requiredResources, ...rest } = RunFunctionRequest.decode(request);
  const asked: RunFunctionRequest = {
    ...rest,
    input: { composite: readFileSync(join(FOLDER, 'composite.py'), 'utf8'), step: 'bench' },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the field that this peer reads
    extraResources: requiredResources,
    requiredResources: {},
  };
  const caller = createCaller(address);
  const call = async (message: RunFunctionRequest): Promise<RunFunctionResponse> =>
    RunFunctionResponse.decode(await caller.callBytes(Buffer.from(RunFunctionRequest.encode(message).finish())));
  const settled = { ...asked, context: (await call(asked)).context };
  const { desired, results } = await call(settled);
  caller.close();
  const wanted = Object.keys(rest.observed?.resources ?? {}).filter(key => key.startsWith('tofu-credentials-'));
  if (!wanted.every(key => Object.hasOwn(desired?.resources ?? {}, key)))
    throw new Error(`function-pythonic does not compose what it should: ${JSON.stringify(results)}`);
  return Buffer.from(RunFunctionRequest.encode(settled).finish());
}
