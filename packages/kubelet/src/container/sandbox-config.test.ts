import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeletConfig } from '../config.ts';
import { testPod } from '../testing/node.ts';
import { podHostname, sandboxConfig } from './sandbox-config.ts';

const config = kubeletConfig({ nodeName: 'node-1' });
const dns = { servers: ['10.0.0.10'], searches: [], options: [] };
const runtimeHandler = '';

test('a plain pod', () => {
  const pod = testPod({
    container: { ports: [{ containerPort: 80, hostPort: 8080, hostIP: '127.0.0.1' }, { containerPort: 81 }] },
  });
  const sandbox = sandboxConfig(pod, config, { attempt: 1, dns, runtimeHandler });
  assert.equal(sandbox.hostname, 'web');
  assert.equal(sandbox.logDirectory, '/var/log/pods/default_web_uid-web');
  assert.equal(sandbox.cgroupParent, '/kubepods/besteffort/poduid-web');
  assert.deepEqual(sandbox.ports, [{ protocol: 'TCP', containerPort: 80, hostPort: 8080, hostIP: '127.0.0.1' }]);
  assert.deepEqual(sandbox.namespaces, { hostNetwork: false, hostPid: false, hostIpc: false, sharePid: false });
  assert.deepEqual(
    [sandbox.attempt, sandbox.seccomp, sandbox.privileged, sandbox.dns],
    [1, 'RuntimeDefault', false, dns],
  );
});

test("on the node's network there is no host name of its own, and no port mapping", () => {
  const pod = testPod({ spec: { hostNetwork: true, hostPID: true, shareProcessNamespace: true }, container: {} });
  const sandbox = sandboxConfig(pod, config, { attempt: 0, dns, runtimeHandler });
  assert.deepEqual([sandbox.hostname, sandbox.ports], ['', []]);
  assert.deepEqual(sandbox.namespaces, { hostNetwork: true, hostPid: true, hostIpc: false, sharePid: true });
});

test('host names', () => {
  assert.equal(podHostname(testPod({ spec: { hostname: 'h' } })), 'h');
  assert.equal(podHostname(testPod({ name: `${'x'.repeat(62)}-y` })), 'x'.repeat(62));
  const fqdn = testPod({ spec: { hostname: 'h', subdomain: 's', setHostnameAsFQDN: true } });
  assert.equal(
    sandboxConfig(fqdn, config, { attempt: 0, dns, runtimeHandler }).hostname,
    'h.s.default.svc.cluster.local',
  );
});
