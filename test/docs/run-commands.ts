/** Runs the blocks of one document in a clean copy, each in a shell of its own that stops at the first failure. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../fixtures/free-port.ts';
import { makeCleanCopy, type CleanCopy } from './clean-copy.ts';
import { ROOT } from './documents.ts';

/** Where the pages put a server and a file of the reader's. Here each run has its own. */
const ADDRESS = '127.0.0.1:9443';
const SCRATCH = /\/tmp\/(?=[a-z])/g;

export class DocumentRun {
  readonly #copy: CleanCopy = makeCleanCopy();
  readonly #servers: ChildProcess[] = [];
  #address: string | undefined;

  /** @throws Error with what the block printed, where it ends with another exit code than 0 */
  async run(script: string): Promise<string> {
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', await this.#adapt(script)], {
      ...this.#surroundings(),
      encoding: 'utf8',
      timeout: 110_000,
    });
    if (status !== 0) throw new Error(`exit code ${status ?? 'none, it took too long'}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Returns when the server answers at the address that the block names. */
  async start(script: string): Promise<void> {
    const server = spawn('bash', ['-euo', 'pipefail', '-c', await this.#adapt(script)], {
      ...this.#surroundings(),
      detached: true,
      stdio: 'ignore',
    });
    this.#servers.push(server);
    for (let attempt = 0; attempt < 300; attempt++) {
      if (await answers(this.#address ?? ADDRESS)) return;
      if (server.exitCode !== null) throw new Error(`the server ended with exit code ${server.exitCode}`);
      await sleep(100);
    }
    throw new Error('the server does not answer');
  }

  stop(): void {
    // Its group, since make and npm stand between.
    for (const { pid } of this.#servers) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    this.#copy.remove();
  }

  async #adapt(script: string): Promise<string> {
    if (script.includes(ADDRESS)) this.#address ??= `127.0.0.1:${await findFreePort()}`;
    return script.replaceAll(ADDRESS, this.#address ?? ADDRESS).replace(SCRATCH, `${this.#copy.root}/`);
  }

  #surroundings() {
    // Nothing of the one who runs the tests: no home, no credentials, no cluster.
    const { PATH = '', LANG = 'C.UTF-8' } = process.env;
    return { cwd: this.#copy.root, env: { PATH, LANG, HOME: this.#copy.root, FTW_TOOLS_DIR: toolsFolder() } };
  }
}

/** As tools/lib.sh has it, since a command may look for the tools from elsewhere. */
function toolsFolder(): string {
  const { FTW_TOOLS_DIR, XDG_CACHE_HOME, HOME = '' } = process.env;
  return FTW_TOOLS_DIR ?? join(XDG_CACHE_HOME ?? join(HOME, '.cache'), 'function-tofu-workspace/tools');
}

/** Whether what `tools/build.sh` is told to build in the blocks of a document has been built. */
export function toolsAreBuilt(names: readonly string[]): boolean {
  return names.every(name => spawnSync('tools/path.sh', [name], { cwd: ROOT }).status === 0);
}

function answers(address: string): Promise<boolean> {
  const [host = '', port = ''] = address.split(':');
  return new Promise(resolve => {
    const socket = connect({ host, port: Number(port) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
