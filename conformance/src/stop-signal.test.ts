/** A container's own stop signal, on a runtime that may keep none. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PODS } from '@binnacle/api';
import { skipWithoutContainerd, startContainerdCluster, waitFor } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';

const IMAGE = 'binnacle.local/frontend:1.0';
/** Ends well only by the signal that it asked for; the usual one it does not hear. */
const PICKY = `trap '' TERM; trap 'exit 7' USR1; while :; do sleep 0.1; done`;

const skip = await skipWithoutContainerd();

describe('stop signals', { skip }, () => {
  let cluster: OneProcessCluster;
  // Alpha in v1.36, and off: the API server leaves the field out otherwise.
  before(async () => (cluster = await startContainerdCluster(['--feature-gates=ContainerStopSignals=true'])));
  after(() => cluster?.stop());

  test('a container that fails its probe is stopped by its own signal, long before its grace is over', async () => {
    const { client } = cluster;
    const probe = { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 1, initialDelaySeconds: 1 };
    const container = {
      name: 'c',
      image: IMAGE,
      command: ['sh', '-c', PICKY],
      lifecycle: { stopSignal: 'SIGUSR1' as const },
      livenessProbe: probe,
    };
    await client.resource(PODS, 'default').create({
      metadata: { name: 'picky' },
      spec: { os: { name: 'linux' }, containers: [container], terminationGracePeriodSeconds: 600 },
    });
    const [pod] = await waitFor({
      client,
      resource: PODS,
      namespace: 'default',
      name: 'picky',
      what: 'started anew',
      until: (all) => (all[0]?.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0,
    });
    const status = pod?.status?.containerStatuses?.[0];
    const last = status?.lastState?.terminated ?? status?.state?.terminated;
    assert.equal(last?.exitCode, 7);
    assert.equal(status?.stopSignal, 'SIGUSR1');
    await client.resource(PODS, 'default').delete('picky', { gracePeriodSeconds: 0 });
  });
});
