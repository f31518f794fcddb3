import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refuseLonelyFlags } from './lonely-flags.ts';

describe('a flag that does nothing without another one is refused', () => {
  const rows: readonly [object, string | undefined][] = [
    [{ store: 'sqlite', auditLogPath: '-', auditLogMaxage: 5 }, undefined],
    [{ store: 'etcd', etcdServers: ['http://a'] }, undefined],
    [{ oidcIssuerUrl: 'https://a', oidcClientId: 'b', loadBalancer: 'on', loadBalancerPool: ['x'] }, undefined],
    [{ store: 'sqlite', etcdServers: ['http://a'] }, '--etcd-servers does nothing without --store=etcd'],
    [{ store: 'etcd' }, '--store=etcd needs --etcd-servers'],
    [{ store: 'etcd', etcdServers: [] }, '--store=etcd needs --etcd-servers'],
    [{ store: 'sqlite', etcdCafile: '/ca' }, '--etcd-cafile does nothing without --store=etcd'],
    [{ store: 'memory', acceptDataLoss: true }, '--accept-data-loss does nothing without --store=sqlite'],
    [{ auditLogMaxage: 5 }, '--audit-log-maxage does nothing without --audit-log-path'],
    [{ oidcCaFile: 'f' }, '--oidc-ca-file does nothing without --oidc-issuer-url'],
    [
      { encryptionProviderConfigAutomaticReload: true },
      '--encryption-provider-config-automatic-reload does nothing without --encryption-provider-config',
    ],
    [{ loadBalancer: 'off', loadBalancerPool: ['x'] }, '--load-balancer-pool does nothing without --load-balancer=on'],
  ];
  for (const [flags, expected] of rows) {
    test(JSON.stringify(flags), () => {
      if (expected === undefined) refuseLonelyFlags(flags);
      else assert.throws(() => refuseLonelyFlags(flags), { message: expected });
    });
  }
});
