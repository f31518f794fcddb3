import { chmod, mkdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@binnacle/base';
import type { Clock, Logger, Scope } from '@binnacle/base';
import { listenWithin, nodeHttp } from '@binnacle/base/node';
import type { Kubelet } from '../kubelet.ts';
import { answerRequest } from '../server/answer.ts';
import { sendAnswer } from './send-answer.ts';
import { codeOf } from './absent.ts';

/** A kubelet, and where those ask it who may open its folder. */
export interface LocalSocketOptions {
  readonly kubelet: Kubelet;
  /** A socket of the file system. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly scope: Scope;
}

/** What a path of a socket may have (sockaddr_un, with its end). */
const PATH_BYTES_MAX = 107;

/**
 * The kubelet's answers over a socket of the file system, reading only: whoever may open it, may read. It is for the
 * commands of this machine, whoever else the kubelet's port believes. Where the path is too long there is none.
 */
export async function serveLocalSocket({ kubelet, path, clock, log, scope }: LocalSocketOptions): Promise<void> {
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) {
    log.warn('The path of the local socket is too long, there is none', { path });
    return;
  }
  const server = nodeHttp().createServer((request, response) => {
    const abort = new AbortController();
    response.on('close', () => abort.abort());
    const url = URL.parse(request.url ?? '/', 'http://kubelet');
    const method = request.method ?? '';
    if (url === null || method !== 'GET') {
      response.writeHead(method === 'GET' ? 400 : 405).end();
      return;
    }
    const { accept = '' } = request.headers;
    const asked = { method, accept, path: url.pathname, query: new Map(url.searchParams), signal: abort.signal };
    answerRequest(kubelet, asked, clock.now())
      .then((answer) => sendAnswer(response, answer, abort.signal))
      .catch((error: unknown) => {
        log.warn('A request over the local socket failed', { path: url.pathname, reason: messageOf(error) });
        response.destroy();
      });
  });
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  await removeStale(path);
  await listenWithin(scope, server, { path });
  await chmod(path, 0o600);
}

/**
 * Not by `rm`, which looks at the socket first: Node's resolver of modules reads the last look of the whole process, and
 * stops at a socket, so that the package imported next is not found behind its link (Node 24, `realpathSync`).
 */
async function removeStale(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
