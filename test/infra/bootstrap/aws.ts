/** A server that speaks the API of AWS Secrets Manager (moto), and a proxy before it that can kill a client between calls. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createPort, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BOOTSTRAP } from './site-fixture.ts';

/** Folder of the commands that requirements.txt pins. */
export function pythonCommands(): string {
  return execFileSync(join(BOOTSTRAP, 'python.sh'), { encoding: 'utf8' }).trim();
}

export class Aws {
  readonly #moto: ChildProcess;
  readonly #proxy: Server;
  readonly #port: number;
  readonly environment: NodeJS.ProcessEnv;
  /** Operations that were asked for, in order. */
  readonly calls: string[] = [];
  /** After this many more operations that change something, the client is killed and hears nothing. */
  killAfter = Infinity;
  victim: (() => void) | undefined;

  private constructor(moto: ChildProcess, port: number, proxy: Server) {
    this.#moto = moto;
    this.#port = port;
    this.#proxy = proxy;
    this.environment = {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    };
  }

  static async start(): Promise<Aws> {
    const port = await freePort();
    const moto = spawn(join(pythonCommands(), 'moto_server'), ['-H', '127.0.0.1', '-p', port.toString()], {
      stdio: 'ignore',
    });
    const proxy = createServer();
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    const aws = new Aws(moto, port, proxy);
    proxy.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      aws.#pass(incoming, outgoing);
    });
    for (let tries = 0; tries < 1_500; tries += 1) {
      const up = await fetch(`http://127.0.0.1:${port}/moto-api/`).then(
        () => true,
        () => false,
      );
      if (up) return aws;
      await sleep(200);
    }
    throw new Error('moto did not start');
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const operation = String(incoming.headers['x-amz-target']).replace('secretsmanager.', '');
    this.calls.push(operation);
    const { headers, method, url: path } = incoming;
    const forward = request({ host: '127.0.0.1', port: this.#port, headers, method, path }, answer => {
      if (/^(Create|Put|Update)/.test(operation)) this.killAfter -= 1;
      if (this.killAfter <= 0) {
        this.killAfter = Infinity;
        this.victim?.();
        answer.resume();
        outgoing.destroy();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    forward.on('error', () => outgoing.destroy());
    incoming.pipe(forward);
  }

  /** One operation, past the proxy. */
  async ask<T>(operation: string, body: object): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `secretsmanager.${operation}`,
        authorization: 'AWS4-HMAC-SHA256 Credential=test/20260101/eu-central-1/secretsmanager/aws4_request',
      },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as T;
  }

  /** Every value of every version under a prefix, by secret and label. */
  async versions(prefix: string): Promise<readonly StoredVersion[]> {
    const { SecretList } = await this.ask<{ SecretList: { Name: string; SecretVersionsToStages?: Stages }[] }>(
      'ListSecrets',
      { MaxResults: 100 },
    );
    const found: StoredVersion[] = [];
    for (const { Name, SecretVersionsToStages } of SecretList.filter(each => each.Name.startsWith(`${prefix}/`))) {
      for (const [version, labels] of Object.entries(SecretVersionsToStages ?? {})) {
        const { SecretString } = await this.ask<{ SecretString: string }>('GetSecretValue', {
          SecretId: Name,
          VersionId: version,
        });
        const name = Name.slice(prefix.length + 1);
        found.push({ name, labels, values: JSON.parse(SecretString) as Record<string, string> });
      }
    }
    return found;
  }

  stop(): void {
    this.#proxy.close();
    this.#proxy.closeAllConnections();
    this.#moto.kill('SIGKILL');
  }
}

type Stages = Readonly<Record<string, readonly string[]>>;

export interface StoredVersion {
  readonly name: string;
  readonly labels: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

async function freePort(): Promise<number> {
  const server = createPort();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}
