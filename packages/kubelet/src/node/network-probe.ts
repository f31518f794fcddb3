import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { nodeHttp } from '@binnacle/base/node';
import { probeGrpc } from './grpc-probe.ts';
import type { HttpProbeAnswer, HttpProbeRequest, NetworkProbe } from '../ports.ts';

const BODY_MAX = 10 * 1024;

/** Probes over the machine's network, from the node itself. Certificates are not verified, as the API says. */
export const nodeNetworkProbe: NetworkProbe = { http: probeHttp, tcp: probeTcp, grpc: probeGrpc };

function probeHttp(of: HttpProbeRequest): Promise<HttpProbeAnswer> {
  const host = of.host.includes(':') ? `[${of.host}]` : of.host;
  const url = `${of.scheme.toLowerCase()}://${host}:${of.port}${of.path}`;
  const headers: { [name: string]: string } = { 'user-agent': 'kube-probe/1.36', accept: '*/*', connection: 'close' };
  for (const { name, value } of of.headers) headers[name.toLowerCase()] = value;
  return new Promise((resolve) => {
    const fail = (reason: string): void => resolve({ error: `Get "${url}": ${reason}` });
    const request = (of.scheme === 'HTTPS' ? httpsRequest : nodeHttp().request)(
      url,
      { headers, timeout: of.timeoutMs, agent: false, ...(of.scheme === 'HTTPS' ? { rejectUnauthorized: false } : {}) },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (body.length < BODY_MAX) body += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: body.slice(0, BODY_MAX) }));
        response.on('error', (error) => fail(error.message));
      },
    );
    const deadline = setTimeout(() => {
      fail('context deadline exceeded (Client.Timeout exceeded while awaiting headers)');
      request.destroy();
    }, of.timeoutMs);
    request.on('close', () => clearTimeout(deadline));
    request.on('error', (error) => fail(goError(error, of.host, of.port)));
    request.end();
  });
}

function probeTcp(host: string, port: number, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (failure: string | undefined): void => {
      clearTimeout(deadline);
      socket.destroy();
      resolve(failure);
    };
    const deadline = setTimeout(() => done(`dial tcp ${host}:${port}: i/o timeout`), timeoutMs);
    socket.on('connect', () => done(undefined));
    socket.on('error', (error) => done(goError(error, host, port)));
  });
}

const GO_WORDS: { readonly [code: string]: string } = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'connection timed out',
};

/** As Go's net package words it, which is what users of Kubernetes know. */
function goError(error: Error & { readonly code?: string }, host: string, port: number): string {
  const word = GO_WORDS[error.code ?? ''];
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  if (word !== undefined) return `dial tcp ${address}: connect: ${word}`;
  return error.code === 'ECONNRESET' ? `read tcp ${address}: read: connection reset by peer` : error.message;
}
