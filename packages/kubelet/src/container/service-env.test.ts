import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@binnacle/api/core/v1';
import { serviceEnvironment } from './service-env.ts';

const service = (namespace: string, name: string, spec: Service['spec']): Service => ({
  metadata: { namespace, name },
  spec: { clusterIP: '10.0.0.1', ...spec },
});
const master = service('default', 'kubernetes', { ports: [{ name: 'https', port: 443, protocol: 'TCP' }] });

test('the links of a service', () => {
  const env = serviceEnvironment(
    [
      service('ns', 'my-db', {
        clusterIP: '10.0.0.7',
        ports: [
          { name: 'sql-port', port: 5432, protocol: 'TCP' },
          { name: 'u', port: 53, protocol: 'UDP' },
        ],
      }),
    ],
    'ns',
    true,
  );
  assert.deepEqual(Object.fromEntries(env), {
    MY_DB_SERVICE_HOST: '10.0.0.7',
    MY_DB_SERVICE_PORT: '5432',
    MY_DB_SERVICE_PORT_SQL_PORT: '5432',
    MY_DB_SERVICE_PORT_U: '53',
    MY_DB_PORT: 'tcp://10.0.0.7:5432',
    MY_DB_PORT_5432_TCP: 'tcp://10.0.0.7:5432',
    MY_DB_PORT_5432_TCP_PROTO: 'tcp',
    MY_DB_PORT_5432_TCP_PORT: '5432',
    MY_DB_PORT_5432_TCP_ADDR: '10.0.0.7',
    MY_DB_PORT_53_UDP: 'udp://10.0.0.7:53',
    MY_DB_PORT_53_UDP_PROTO: 'udp',
    MY_DB_PORT_53_UDP_PORT: '53',
    MY_DB_PORT_53_UDP_ADDR: '10.0.0.7',
  });
});

test('a pod sees its namespace and the master, and only the master without links', () => {
  const all = [master, service('ns', 'a', { ports: [{ port: 1 }] }), service('other', 'b', { ports: [{ port: 1 }] })];
  const hosts = (links: boolean): string[] =>
    [...serviceEnvironment(all, 'ns', links).keys()].filter((k) => k.endsWith('_HOST'));
  assert.deepEqual(hosts(true), ['KUBERNETES_SERVICE_HOST', 'A_SERVICE_HOST']);
  assert.deepEqual(hosts(false), ['KUBERNETES_SERVICE_HOST']);
});

test('headless and external services have none', () => {
  const env = serviceEnvironment(
    [
      service('ns', 'a', { clusterIP: 'None', ports: [{ port: 1 }] }),
      service('ns', 'b', { clusterIP: '', ports: [{ port: 1 }] }),
    ],
    'ns',
    true,
  );
  assert.equal(env.size, 0);
});
