import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as configuration from './configuration.ts';

const POD_SECURITY = { apiVersion: 'pod-security.admission.config.k8s.io/v1', kind: 'PodSecurityConfiguration' };
const EVENTS = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration' };
const TOLERATIONS = { apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1', kind: 'Configuration' };
const QUOTAS = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration' };

test('PodSecurity: defaults and exemptions', () => {
  const document = {
    ...POD_SECURITY,
    defaults: { enforce: 'baseline', 'enforce-version': 'v1.30', warn: 'restricted' },
    exemptions: { namespaces: ['kube-system'], usernames: ['u'] },
  };
  assert.deepEqual(configuration.readPodSecurity(document), {
    defaults: {
      enforce: { level: 'baseline', version: 30 },
      audit: { level: 'privileged', version: 'latest' },
      warn: { level: 'restricted', version: 'latest' },
    },
    exemptions: { usernames: ['u'], namespaces: ['kube-system'], runtimeClasses: [] },
  });
});

test('ResourceQuota, EventRateLimit, PodTolerationRestriction and PodNodeSelector', () => {
  const matchScopes = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }];
  assert.deepEqual(
    configuration.readLimitedResources({ ...QUOTAS, limitedResources: [{ resource: 'pods', matchScopes }] }),
    [{ apiGroup: '', resource: 'pods', matchContains: [], matchScopes }],
  );
  const limits = [{ type: 'Server', qps: 1, burst: 2, cacheSize: 0 }];
  assert.deepEqual(configuration.readEventLimits({ ...EVENTS, limits }), limits);
  const whitelist = [{ key: 'a', operator: 'Exists' }];
  assert.deepEqual(configuration.readTolerationRestriction({ ...TOLERATIONS, whitelist }), { default: [], whitelist });
  const podNodeSelectorPluginConfig = { a: 'b=c' };
  assert.deepEqual(configuration.readNodeSelectors({ podNodeSelectorPluginConfig }), new Map([['a', 'b=c']]));
});

const REFUSED: readonly (readonly [name: string, read: () => unknown, message: string | RegExp])[] = [
  [
    'an unknown level',
    () => configuration.readPodSecurity({ ...POD_SECURITY, defaults: { warn: 'x' } }),
    'PodSecurity: defaults.warn: Invalid value: "x": must be one of privileged, baseline, restricted',
  ],
  [
    'an unknown field',
    () => configuration.readPodSecurity({ ...POD_SECURITY, defaults: { enforced: 'x' } }),
    'PodSecurity: strict decoding error: unknown field "defaults.enforced"',
  ],
  [
    'another kind',
    () => configuration.readPodSecurity({ kind: 'X' }),
    /^PodSecurity: expected PodSecurityConfiguration of pod-security\.admission\.config\.k8s\.io\/v1 or /,
  ],
  [
    'a namespace twice',
    () => configuration.readPodSecurity({ ...POD_SECURITY, exemptions: { namespaces: ['a', 'a'] } }),
    'PodSecurity: exemptions.namespaces[1]: Duplicate value: "a"',
  ],
  [
    'no limits of events',
    () => configuration.readEventLimits({ ...EVENTS, limits: [] }),
    'EventRateLimit: limits: Invalid value: must not be empty',
  ],
  [
    'no document for events',
    () => configuration.readEventLimits(undefined),
    'EventRateLimit: expected Configuration of eventratelimit.admission.k8s.io/v1alpha1',
  ],
  [
    'a limit of nothing',
    () => configuration.readEventLimits({ ...EVENTS, limits: [{ type: 'Server', qps: 0, burst: 1 }] }),
    'EventRateLimit: limits[0].qps: Invalid value: 0: must be positive',
  ],
  [
    'a wrong type',
    () => configuration.readNodeSelectors({ podNodeSelectorPluginConfig: 1 }),
    /^PodNodeSelector: .*podNodeSelectorPluginConfig/,
  ],
];

describe('refused', () => {
  for (const [name, read, message] of REFUSED) test(name, () => assert.throws(read, { message }));
});
