import { once } from 'node:events';
import { messageOf } from '@binnacle/base';
import type { Logger, Scope } from '@binnacle/base';
import { nodeHttp } from '@binnacle/base/node';
import { answerAboutProxy } from '@binnacle/proxy';
import type { RunningProxy } from '@binnacle/proxy';

/** Answers `/healthz`, `/livez` and `/metrics`; a port that is taken is told and does without, as upstream's does. */
export async function serveAboutProxy(of: {
  /** `host:port`. */
  readonly address: string;
  readonly running: RunningProxy;
  readonly scope: Scope;
  readonly log: Logger;
}): Promise<void> {
  const { address, running, scope, log } = of;
  const server = nodeHttp().createServer({ requestTimeout: 10_000 }, (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const reply = answerAboutProxy(path, running.report, Date.now());
    const { status, type, body } = reply ?? { status: 404, type: 'text/plain', body: '404 page not found\n' };
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
