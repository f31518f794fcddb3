import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPod } from '../testing/node.ts';
import { hostsFile } from './hosts-file.ts';
import { podDomain } from './sandbox-config.ts';

const of = {
  podIPs: ['10.1.0.2'],
  clusterDomain: 'cluster.local',
  nodeHosts: '127.0.0.1 localhost\n192.0.2.9 other\n',
};

test('a pod with a subdomain and aliases', () => {
  const pod = testPod({
    spec: { hostname: 'h', subdomain: 'sub', hostAliases: [{ ip: '192.0.2.7', hostnames: ['a', 'b'] }] },
  });
  const text = hostsFile({ pod, ...of });
  assert.match(text, /^# Kubernetes-managed hosts file\.\n127\.0\.0\.1\tlocalhost\n/);
  assert.match(text, /\n10\.1\.0\.2\th\.sub\.default\.svc\.cluster\.local\th\n/);
  assert.ok(text.endsWith('\n\n# Entries added by HostAliases.\n192.0.2.7\ta\tb\n'));
});

test('a plain pod has its name', () => {
  assert.ok(hostsFile({ pod: testPod(), ...of }).endsWith('\n10.1.0.2\tweb\n'));
});

test("on the node's network the node's file is used", () => {
  const text = hostsFile({ pod: testPod({ spec: { hostNetwork: true } }), ...of });
  assert.equal(text, '# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n192.0.2.9 other\n');
});

for (const [name, spec, domain, line] of [
  ['no subdomain', {}, '', 'web'],
  ['an empty one', { subdomain: '' }, '', 'web'],
  ['a subdomain', { subdomain: 'sub' }, 'sub.default.svc.cluster.local', 'web.sub.default.svc.cluster.local\tweb'],
  ['a host name without a subdomain', { hostname: 'h' }, '', 'h'],
  [
    'a host name that is another altogether has no domain',
    { subdomain: 'sub', hostnameOverride: 'x.example' },
    '',
    'x.example',
  ],
] as const)
  test(`the domain of a pod: ${name}`, () => {
    const pod = testPod({ spec });
    assert.equal(podDomain(pod, 'cluster.local'), domain);
    assert.ok(hostsFile({ pod, ...of }).endsWith(`\n10.1.0.2\t${line}\n`));
  });
