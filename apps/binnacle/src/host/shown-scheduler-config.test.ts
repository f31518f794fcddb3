import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultProfile, readSchedulerConfiguration } from '@binnacle/scheduler';
import { shownSchedulerConfig } from './shown-scheduler-config.ts';

test('what nobody said is as it holds', () => {
  assert.partialDeepStrictEqual(shownSchedulerConfig({ profiles: [defaultProfile('mine')] }), {
    LeaderElection: { LeaderElect: false },
    ClientConnection: { Kubeconfig: '' },
    PodInitialBackoffSeconds: 1,
    PodMaxBackoffSeconds: 10,
    Profiles: [{ SchedulerName: 'mine' }],
  });
});

test('what a file said', () => {
  const file = readSchedulerConfiguration({
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    leaderElection: { leaderElect: true, leaseDuration: '20s', resourceName: 'x' },
    podInitialBackoffSeconds: 3,
    profiles: [
      {
        schedulerName: 'mine',
        plugins: { score: { disabled: [{ name: '*' }], enabled: [{ name: 'ImageLocality', weight: 7 }] } },
        pluginConfig: [{ name: 'NodeAffinity', args: {} }],
      },
    ],
  });
  const shown = shownSchedulerConfig(file) as { readonly Profiles: readonly [{ readonly Plugins: object }] };
  assert.partialDeepStrictEqual(shown, {
    LeaderElection: {
      LeaderElect: true,
      LeaseDuration: '20s',
      RenewDeadline: '10s',
      RetryPeriod: '2s',
      ResourceLock: 'leases',
      ResourceName: 'x',
      ResourceNamespace: 'kube-system',
    },
    PodInitialBackoffSeconds: 3,
    Profiles: [{ SchedulerName: 'mine' }],
  });
  assert.partialDeepStrictEqual(shown.Profiles[0].Plugins, { Score: { Enabled: [{ Name: 'ImageLocality' }] } });
});
