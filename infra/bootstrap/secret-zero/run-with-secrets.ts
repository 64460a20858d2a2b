/** Runs a command that needs secrets: in its environment, or as files that have no name. */
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { constants } from 'node:os';
import { openNamelessFile } from './nameless-file.ts';

export interface SecretInputs {
  /** Variable → value. */
  readonly variables: Readonly<Record<string, string>>;
  /** Variable → content of the file that it names. */
  readonly files: Readonly<Record<string, string>>;
}

export async function runWithSecrets(command: readonly string[], inputs: SecretInputs): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) throw new Error('no command to run');
  const descriptors: number[] = [];
  const environment: NodeJS.ProcessEnv = { ...process.env, ...inputs.variables };
  for (const [variable, content] of Object.entries(inputs.files)) {
    descriptors.push(openNamelessFile(content));
    // The child's descriptors are 0, 1, 2 and then these. Opening it anew through /proc starts at its first byte.
    environment[variable] = `/proc/self/fd/${2 + descriptors.length}`;
  }
  const child = spawn(program, args, {
    stdio: ['inherit', 'inherit', 'inherit', ...descriptors],
    env: environment,
  });
  for (const descriptor of descriptors) closeSync(descriptor);
  const forward = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  process.on('SIGINT', forward).on('SIGTERM', forward);
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']);
      });
    });
  } finally {
    process.off('SIGINT', forward).off('SIGTERM', forward);
  }
}
