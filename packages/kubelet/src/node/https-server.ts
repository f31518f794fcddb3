import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { messageOf } from '@binnacle/base';
import type { Clock, Logger, Scope } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import type { UserInfo } from '@binnacle/machinery';
import type { Kubelet } from '../kubelet.ts';
import { Access } from '../server/access.ts';
import { answerRequest } from '../server/answer.ts';
import type { ServerAnswer } from '../server/answer.ts';

/** What the kubelet's port needs. */
export interface KubeletServerOptions {
  readonly kubelet: Kubelet;
  /** Asked who callers are and what they may. */
  readonly client: Client;
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  /** PEM of the authority of client certificates. */
  readonly clientCa: string;
  readonly host: string;
  /** 0: any. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly scope: Scope;
}

/** The kubelet's HTTPS port: every request is authenticated and authorised. Answers with the port it listens on; the Node tells it from the next status on. */
export async function serveKubelet(options: KubeletServerOptions): Promise<{ readonly port: number }> {
  const { cert, key, clientCa, host, port, scope, kubelet, client, clock, log } = options;
  const access = new Access({ client, nodeName: kubelet.nodeName, clock, log });
  const server = createServer({
    cert,
    key,
    ca: clientCa,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
  });
  server.on('request', (request, response) => {
    handle({ ...options, access }, request, response).catch((error: unknown) => {
      log.warn('A request to the kubelet failed', { url: request.url, reason: messageOf(error) });
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  scope.defer(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const bound = (server.address() as AddressInfo).port;
  kubelet.listensOn(bound);
  return { port: bound };
}

async function handle(
  options: KubeletServerOptions & { readonly access: Access },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://kubelet');
  const path = decodeURIComponent(url.pathname);
  const method = request.method ?? 'GET';
  const user = await authenticate(options.access, request);
  if (user === undefined) return plain(response, 401, 'Unauthorized');
  const refusal = await options.access.authorize(user, method, path);
  if (refusal !== '') return plain(response, 403, refusal);
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  const of = { method, path, query: new Map(url.searchParams), signal: abort.signal };
  const answer = await answerRequest(options.kubelet, of, options.clock.now());
  await send(response, answer, abort.signal);
  return undefined;
}

/** A certificate of our authority, else a bearer token that the API server knows. */
async function authenticate(access: Access, request: IncomingMessage): Promise<UserInfo | undefined> {
  const socket = request.socket as TLSSocket;
  if (socket.authorized) {
    const subject = socket.getPeerCertificate().subject as
      | { readonly CN?: string; readonly O?: string | readonly string[] }
      | undefined;
    if (subject?.CN !== undefined) {
      const groups = subject.O === undefined ? [] : typeof subject.O === 'string' ? [subject.O] : subject.O;
      return { name: subject.CN, groups: [...groups, 'system:authenticated'] };
    }
  }
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return bearer === undefined ? undefined : access.authenticate(bearer);
}

async function send(response: ServerResponse, answer: ServerAnswer, signal: AbortSignal): Promise<void> {
  response.writeHead(answer.status, { 'content-type': answer.contentType });
  if (typeof answer.body === 'string') {
    response.end(answer.body);
    return;
  }
  response.flushHeaders();
  for await (const part of answer.body) {
    if (signal.aborted) return;
    if (!response.write(part)) await drained(response, signal);
  }
  response.end();
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    response.on('drain', done);
    signal.addEventListener('abort', done, { once: true });
  });
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}
