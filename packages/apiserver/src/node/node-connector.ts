import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { CatalogueError, hostPort } from '@binnacle/base';
import type { HttpCaller, HttpReply, HttpTrust } from '@binnacle/base';
import { createHttpCaller, identityCheck } from '@binnacle/base/node';
import { isGlobalUnicast } from '../outbound/global-unicast.ts';
import type { NodeConnector, NodeForward, NodeReply, NodeRequest, NodeUpgrade, NodeUpgraded } from '../ports/nodes.ts';

/** Who the API server is to kubelets, and whom it believes. */
export interface NodeConnectorOptions {
  /** PEM of the client certificate that kubelets know the API server by. */
  readonly cert: string;
  readonly key: string;
  /** PEM of the authority of kubelets' serving certificates. Absent: they are not verified, upstream's default. */
  readonly kubeletCa?: string;
}

/** A kubelet could not be reached; the message is for the client, in Go's words. */
export class NodeConnectionError extends CatalogueError {
  constructor(message: string, cause: unknown) {
    super('node-connection', message, { cause });
  }
}

const CONNECT_MS_MAX = 30_000;
const FAULTS: { readonly [code: string]: string } = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

/** Kubelets over HTTPS, one connection per request: logs are long and few. */
export function connectNodes(options: NodeConnectorOptions): NodeConnector {
  const caller = createHttpCaller();
  return {
    get: (of) => new Promise((resolve, reject) => open(options, of, { resolve, reject })),
    open: (of) => openStream(caller, options, of),
    forward: (of) => passOn(caller, options, of),
    connectPod: () => undefined,
  };
}

/** On a connection of its own, which ends with the stream. */
async function openStream(
  caller: HttpCaller,
  options: NodeConnectorOptions,
  of: NodeUpgrade,
): Promise<NodeReply | NodeUpgraded> {
  const reply = await caller.upgrade({
    method: of.method,
    url: urlOf(of),
    headers: of.headers,
    trust: trustOf(options, of),
    timeoutMs: CONNECT_MS_MAX,
    signal: of.signal,
  });
  if (!('stream' in reply)) return reply;
  const headers = Object.entries(reply.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'string' ? value : value.join(', ')]],
  );
  return { headers: Object.fromEntries(headers) as NodeUpgraded['headers'], stream: reply.stream };
}

function passOn(caller: HttpCaller, options: NodeConnectorOptions, of: NodeForward): Promise<HttpReply> {
  return caller.request({
    method: of.method,
    url: urlOf(of),
    headers: of.headers,
    ...(of.body === undefined ? {} : { body: of.body }),
    trust: trustOf(options, of),
    permits: isGlobalUnicast,
    signal: of.signal,
  });
}

function urlOf({ host, port, path }: NodeRequest): string {
  return `https://${hostPort(host, port)}${path}`;
}

function trustOf({ cert, key, kubeletCa }: NodeConnectorOptions, { insecure }: NodeRequest): HttpTrust {
  const ca = kubeletCa === undefined ? {} : { ca: kubeletCa };
  return { certificate: cert, key, insecure: kubeletCa === undefined || insecure, ...ca };
}

interface Settled {
  readonly resolve: (reply: NodeReply) => void;
  readonly reject: (error: Error) => void;
}

function open(options: NodeConnectorOptions, of: NodeRequest, { resolve, reject }: Settled): void {
  const { cert, key, kubeletCa } = options;
  const asked = request({
    host: of.host,
    port: of.port,
    path: of.path,
    agent: false,
    cert,
    key,
    rejectUnauthorized: kubeletCa !== undefined && !of.insecure,
    ...identityCheck(of.host),
    ...(kubeletCa === undefined ? {} : { ca: kubeletCa, allowPartialTrustChain: true }),
    signal: of.signal,
  });
  // Only until the kubelet answers: a log may be silent for hours.
  asked.setTimeout(CONNECT_MS_MAX, () => {
    reject(faultOf(of, { code: 'ETIMEDOUT', message: '' }));
    asked.destroy();
  });
  asked.once('response', (message: IncomingMessage) => {
    asked.setTimeout(0);
    resolve({ status: message.statusCode ?? 500, body: message as AsyncIterable<Uint8Array> });
  });
  asked.on('error', (error) => reject(faultOf(of, error)));
  asked.end();
}

function faultOf(of: NodeRequest, error: { readonly code?: string; readonly message: string }): NodeConnectionError {
  const place = hostPort(of.host, of.port);
  const known = FAULTS[error.code ?? ''];
  const why = known === undefined ? error.message : `dial tcp ${place}: ${known}`;
  return new NodeConnectionError(`Get ${JSON.stringify(`https://${place}${of.path}`)}: ${why}`, error);
}
