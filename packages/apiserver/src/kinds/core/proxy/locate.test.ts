import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PODS, SERVICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { createSeededRandom } from '@binnacle/base';
import { StatusError } from '@binnacle/machinery';
import { MemoryCache } from '../../../testing/memory-cache.ts';
import { locatePod, locateServicePod } from './locate.ts';
import type { PodPlace } from './locate.ts';
import { readTarget } from './target.ts';

function outcome(locate: () => PodPlace): string {
  try {
    const { scheme, host, port, pod } = locate();
    return `${scheme} ${pod.metadata.name} ${host} ${port}`;
  } catch (error) {
    if (error instanceof StatusError) return `${error.status.code} ${error.message}`;
    throw error;
  }
}

function pod(name: string, ip: string | undefined, containers: readonly object[] = []): Pod {
  const podIPs = ip === undefined ? undefined : [{ ip }, { ip: '2001:db8::1' }];
  return { metadata: { namespace: 'a', name }, spec: { containers }, status: { podIPs } } as unknown as Pod;
}

describe('where a pod is dialled', () => {
  const ports = [{}, { ports: [{ containerPort: 8080 }, { containerPort: 9090 }] }, { ports: [{ containerPort: 1 }] }];
  const rows: readonly (readonly [name: string, given: Pod, target: string, wanted: string])[] = [
    ['by its first port', pod('p', '10.0.0.1', ports), 'p', 'http p 10.0.0.1 8080'],
    ['by the port that is asked for', pod('p', '10.0.0.1', ports), 'p:70', 'http p 10.0.0.1 70'],
    ['by TLS', pod('p', '10.0.0.1', ports), 'https:p:', 'https p 10.0.0.1 8080'],
    ['by the port of the scheme', pod('p', '10.0.0.1'), 'p', 'http p 10.0.0.1 '],
    ['not before it has an address', pod('p', undefined), 'p', '400 address not allowed'],
    ['not this host', pod('p', '127.0.0.1'), 'p', '400 address not allowed'],
    ['not the link', pod('p', '169.254.169.254'), 'p', '400 address not allowed'],
    ['not this host in other words', pod('p', '::ffff:127.0.0.1'), 'p', '400 address not allowed'],
    ['not what is no address', pod('p', 'example.com'), 'p', '400 address not allowed'],
  ];
  for (const [name, given, target, wanted] of rows) {
    test(name, () =>
      assert.equal(
        outcome(() => locatePod(given, readTarget('pod', target))),
        wanted,
      ),
    );
  }
});

describe('where a Service leads', () => {
  const cache = new MemoryCache();
  const service = (name: string): never =>
    ({
      metadata: { namespace: 'a', name },
      spec: {
        ports: [
          { name: 'web', port: 80 },
          { name: 'tls', port: 443 },
        ],
      },
    }) as never;
  const slice = (name: string, endpoints: readonly object[]): never =>
    ({
      metadata: { namespace: 'a', name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
      ports: [{ name: 'web', port: 8080 }],
      endpoints,
    }) as never;
  const endpoint = (ip: string, podName: string, more: object = {}): object => ({
    addresses: [ip],
    targetRef: { kind: 'Pod', namespace: 'a', name: podName },
    ...more,
  });
  const SLICES = { group: 'discovery.k8s.io', resource: 'endpointslices' };
  cache.put(PODS, pod('p', '10.0.0.1'));
  cache.put(PODS, pod('q', '10.0.0.2'));
  const add = (name: string, endpoints: readonly object[]): void => {
    cache.put(SERVICES, service(name));
    cache.put(SLICES, slice(name, endpoints));
  };
  add('good', [endpoint('10.0.0.9', 'gone'), endpoint('10.0.0.9', 'p'), endpoint('10.0.0.2', 'q')]);
  add('second', [endpoint('2001:db8::1', 'p')]);
  add('tired', [endpoint('10.0.0.1', 'p', { conditions: { ready: false } })]);
  add('forged', [
    { addresses: ['169.254.169.254'] },
    endpoint('169.254.169.254', 'p'),
    endpoint('10.0.0.1', 'p', { targetRef: { kind: 'Pod', namespace: 'b', name: 'p' } }),
    endpoint('10.0.0.1', 'p', { targetRef: { kind: 'Node', namespace: 'a', name: 'p' } }),
  ]);
  add('empty', []);

  const rows: readonly (readonly [target: string, wanted: string])[] = [
    ['good:web', 'http q 10.0.0.2 8080'],
    ['good:80', 'http q 10.0.0.2 8080'],
    ['https:good:web', 'https q 10.0.0.2 8080'],
    ['second:web', 'http p 2001:db8::1 8080'],
    ['good:tls', '503 no endpoints available for service "good:tls"'],
    ['good', '503 no endpoints available for service "good"'],
    ['good:81', '503 no service port 81 found for service "good"'],
    ['good:-1', '503 no service port -1 found for service "good"'],
    ['tired:web', '503 no endpoints available for service "tired:web"'],
    ['forged:web', '503 no endpoints available for service "forged:web"'],
    ['https:empty:web', '503 no endpoints available for service "https:empty:web"'],
    ['none:web', '404 services "none" not found'],
    ['constructor:web', '404 services "constructor" not found'],
  ];
  for (const [target, wanted] of rows) {
    test(target, () => {
      const world = { cache, random: createSeededRandom(1) };
      assert.equal(
        outcome(() => locateServicePod(world, 'a', readTarget('service', target))),
        wanted,
      );
    });
  }

  test('any of those that are ready', () => {
    add('two', [endpoint('10.0.0.1', 'p'), endpoint('10.0.0.2', 'q')]);
    const random = createSeededRandom(1);
    const target = readTarget('service', 'two:web');
    const found = Array.from({ length: 30 }, () => locateServicePod({ cache, random }, 'a', target).pod.metadata.name);
    assert.deepEqual([...new Set(found)].sort(), ['p', 'q']);
  });
});
