import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SERVICE_ACCOUNTS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { VirtualClock, createSeededRandom } from '@binnacle/base';
import { admissionTable, runAdmission } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createServiceAccountAdmission } from './service-account.ts';

describe('ServiceAccount', () => {
  const clock = new VirtualClock();
  const cache = new MemoryCache();
  const plugin = createServiceAccountAdmission({ cache, clock, random: createSeededRandom(1) });
  cache.put(SERVICE_ACCOUNTS, {
    metadata: { namespace: 'default', name: 'default' },
    imagePullSecrets: [{ name: 'pull' }],
  } as never);
  cache.put(SERVICE_ACCOUNTS, {
    metadata: { namespace: 'default', name: 'quiet' },
    automountServiceAccountToken: false,
  } as never);
  const podWith = (spec: object): Pod => ({ metadata: { namespace: 'default', name: 'p' }, spec }) as Pod;

  test('the default account, its pull secrets and a token volume in every container', async () => {
    const pod = podWith({
      containers: [
        { name: 'a' },
        { name: 'b', volumeMounts: [{ name: 'own', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
      ],
    });
    assert.equal(await runAdmission(plugin, { operation: 'CREATE', resource: 'pods', object: pod }), undefined);
    const [volume] = pod.spec.volumes ?? [];
    assert.match(volume!.name, /^kube-api-access-[a-z0-9]{5}$/);
    assert.deepEqual(pod.spec, {
      containers: [
        {
          name: 'a',
          volumeMounts: [
            { name: volume!.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
          ],
        },
        { name: 'b', volumeMounts: [{ name: 'own', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
      ],
      serviceAccountName: 'default',
      serviceAccount: 'default',
      imagePullSecrets: [{ name: 'pull' }],
      volumes: [
        {
          name: volume!.name,
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              {
                downwardAPI: {
                  items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
                },
              },
            ],
          },
        },
      ],
    });
  });

  test('no token where account or pod want none', async () => {
    const quiet = podWith({ serviceAccountName: 'quiet', containers: [{ name: 'a' }] });
    const off = podWith({ automountServiceAccountToken: false, containers: [{ name: 'a' }] });
    for (const object of [quiet, off]) await runAdmission(plugin, { operation: 'CREATE', resource: 'pods', object });
    assert.equal(quiet.spec.volumes, undefined);
    assert.equal(off.spec.volumes, undefined);
  });

  test('a pod waits for the default account of a new namespace', async () => {
    const object = { metadata: { namespace: 'new', name: 'p' }, spec: { containers: [{ name: 'a' }] } };
    const running = runAdmission(plugin, { operation: 'CREATE', resource: 'pods', object });
    await clock.advance(100);
    cache.put(SERVICE_ACCOUNTS, { metadata: { namespace: 'new', name: 'default' } });
    await clock.advance(1);
    assert.equal(await running, undefined);
  });

  test('but not for ever', async () => {
    const object = { metadata: { namespace: 'empty', name: 'p' }, spec: { containers: [] } };
    const running = runAdmission(plugin, { operation: 'CREATE', resource: 'pods', object });
    await clock.advance(2000);
    assert.equal(
      await running,
      'pods "p" is forbidden: error looking up service account empty/default: serviceaccount "default" not found',
    );
  });

  const mirror = { namespace: 'default', name: 'm', annotations: { 'kubernetes.io/config.mirror': 'x' } };
  admissionTable(plugin, [
    [
      'an account that does not exist',
      { operation: 'CREATE', resource: 'pods', object: podWith({ serviceAccountName: 'x', containers: [] }) },
      'pods "p" is forbidden: error looking up service account default/x: serviceaccount "x" not found',
    ],
    [
      'a mirror pod',
      { operation: 'CREATE', resource: 'pods', object: { metadata: mirror, spec: { containers: [] } } },
      undefined,
    ],
    [
      'a mirror pod with an account',
      {
        operation: 'CREATE',
        resource: 'pods',
        object: { metadata: mirror, spec: { serviceAccountName: 'default', containers: [] } },
      },
      'pods "m" is forbidden: a mirror pod may not reference service accounts',
    ],
    [
      'a mirror pod with a secret',
      {
        operation: 'CREATE',
        resource: 'pods',
        object: { metadata: mirror, spec: { containers: [], volumes: [{ name: 'v', secret: { secretName: 's' } }] } },
      },
      'pods "m" is forbidden: a mirror pod may not reference secrets',
    ],
  ]);
});
