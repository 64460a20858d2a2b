/** A real S3 server on loopback that keeps objects as files of a folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTool } from '../conformance/tools.ts';
import { findFreePort } from '../fixtures/free-port.ts';

const START_TIMEOUT = 10_000;

export class Store {
  static readonly BUCKET = 'state';
  static readonly ACCESS_KEY_ID = 'test-access';
  static readonly SECRET_ACCESS_KEY = 'test-secret-access-key';

  readonly endpoint: string;
  readonly #folder: string;
  readonly #bucket: string;
  readonly #server: ChildProcess;

  private constructor(endpoint: string, folder: string, bucket: string, server: ChildProcess) {
    this.endpoint = endpoint;
    this.#folder = folder;
    this.#bucket = join(folder, 'objects', bucket);
    this.#server = server;
  }

  /** With one empty bucket. Requests that are signed for another region are refused. */
  static async start(bucket = Store.BUCKET, region = 'us-east-1'): Promise<Store> {
    const folder = mkdtempSync(join(tmpdir(), 'state-store-'));
    for (const name of ['objects', 'metadata', `objects/${bucket}`]) mkdirSync(join(folder, name));
    const port = await findFreePort();
    const server = spawn(
      findTool('versitygw'),
      [
        '--port',
        `127.0.0.1:${port}`,
        '--region',
        region,
        '--quiet',
        'posix',
        '--sidecar',
        join(folder, 'metadata'),
        join(folder, 'objects'),
      ],
      {
        env: { ROOT_ACCESS_KEY: Store.ACCESS_KEY_ID, ROOT_SECRET_KEY: Store.SECRET_ACCESS_KEY },
        stdio: 'ignore',
      },
    );
    const store = new Store(`http://127.0.0.1:${port}`, folder, bucket, server);
    await waitForPort(port, server);
    return store;
  }

  async stop(): Promise<void> {
    if (this.#server.exitCode === null) {
      const exited = once(this.#server, 'exit');
      this.#server.kill();
      await exited;
    }
    rmSync(this.#folder, { recursive: true });
  }

  /** Keys of all objects, sorted. */
  keys(): string[] {
    return readdirSync(this.#bucket, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(this.#bucket.length + 1))
      .sort();
  }

  read(key: string): string {
    return readFileSync(join(this.#bucket, key), 'utf8');
  }

  /** Writes past the server, over an object that is there. */
  overwrite(key: string, content: string): void {
    writeFileSync(join(this.#bucket, key), content, { flag: 'r+' });
    truncateSync(join(this.#bucket, key), Buffer.byteLength(content));
  }
}

async function waitForPort(port: number, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT;
  while (Date.now() < deadline && server.exitCode === null) {
    if (await accepts(port)) return;
    await sleep(20);
  }
  throw new Error(`the S3 server does not listen on ${port} (exit code ${server.exitCode})`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
