import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProxyConfiguration } from './config.ts';
import { CONNTRACK_DEFAULTS } from './conntrack.ts';

const HEAD = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' };

test('nothing said: defaults', () => {
  const { masqueradeBit, minSyncMs, healthzBindAddress, metricsBindAddress } = readProxyConfiguration(HEAD);
  assert.deepEqual(
    [masqueradeBit, minSyncMs, healthzBindAddress, metricsBindAddress],
    [14, 1000, '0.0.0.0:10256', '127.0.0.1:10249'],
  );
});

test('what installers write is read', () => {
  const made = readProxyConfiguration({
    ...HEAD,
    bindAddress: '0.0.0.0',
    clientConnection: { kubeconfig: '/x/kubeconfig', qps: 0, burst: 0 },
    clusterCIDR: '10.244.0.0/16,fd02::/64',
    conntrack: null,
    hostnameOverride: 'Node-1',
    iptables: { masqueradeBit: 3, syncPeriod: '0s' },
    mode: 'nftables',
    nftables: { masqueradeAll: true, masqueradeBit: 15, minSyncPeriod: '1m1.5s' },
    nodePortAddresses: null,
    healthzBindAddress: '127.0.0.1',
    metricsBindAddress: '',
    oomScoreAdj: -998,
  });
  assert.deepEqual(made, {
    mode: 'nftables',
    kubeconfig: '/x/kubeconfig',
    hostnameOverride: 'node-1',
    podRanges: ['10.244.0.0/16', 'fd02::/64'],
    nodePortRanges: 'primary',
    masqueradeAll: true,
    masqueradeBit: 15,
    minSyncMs: 61_500,
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
    conntrack: CONNTRACK_DEFAULTS,
    oomScoreAdj: -998,
  });
});

/** As kubeadm writes it: every field that there is, with nothing said. */
const EVERY_FIELD = {
  ...HEAD,
  bindAddress: '',
  bindAddressHardFail: false,
  clientConnection: { acceptContentTypes: '', burst: 0, contentType: '', kubeconfig: '', qps: 0 },
  clusterCIDR: '',
  configSyncPeriod: '0s',
  conntrack: {
    ...{ maxPerCore: null, min: null, tcpBeLiberal: false, tcpCloseWaitTimeout: null },
    ...{ tcpEstablishedTimeout: null, udpStreamTimeout: '0s', udpTimeout: '0s' },
  },
  detectLocal: { bridgeInterface: '', interfaceNamePrefix: '' },
  detectLocalMode: '',
  enableProfiling: false,
  featureGates: {},
  healthzBindAddress: '',
  hostnameOverride: '',
  iptables: {
    localhostNodePorts: null,
    masqueradeAll: false,
    masqueradeBit: null,
    minSyncPeriod: '0s',
    syncPeriod: '0s',
  },
  ipvs: {
    ...{ excludeCIDRs: null, minSyncPeriod: '0s', scheduler: '', strictARP: false, syncPeriod: '0s' },
    ...{ tcpFinTimeout: '0s', tcpTimeout: '0s', udpTimeout: '0s' },
  },
  logging: {
    flushFrequency: 0,
    options: { json: { infoBufferSize: '0' }, text: { infoBufferSize: '0' } },
    verbosity: 0,
  },
  metricsBindAddress: '',
  mode: '',
  nftables: { masqueradeAll: false, masqueradeBit: null, minSyncPeriod: '0s', syncPeriod: '0s' },
  nodePortAddresses: null,
  oomScoreAdj: null,
  portRange: '',
  showHiddenMetricsForVersion: '',
  windowsRunAsService: false,
  winkernel: {
    enableDSR: false,
    forwardHealthCheckVip: false,
    networkName: '',
    rootHnsEndpointName: '',
    sourceVip: '',
  },
};

test('a file with every field, and nothing said by any, is as good as none', () => {
  assert.deepEqual(readProxyConfiguration(EVERY_FIELD), readProxyConfiguration(HEAD));
});

test("a file with upstream's defaults spelled out is as good as none", () => {
  const spelled = {
    ...EVERY_FIELD,
    bindAddress: '0.0.0.0',
    healthzBindAddress: '0.0.0.0:10256',
    metricsBindAddress: '127.0.0.1:10249',
    configSyncPeriod: '15m0s',
    conntrack: {
      ...{ maxPerCore: 32_768, min: 131_072, tcpEstablishedTimeout: '24h0m0s', tcpCloseWaitTimeout: '1h0m0s' },
      ...{ tcpBeLiberal: false, udpTimeout: '0s', udpStreamTimeout: '0s' },
    },
    nftables: { masqueradeBit: 14, masqueradeAll: false, syncPeriod: '30s', minSyncPeriod: '1s' },
    oomScoreAdj: -999,
  };
  assert.deepEqual(readProxyConfiguration(spelled), { ...readProxyConfiguration(HEAD), oomScoreAdj: -999 });
});

test('what is said of the table of connections', () => {
  const { conntrack } = readProxyConfiguration({
    ...HEAD,
    conntrack: { maxPerCore: 0, tcpBeLiberal: true, udpTimeout: '1m' },
  });
  assert.deepEqual(conntrack, { ...CONNTRACK_DEFAULTS, maxPerCore: 0, tcpBeLiberal: true, udpTimeout: 60_000 });
});

