import type { CniFolders, HostFacts } from './host.ts';
import type { Layout } from './layout.ts';

/** The pods' network on this node. */
export interface PodNetwork {
  /** Pod ranges, e.g. `['10.244.0.0/24']`; one per address family. */
  readonly subnets: readonly string[];
  /** Name of the bridge interface, at most 15 letters. */
  readonly bridge: string;
  /** Whether what leaves the pods' ranges goes as from the node; false: somebody else sees to it. Default true. */
  readonly masquerade?: boolean;
  /** Bytes of a packet at the most, as on the way out of the node. Absent: as links are made. */
  readonly mtu?: number;
  /** Pods may ask for a bandwidth: its CNI plugin is there. */
  readonly bandwidth?: boolean;
}

// Snapshotters and tracing that are not used only make the start slower and the log longer.
const UNUSED_PLUGINS = [
  'io.containerd.snapshotter.v1.aufs',
  'io.containerd.snapshotter.v1.btrfs',
  'io.containerd.snapshotter.v1.devmapper',
  'io.containerd.snapshotter.v1.zfs',
  'io.containerd.tracing.processor.v1.otlp',
  'io.containerd.internal.v1.tracing',
];

/** containerd's own configuration (TOML, version 2). `state`: where it finds that of its pods, in its namespace. */
export function containerdConfig(
  layout: Layout,
  host: HostFacts,
  of: { readonly sandboxImage: string; readonly state: string; readonly confDir?: string | undefined },
): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = ${quote(layout.root)}
state = ${quote(of.state)}
disabled_plugins = [${UNUSED_PLUGINS.map(quote).join(', ')}]

[grpc]
  address = ${quote(layout.socket)}

[debug]
  level = "warn"

[plugins."io.containerd.internal.v1.opt"]
  path = ${quote(layout.opt)}

[${cri}]
  sandbox_image = ${quote(of.sandboxImage)}
  disable_apparmor = ${!host.apparmor}
  restrict_oom_score_adj = ${!host.canRaiseLimits}
  tolerate_missing_hugetlb_controller = true
  disable_hugetlb_controller = ${!host.limitsHugePages}
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"

[${cri}.cni]
  bin_dir = ${quote(host.programs.cni)}
  conf_dir = ${quote(of.confDir ?? layout.cniConfigDir)}

[${cri}.containerd]
  snapshotter = ${quote(host.snapshotter)}
  default_runtime_name = "runc"

[${cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[${cri}.containerd.runtimes.runc.options]
  BinaryName = ${quote(host.programs.runc)}
  SystemdCgroup = false
  Root = ${quote(layout.runcRoot)}

[${cri}.registry]
  config_path = ${quote(layout.certsDir)}
`;
}

/** A list of CNI plugins. */
export interface PluginList {
  readonly cniVersion: string;
  readonly name: string;
  readonly plugins: readonly PluginConfig[];
}

/** One of them; it reads the rest of its fields by itself. */
export interface PluginConfig {
  readonly type: string;
  readonly capabilities?: { readonly portMappings?: boolean; readonly bandwidth?: boolean };
  readonly [name: string]: unknown;
}

/** What a configuration that `containerdConfig` made says of CNI; empty for one without. */
export function cniFoldersIn(config: string): CniFolders {
  const [binDir, confDir] = ['bin_dir', 'conf_dir'].map((name) => {
    const [, text] = new RegExp(`^ *${name} = (".*")$`, 'm').exec(config) ?? [];
    return text === undefined ? undefined : (JSON.parse(text) as string);
  });
  return { ...(binDir === undefined ? {} : { binDir }), ...(confDir === undefined ? {} : { confDir }) };
}

/** A bridge with the node as gateway, host-local addresses (noted in `ipamDir`), host ports. */
export function pluginList(ipamDir: string, network: PodNetwork): PluginList {
  const routes = network.subnets.map((subnet) => ({ dst: subnet.includes(':') ? '::/0' : '0.0.0.0/0' }));
  const bridge = {
    type: 'bridge',
    bridge: network.bridge,
    isGateway: true,
    ipMasq: network.masquerade ?? true,
    hairpinMode: true,
    ...(network.mtu === undefined ? {} : { mtu: network.mtu }),
    ipam: {
      type: 'host-local',
      dataDir: ipamDir,
      ranges: network.subnets.map((subnet) => [{ subnet }]),
      routes,
    },
  };
  const portmap = { type: 'portmap', capabilities: { portMappings: true }, snat: true };
  // The runtime reads `kubernetes.io/ingress-bandwidth` and `egress-bandwidth` of the pod, and tells the plugin.
  const bandwidth = { type: 'bandwidth', capabilities: { bandwidth: true } };
  const plugins = network.bandwidth === true ? [bridge, portmap, bandwidth] : [bridge, portmap];
  return { cniVersion: '0.4.0', name: network.bridge, plugins };
}

/** The list as containerd reads it. */
export function cniConfig(layout: Layout, network: PodNetwork): string {
  return `${JSON.stringify(pluginList(layout.cniIpamDir, network), null, 2)}\n`;
}

/** A basic TOML string; JSON's escapes are among TOML's. */
function quote(text: string): string {
  return JSON.stringify(text);
}
