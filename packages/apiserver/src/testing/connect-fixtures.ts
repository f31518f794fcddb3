/** A node, a pod on it and a Service before it, for the paths that connect to one of them. */
import { createDuplexPair } from '@binnacle/base';
import type { HttpCall, HttpCaller, HttpReply } from '@binnacle/base';
import type { NodeConnector } from '../ports/nodes.ts';

const ADDRESS = '192.0.2.10';
const ready = { type: 'Ready', status: 'True' };

/** Collections and the objects to make in them, in order; the last part of a path is a subresource to put. */
export const CONNECTED: readonly (readonly [path: string, object: object])[] = [
  [
    '/api/v1/nodes',
    {
      metadata: { name: 'x' },
      status: {
        addresses: [{ type: 'InternalIP', address: '192.0.2.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      },
    },
  ],
  [
    '/api/v1/namespaces/paths/pods',
    {
      metadata: { name: 'x', labels: { app: 'x' } },
      spec: { nodeName: 'x', containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }] },
    },
  ],
  ['/api/v1/namespaces/paths/services', { metadata: { name: 'x' }, spec: { ports: [{ port: 80 }] } }],
  [
    '/apis/discovery.k8s.io/v1/namespaces/paths/endpointslices',
    {
      metadata: { name: 'x', labels: { 'kubernetes.io/service-name': 'x' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 80 }],
      endpoints: [
        {
          addresses: [ADDRESS],
          conditions: { ready: true },
          targetRef: { kind: 'Pod', name: 'x', namespace: 'paths' },
        },
      ],
    },
  ],
];

/** What the kubelet says of the pod. */
export const POD_STATUS = { phase: 'Running', podIP: ADDRESS, podIPs: [{ ip: ADDRESS }], conditions: [ready] };

/** Kubelet and pod at the other end: they take every protocol, and answer every request. */
export class OtherEnd {
  /** `METHOD /path`, of what reached it. */
  readonly heard: string[] = [];

  readonly nodes: NodeConnector = {
    get: ({ path }) => this.#answer('GET', path),
    forward: ({ method, path }) => this.#answer(method, path),
    open: ({ method, path }) => {
      this.heard.push(`${method} ${path}`);
      const [stream] = createDuplexPair();
      return Promise.resolve({ headers: {}, stream });
    },
    connectPod: () => undefined,
  };

  readonly http: HttpCaller = {
    request: ({ method, url }: HttpCall) => this.#answer(method, new URL(url).pathname),
    upgrade: ({ method, url }: HttpCall) => this.#answer(method, new URL(url).pathname),
    close: () => Promise.resolve(),
  };

  #answer(method: string, path: string): Promise<HttpReply> {
    this.heard.push(`${method} ${path}`);
    async function* nothing(): AsyncGenerator<Uint8Array> {
      yield* [];
    }
    return Promise.resolve({ status: 200, headers: {}, body: nothing() });
  }
}
