import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { isHonoured, readKubeletConfig } from './kubelet-config.ts';
import { acceptedValues } from './kubelet-config-as-it-is.ts';
import { KUBELET_CONFIG_FIELDS } from './kubelet-config-fields.ts';
import { kubeletConfigPage } from './kubelet-config-page.ts';

const rows: readonly [string, object | RegExp][] = [
  ['nodeStatusUpdateFrequency: 2s', { nodeStatusUpdateMs: 2_000 }],
  ['nodeStatusReportFrequency: 1m30s', { nodeStatusPeriodMs: 90_000 }],
  ['fileCheckFrequency: 20s', {}],
  ['nodeLeaseDurationSeconds: 8', { leaseDurationSeconds: 8, leasePeriodMs: 2_000 }],
  ['containerLogMaxSize: 1Mi', { logMaxBytes: 1 << 20 }],
  ['allowedUnsafeSysctls: [kernel.msg*]', { allowedUnsafeSysctls: ['kernel.msg*'] }],
  ['registerNode: false', { registerNode: false }],
  ['enableDebuggingHandlers: false', { hasDebugging: false }],
  ['enableProfilingHandler: false\nenableSystemLogHandler: false', {}],
  ['cgroupRoot: /a/b', { cgroupRoot: '/a/b/kubepods' }],
  ['cgroupRoot: ""', { cgroupRoot: '/kubepods' }],
  ['cgroupRoot: /a/../b', /cgroupRoot: "\/a\/\.\.\/b" is no path of a control group/],
  ['enableDebugFlagsHandler: false', { hasDebugFlags: false }],
  ['enableDebugFlagsHandler: true', { hasDebugFlags: true }],
  ['enableSystemLogHandler: true', /fields that are not supported yet: enableSystemLogHandler/],
  ['enforceNodeAllocatable: [pods]', { holdsPods: true }],
  ['enforceNodeAllocatable: [none]', { holdsPods: false }],
  ['enforceNodeAllocatable: []', { holdsPods: false }],
  ['enforceNodeAllocatable: [pods, none]', /enforceNodeAllocatable: none cannot stand beside anything else/],
  ['enforceNodeAllocatable: [pods, kube-reserved]', /enforceNodeAllocatable: kube-reserved is not supported: pods and/],
  ['nodeStatusReportFrequency: 0s', {}],
  [
    "evictionHard: {memory.available: 200Mi, pid.available: '10%'}",
    { evictionHard: { 'memory.available': '200Mi', 'pid.available': '10%' } },
  ],
  ['evictionSoftGracePeriod: {memory.available: 1m30s}', { evictionSoftGraceMs: { 'memory.available': 90_000 } }],
  ['evictionHard: [1]', /evictionHard: \[1\] is no table/],
  ['imageGCHighThresholdPercent: 101', /101 is more than 100 percent/],
  [
    'systemReserved: {cpu: 500m, memory: 1Gi}',
    { systemReserved: { milliCpu: 500, memoryBytes: 2 ** 30, ephemeralStorageBytes: 0 } },
  ],
  ["kubeReserved: {pid: '100'}", /kubeReserved: cannot be reserved: pid/],
  ['registerWithTaints: [{key: a, effect: NoSchedule}]', { nodeTaints: [{ key: 'a', effect: 'NoSchedule' }] }],
  ['registerWithTaints: [{key: a}]', /is no taint/],
  ['cgroupDriver: cgroupfs', {}],
  ['cgroupDriver: systemd', /fields that are not supported yet: cgroupDriver/],
  ['shutdownGracePeriod: 0s', { shutdownGraceMs: 0 }],
  [
    'shutdownGracePeriod: 30s\nshutdownGracePeriodCriticalPods: 10s',
    { shutdownGraceMs: 30_000, shutdownGraceCriticalMs: 10_000 },
  ],
  [
    'shutdownGracePeriodByPodPriority: [{priority: 100, shutdownGracePeriodSeconds: 5}]',
    { shutdownGraceByPriority: [{ priority: 100, seconds: 5 }] },
  ],
  ['shutdownGracePeriod: 500ms', /shutdownGracePeriod: 500ms must be either zero or otherwise >= 1 sec/],
  ['shutdownGracePeriodCriticalPods: 1s', /shutdownGracePeriodCriticalPods must be <= shutdownGracePeriod/],
  ['shutdownGracePeriodByPodPriority: [{priority: 1}]', /undefined is no whole number from 0/],
  [
    'shutdownGracePeriod: 1s\nshutdownGracePeriodByPodPriority: [{priority: 1, shutdownGracePeriodSeconds: 1}]',
    /cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod/,
  ],
  [
    'cpuManagerPolicy: static\nreservedSystemCPUs: 0-1',
    {
      cpuManagerPolicy: 'static',
      reservedCpus: [0, 1],
      kubeReserved: { milliCpu: 0, memoryBytes: 0, ephemeralStorageBytes: 0 },
      systemReserved: { milliCpu: 2000, memoryBytes: 0, ephemeralStorageBytes: 0 },
    },
  ],
  ["cpuManagerPolicy: ''", { cpuManagerPolicy: 'none' }],
  ['cpuManagerPolicy: static', /needs CPUs that are reserved/],
  ['cpuManagerPolicy: magic', /magic is not supported: none, static are/],
  ['reservedSystemCPUs: a-b', /is no list of CPUs/],
  ['syncFrequency: 0s', {}],
  ['fileCheckFrequency: often', /fileCheckFrequency: time: invalid duration "often"/],
  ['nodeStatusUpdateFrequency: 5', /nodeStatusUpdateFrequency: 5 is no text/],
  ['maxPods: many', /maxPods: "many" is no whole number from 0/],
  ['podPidsLimit: 5', { podPidsLimit: 5 }],
  ['podPidsLimit: -7', { podPidsLimit: -1 }],
  ['podsPerCore: 10', { podsPerCore: 10 }],
  ["resolvConf: ''", { resolvConf: '' }],
  ['seccompDefault: true', { seccompDefault: true }],
  ['providerID: cloud://1', { providerID: 'cloud://1' }],
  ['nodeStatusMaxImages: -1', { nodeStatusMaxImages: -1 }],
  ['serializeImagePulls: true', { parallelPullsMax: 1 }],
  ['serializeImagePulls: false', { parallelPullsMax: 0 }],
  ['maxParallelImagePulls: 3', { parallelPullsMax: 3 }],
  ['serializeImagePulls: false\nmaxParallelImagePulls: 3', { parallelPullsMax: 3 }],
  ['maxParallelImagePulls: 3\nserializeImagePulls: true', /maxParallelImagePulls cannot be larger than 1/],
  ['maxParallelImagePulls: 0', /maxParallelImagePulls: 0 is no whole number from 1/],
  ['crashLoopBackOff: {}', {}],
  ['crashLoopBackOff: {maxContainerRestartPeriod: 10s}', { restartBackoffMaxMs: 10_000 }],
  ['crashLoopBackOff: {maxContainerRestartPeriod: 10m}', /must be between 1s and 300s/],
  ['containerLogMaxWorkers: 0', /containerLogMaxWorkers: 0 is no whole number from 1/],
  ['authentication: {anonymous: {enabled: true}}', /authentication: anonymous callers are not supported yet/],
  ['authorization: {mode: AlwaysAllow}', /fields that are not supported yet: authorization/],
  [
    'topologyManagerPolicy: restricted\ntopologyManagerScope: pod',
    { topologyManagerPolicy: 'restricted', topologyManagerScope: 'pod' },
  ],
  [
    "topologyManagerPolicy: ''\ntopologyManagerScope: ''",
    { topologyManagerPolicy: 'none', topologyManagerScope: 'container' },
  ],
  ['topologyManagerPolicy: magic', /magic is not supported: none, best-effort, restricted, single-numa-node are/],
  [
    "topologyManagerPolicyOptions: {prefer-closest-numa-nodes: 'true', max-allowable-numa-nodes: '10'}",
    { topologyPrefersClosest: true, topologyNodesMax: 10 },
  ],
  ["topologyManagerPolicyOptions: {magic: 'true'}", /unknown Topology Manager Policy option: "magic"/],
  ["topologyManagerPolicyOptions: {constructor: 'true'}", /unknown Topology Manager Policy option: "constructor"/],
  ["topologyManagerPolicyOptions: {prefer-closest-numa-nodes: 'yes'}", /neither true nor false/],
  ["topologyManagerPolicyOptions: {max-allowable-numa-nodes: '7'}", /should not be less than 8/],
  ["topologyManagerPolicyOptions: {max-allowable-numa-nodes: '64'}", /above 12 is not supported/],
  [
    'memoryManagerPolicy: Static\nreservedMemory: [{numaNode: 1, limits: {memory: 1Gi}}]',
    { memoryManagerPolicy: 'Static', reservedMemory: new Map([[1, new Map([['memory', 2 ** 30]])]]) },
  ],
  ["memoryManagerPolicy: ''\nreservedMemory: []", { memoryManagerPolicy: 'None', reservedMemory: new Map() }],
  ['memoryManagerPolicy: Static', /you should specify the system reserved memory/],
  ['imagePullCredentialsVerificationPolicy: AlwaysVerify', { imageVerification: 'AlwaysVerify' }],
  ["imagePullCredentialsVerificationPolicy: ''\npreloadedImagesVerificationAllowlist: []", { imageAllowlist: [] }],
  ['imagePullCredentialsVerificationPolicy: Perhaps', /Perhaps is not supported: NeverVerify, /],
  [
    'imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages\npreloadedImagesVerificationAllowlist: [r.io/a/*]',
    { imageVerification: 'NeverVerifyAllowlistedImages', imageAllowlist: ['r.io/a/*'] },
  ],
  ['preloadedImagesVerificationAllowlist: [r.io/a]', /is for imagePullCredentialsVerificationPolicy NeverVerifyAllow/],
  [
    'imagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages\npreloadedImagesVerificationAllowlist: [busybox]',
    /it has to be a name in full, without tag or digest: docker.io\/library\/busybox/,
  ],
  ['userNamespaces: {idsPerPod: 131072}', { idsPerPod: 131_072 }],
  ['userNamespaces: {}', {}],
  ['userNamespaces: {idsPerPod: 1000}', /idsPerPod must not be less than 65536/],
  ['userNamespaces: {idsPerPod: 65537}', /idsPerPod must be a multiple of 65536/],
  ['userNamespaces: {idsPerPod: 4294967296}', /idsPerPod must not be more than 4294967295/],
  ['userNamespaces: {gidsPerPod: 65536}', /gidsPerPod is not supported/],
  ['reservedMemory: [{limits: {memory: 1Gi}}]', /does nothing without memoryManagerPolicy Static/],
  ['reservedMemory: [{limits: {cpu: 1Gi}}]', /the limit type "cpu" for NUMA node 0 is not supported/],
  ["reservedMemory: [{limits: {memory: '0'}}]", /may not be zero for NUMA node 0 and resource "memory"/],
  [
    'reservedMemory: [{limits: {memory: 1Gi}}, {numaNode: 0, limits: {memory: 1Gi}}]',
    /has a duplicate value for NUMA node 0 and resource "memory"/,
  ],
  ['serverTLSBootstrap: false', {}],
  ['serverTLSBootstrap: perhaps', /serverTLSBootstrap: "perhaps" is neither true nor false/],
  ['serverTLSBootstrap: true\ntlsCertFile: /c', /serverTLSBootstrap and tlsCertFile each name a certificate/],
  ['reservedMemory: [{numaNode: one}]', /"one" is no whole number from 0/],
  ['constructor: 5', /fields that are not supported yet: constructor/],
];

