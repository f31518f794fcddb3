import { once } from 'node:events';
import { messageOf } from '@binnacle/base';
import type { Logger, Scope } from '@binnacle/base';
import { nodeHttp } from '@binnacle/base/node';
import type { HealthReply } from '@binnacle/proxy';

/** The answer to a path; undefined: there is no such page. */
export type Pages = (path: string) => HealthReply | undefined;

/** Where a proxy is asked, `host:port`, and what it answers there. */
export interface ProxyPages {
  readonly health: { readonly address: string; readonly pages: Pages };
  readonly work: { readonly address: string; readonly pages: Pages };
}

/** Answers about a proxy until the scope ends: to everybody about its health, and about its work where that is asked for. */
export async function serveProxyPages(
  { health, work }: ProxyPages,
  of: { readonly scope: Scope; readonly log: Logger },
): Promise<void> {
  if (health.address === work.address)
    return servePages(health.address, (path) => health.pages(path) ?? work.pages(path), of);
  for (const { address, pages } of [health, work]) await servePages(address, pages, of);
}

/** A port that is taken is told, and the proxy does without, as upstream's does. */
async function servePages(
  address: string,
  pages: Pages,
  { scope, log }: { readonly scope: Scope; readonly log: Logger },
): Promise<void> {
  const server = nodeHttp().createServer({ requestTimeout: 10_000 }, (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const { status, type, body } = pages(path) ?? { status: 404, type: 'text/plain', body: '404 page not found\n' };
    response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(body);
  });
  const at = address.lastIndexOf(':');
  server.listen(Number(address.slice(at + 1)), address.slice(0, at).replace(/^\[|\]$/g, ''));
  try {
    await once(server, 'listening');
  } catch (error) {
    log.warn('nobody can ask the proxy how it is', { address, reason: messageOf(error) });
    return;
  }
  scope.defer(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
}