test('bound to IPv6, it is asked there too', () => {
  const { healthzBindAddress, metricsBindAddress } = readProxyConfiguration({ ...HEAD, bindAddress: '::' });
  assert.deepEqual([healthzBindAddress, metricsBindAddress], ['[::]:10256', '[::1]:10249']);
});

test('an address of IPv6 alone gets the usual port, as one of IPv4 does', () => {
  const { healthzBindAddress, metricsBindAddress } = readProxyConfiguration({
    ...HEAD,
    healthzBindAddress: '::1',
    metricsBindAddress: '[::1]:9',
  });
  assert.deepEqual([healthzBindAddress, metricsBindAddress], ['[::1]:10256', '[::1]:9']);
});

test('the section of the mode holds, and no other', () => {
  const sections = {
    iptables: { masqueradeAll: true, masqueradeBit: null, minSyncPeriod: '0s', localhostNodePorts: null },
    nftables: { masqueradeBit: 3, minSyncPeriod: '7s' },
    ipvs: { scheduler: 'rr' },
  };
  const { mode, masqueradeAll, masqueradeBit, minSyncMs } = readProxyConfiguration({
    ...HEAD,
    ...sections,
    mode: 'iptables',
  });
  assert.deepEqual([mode, masqueradeAll, masqueradeBit, minSyncMs], ['iptables', true, 14, 1000]);
  const third = readProxyConfiguration({ ...HEAD, ...sections, mode: 'ipvs' });
  assert.deepEqual([third.mode, third.masqueradeAll], ['ipvs', true], 'which iptables masquerades');
  const other = readProxyConfiguration({ ...HEAD, ...sections, mode: '' });
  assert.deepEqual(
    [other.mode, other.masqueradeAll, other.masqueradeBit, other.minSyncMs],
    ['nftables', false, 3, 7000],
  );
});

const NODE_PORTS: readonly (readonly [name: string, fields: object, ranges: readonly string[] | 'primary'])[] = [
  ['the node’s own', { nodePortAddresses: ['primary'] }, 'primary'],
  ['nothing said', {}, []],
  ['nothing said of nftables: as upstream has it', { mode: 'nftables' }, 'primary'],
  ['nothing said of iptables', { mode: 'iptables', nodePortAddresses: [] }, []],
  ['all', { mode: 'nftables', nodePortAddresses: ['0.0.0.0/0', '::/0'] }, ['0.0.0.0/0', '::/0']],
  ['in their one spelling', { nodePortAddresses: [' 192.0.2.7/24\n'] }, ['192.0.2.0/24']],
];
for (const [name, fields, ranges] of NODE_PORTS)
  test(`addresses of node ports: ${name}`, () =>
    assert.deepEqual(readProxyConfiguration({ ...HEAD, ...fields }).nodePortRanges, ranges));

for (const [text, ms] of [
  ['1500us', 1.5],
  ['.5s', 500],
  ['0', 1000],
] as const) {
  test(`a duration as Go takes it: ${text}`, () =>
    assert.equal(readProxyConfiguration({ ...HEAD, nftables: { minSyncPeriod: text } }).minSyncMs, ms));
}

const REFUSED: readonly (readonly [string, object, RegExp])[] = [
  ['another kind', { kind: 'KubeletConfiguration' }, /expected kind KubeProxyConfiguration/],
  ['another version', { apiVersion: 'v1' }, /apiVersion/],
  ['another driver', { mode: 'userspace' }, /^mode: userspace is not supported/],
  ['another scheduler', { mode: 'ipvs', ipvs: { scheduler: 'sh' } }, /ipvs\.scheduler/],
  ['node ports on loopback', { mode: 'iptables', iptables: { localhostNodePorts: true } }, /localhostNodePorts/],
  ['a field that is none', { nodePort: 3 }, /nodePort$/],
  ['a name of prototypes', { constructor: 3 }, /constructor$/],
  ['a deep one that is none', { nftables: { syncEvery: '1s' } }, /nftables\.syncEvery/],
  ['what we do not do', { detectLocal: { bridgeInterface: 'br0' } }, /detectLocal\.bridgeInterface/],
  ['a field of connections that is none', { conntrack: { max: 3 } }, /conntrack\.max$/],
  ['fewer connections than none', { conntrack: { maxPerCore: -1 } }, /conntrack\.maxPerCore: must be within/],
  ['an adjustment too far', { oomScoreAdj: 1001 }, /oomScoreAdj: must be within the range \[-1000, 1000\]/],
  ['no CIDR', { nodePortAddresses: ['primary', '10.0.0.0/8'] }, /nodePortAddresses: must be CIDRs/],
  ['another word', { nodePortAddresses: ['localhost'] }, /nodePortAddresses: must be CIDRs/],
  ['no list', { nodePortAddresses: 'primary' }, /nodePortAddresses: must be CIDRs/],
  ['no duration', { nftables: { minSyncPeriod: '-1s' } }, /nftables\.minSyncPeriod: time: invalid duration "-1s"/],
  ['a bit too far', { nftables: { masqueradeBit: 32 } }, /masqueradeBit/],
];

for (const [name, fields, message] of REFUSED) {
  test(`${name} is refused`, () => {
    assert.throws(
      () => readProxyConfiguration({ ...HEAD, ...fields }),
      (error: Error) => message.test(error.message),
    );
  });
}