for (const [line, wanted] of rows) {
  test(`KubeletConfiguration with ${line}`, async () => {
    const folder = makeTestFolder().path;
    try {
      const path = join(folder, 'config.yaml');
      await writeFile(path, `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${line}\n`);
      if (wanted instanceof RegExp) await assert.rejects(readKubeletConfig(path), { message: wanted });
      else assert.deepEqual((await readKubeletConfig(path)).config, wanted);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

test('a file as kubeadm writes it is taken', async () => {
  const folder = makeTestFolder().path;
  try {
    const path = join(folder, 'config.yaml');
    await writeFile(
      path,
      `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {cacheTTL: 0s, enabled: true}
  x509: {clientCAFile: /etc/kubernetes/pki/ca.crt}
authorization:
  mode: Webhook
  webhook: {cacheAuthorizedTTL: 0s, cacheUnauthorizedTTL: 0s}
cgroupDriver: cgroupfs
clusterDNS: [10.96.0.10]
clusterDomain: cluster.local
containerRuntimeEndpoint: ""
cpuManagerReconcilePeriod: 0s
crashLoopBackOff: {}
evictionPressureTransitionPeriod: 0s
fileCheckFrequency: 0s
httpCheckFrequency: 0s
imageMaximumGCAge: 0s
imageMinimumGCAge: 0s
logging: {flushFrequency: 0, options: {json: {infoBufferSize: "0"}, text: {infoBufferSize: "0"}}, verbosity: 0}
memorySwap: {}
nodeStatusReportFrequency: 0s
nodeStatusUpdateFrequency: 0s
runtimeRequestTimeout: 0s
shutdownGracePeriod: 0s
shutdownGracePeriodCriticalPods: 0s
staticPodPath: /etc/kubernetes/manifests
syncFrequency: 0s
tlsCertFile: /pki/a.crt
tlsPrivateKeyFile: /pki/a.key
port: 10260
rotateCertificates: true
volumeStatsAggPeriod: 0s
`,
    );
    const { server, staticPodPath, rotateCertificates } = await readKubeletConfig(path);
    assert.equal(rotateCertificates, true);
    assert.equal(staticPodPath, '/etc/kubernetes/manifests');
    assert.deepEqual(server, {
      port: 10_260,
      tlsCertFile: '/pki/a.crt',
      tlsPrivateKeyFile: '/pki/a.key',
      clientCAFile: '/etc/kubernetes/pki/ca.crt',
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('each field of the schema is acted on, or refused by name but for what is done anyway; the page says which', async () => {
  const page = await readFile(new URL('../../../../docs/kubelet-configuration.md', import.meta.url), 'utf8');
  assert.equal(page, kubeletConfigPage(), 'write it anew: node apps/binnacle/src/host/write-kubelet-config-page.ts');
  const folder = makeTestFolder().path;
  try {
    const path = join(folder, 'config.json');
    for (const field of KUBELET_CONFIG_FIELDS.filter((one) => !isHonoured(one))) {
      const file = { kind: 'KubeletConfiguration', [field]: 'a value of no meaning' };
      await writeFile(path, JSON.stringify(file));
      await assert.rejects(readKubeletConfig(path), new RegExp(`not supported yet: ${field}$`));
      for (const value of acceptedValues(field)) {
        await writeFile(path, JSON.stringify({ ...file, [field]: value }));
        assert.deepEqual(await readKubeletConfig(path), { config: {} }, field);
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('files of a folder go over the file, by name; each is held to what is understood', async () => {
  const folder = makeTestFolder().path;
  const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), head + text);
  try {
    await mkdir(join(folder, 'd', 'sub'), { recursive: true });
    await write(
      'base.yaml',
      "maxPods: 10\nclusterDomain: a.test\nevictionHard: {memory.available: 1Mi, pid.available: '5%'}",
    );
    await write('d/20.conf', 'maxPods: 30');
    await write('d/10.conf', 'maxPods: 20\nevictionHard: {memory.available: 2Mi}');
    await write('d/sub/99.conf', 'staticPodPath: pods');
    await write('d/notes.txt', 'maxPods: 99');
    const { config, staticPodPath } = await readKubeletConfig(join(folder, 'base.yaml'), join(folder, 'd'));
    assert.deepEqual(config, {
      maxPods: 30,
      clusterDomain: 'a.test',
      evictionHard: { 'memory.available': '2Mi', 'pid.available': '5%' },
    });
    assert.equal(staticPodPath, join(folder, 'd/sub/pods'));
    assert.equal((await readKubeletConfig(undefined, join(folder, 'd'))).config.maxPods, 30);
    await write('d/30.conf', 'runOnce: true');
    await assert.rejects(
      readKubeletConfig(undefined, join(folder, 'd')),
      /30\.conf: fields that are not supported yet: runOnce/,
    );
    await assert.rejects(readKubeletConfig(undefined, join(folder, 'none')), /cannot read the folder/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
