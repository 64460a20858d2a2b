/** Plain HTTP for those who operate: /metrics, /livez, /readyz. Says nothing of any request's content. */
import { createServer, type ServerResponse } from 'node:http';
import type { Address } from './address.ts';
import { bind } from './bind.ts';
import type { Metrics } from './metrics.ts';

export interface Operations {
  readonly address: Address;
  close(): void;
}

/**
 * @param findFault why the process is not ready; undefined where it is
 * @throws StartError where the address cannot be listened on
 */
export async function serveOperations(
  wanted: Address,
  metrics: Metrics,
  findFault: () => string | undefined,
): Promise<Operations> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(response, 405, 'method not allowed\n');
    else if (path === '/livez') answer(response, 200, 'ok\n');
    else if (path === '/readyz') answerReadiness(response, findFault());
    else if (path === '/metrics') void answerMetrics(response, metrics);
    else answer(response, 404, 'not found\n');
  });
  server.maxConnections = 100;
  const address = await bind(server, wanted);
  return {
    address,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerReadiness(response: ServerResponse, fault: string | undefined): void {
  if (fault === undefined) answer(response, 200, 'ok\n');
  else answer(response, 503, `${fault}\n`);
}

async function answerMetrics(response: ServerResponse, metrics: Metrics): Promise<void> {
  try {
    answer(response, 200, await metrics.print(), metrics.contentType);
  } catch {
    answer(response, 500, 'cannot collect\n');
  }
}

function answer(response: ServerResponse, code: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
}
