import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cniConfig, cniFoldersIn, containerdConfig, pluginList } from './config.ts';
import type { HostFacts } from './host.ts';
import { layoutOf } from './layout.ts';

const PROGRAMS = {
  containerd: '/usr/bin/containerd',
  shim: '/usr/bin/containerd-shim-runc-v2',
  ctr: '/usr/bin/ctr',
  runc: '/usr/sbin/runc',
  cni: '/usr/lib/cni',
  iptables: '/usr/sbin/iptables',
  unshare: '/usr/bin/unshare',
  nsenter: '/usr/bin/nsenter',
};
const FULL: HostFacts = {
  hybridCgroups: false,
  canRaiseLimits: true,
  apparmor: true,
  snapshotter: 'overlayfs',
  limitsBandwidth: true,
  limitsHugePages: true,
  programs: PROGRAMS,
};
const LAYOUT = layoutOf('/data/a "quoted" folder');

test('what the machine lacks is switched off', () => {
  for (const [name, host, line] of [
    ['all there: oom', FULL, 'restrict_oom_score_adj = false'],
    ['all there: apparmor', FULL, 'disable_apparmor = false'],
    ['no CAP_SYS_RESOURCE', { ...FULL, canRaiseLimits: false }, 'restrict_oom_score_adj = true'],
    ['no AppArmor', { ...FULL, apparmor: false }, 'disable_apparmor = true'],
    ['all there: huge pages', FULL, 'disable_hugetlb_controller = false'],
    ['no limits of huge pages', { ...FULL, limitsHugePages: false }, 'disable_hugetlb_controller = true'],
    ['no overlay', { ...FULL, snapshotter: 'native' }, 'snapshotter = "native"'],
    ['quoting', FULL, 'root = "/data/a \\"quoted\\" folder/root"'],
    ['state', FULL, 'state = "/run/s"'],
    ['sandbox image', FULL, 'sandbox_image = "pause:1"'],
  ] as const) {
    assert.ok(
      containerdConfig(LAYOUT, host, { sandboxImage: 'pause:1', state: '/run/s' })
        .split('\n')
        .some((l) => l.trim() === line),
      name,
    );
  }
});

test("CNI's folders are ours and the machine's, or somebody else's, and can be read off again", () => {
  const of = { sandboxImage: 'pause:1', state: '/run/s' };
  assert.deepEqual(cniFoldersIn(containerdConfig(LAYOUT, FULL, of)), {
    binDir: '/usr/lib/cni',
    confDir: LAYOUT.cniConfigDir,
  });
  const theirs = { ...FULL, programs: { ...PROGRAMS, cni: '/opt/a "b"/bin' } };
  assert.deepEqual(cniFoldersIn(containerdConfig(LAYOUT, theirs, { ...of, confDir: '/etc/cni/net.d' })), {
    binDir: '/opt/a "b"/bin',
    confDir: '/etc/cni/net.d',
  });
  assert.deepEqual(cniFoldersIn('version = 2\n'), {});
});

test('the pod network has a range and a route per family', () => {
  const text = cniConfig(LAYOUT, { subnets: ['10.1.0.0/24', 'fd00::/112'], bridge: 'bn0' });
  const [bridge, portmap] = (JSON.parse(text) as { plugins: { [key: string]: unknown }[] }).plugins;
  assert.equal(bridge?.['bridge'], 'bn0');
  assert.deepEqual(bridge?.['ipam'], {
    type: 'host-local',
    dataDir: LAYOUT.cniIpamDir,
    ranges: [[{ subnet: '10.1.0.0/24' }], [{ subnet: 'fd00::/112' }]],
    routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
  });
  assert.equal(portmap?.['type'], 'portmap');
  assert.equal(bridge?.['ipMasq'], true);
  const limited = cniConfig(LAYOUT, { subnets: [], bridge: 'bn0', bandwidth: true });
  const [, , bandwidth] = (JSON.parse(limited) as { plugins: { [key: string]: unknown }[] }).plugins;
  assert.deepEqual(bandwidth, { type: 'bandwidth', capabilities: { bandwidth: true } });
  assert.match(cniConfig(LAYOUT, { subnets: [], bridge: 'bn0', masquerade: false }), /"ipMasq": false/);
});

test('the pod network as plugins: masquerading unless told otherwise, packets as large as asked for', () => {
  const network = { subnets: ['10.1.0.0/24'], bridge: 'bn0' };
  const bridge = (more: object): { readonly [name: string]: unknown } =>
    pluginList('/ipam', { ...network, ...more }).plugins[0] ?? {};
  for (const [name, more, field, wanted] of [
    ['masquerades', {}, 'ipMasq', true],
    ['somebody else does', { masquerade: false }, 'ipMasq', false],
    ['packets as links are made', {}, 'mtu', undefined],
    ['packets for a tunnel', { mtu: 1450 }, 'mtu', 1450],
    ['a pod reaches itself by its Service', {}, 'hairpinMode', true],
  ] as const)
    assert.equal(bridge(more)[field], wanted, name);
  assert.ok(!('mtu' in bridge({})), 'a plugin takes what is there for a number');
  assert.deepEqual(pluginList('/ipam', network).plugins[1]?.capabilities, { portMappings: true });
});
