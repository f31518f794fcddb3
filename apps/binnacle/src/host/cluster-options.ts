import { Option } from 'commander';
import type { Command } from 'commander';
import { defaultDataDir } from './data-dir.ts';
import { durationOption, parseCount, parseList, switchOption } from './flag-options.ts';
import { featureGatesOption, runtimeConfigOption } from './feature-options.ts';
import { parseIngressPorts } from './ingress.ts';
import { parseAddress, parseListen } from './listen-address.ts';
import { parseAddresses, parseRanges } from './address-families.ts';
import { NODE_DEFAULTS } from './node-flags.ts';
import { requestOptions } from './request-choice.ts';

/** By what Services are made real: `ProxyMode` of the room cluster, without loading it. */
export const PROXY_MODES = ['nftables', 'iptables', 'ipvs'];
/** How pods of other machines are reached: `PodNetworkMode` of the room network. */
const POD_NETWORKS = ['host-gw', 'vxlan'];

/** `--pod-network`, with what a command does about it. */
export function podNetworkOption(what: string): Option {
  return new Option('--pod-network <mode>', what).choices(POD_NETWORKS);
}

/** What API servers of one cluster share, by upstream's names. */
function authorityOptions(command: Command): Command {
  return command
    .option('--service-account-signing-key-file <file>', 'private key that signs tokens (default: one of its own)')
    .addOption(
      new Option(
        '--service-account-key-file <files>',
        'further keys whose tokens are believed; may be repeated',
      ).argParser((text, before: readonly string[] | undefined) => [...(before ?? []), ...parseList(text)]),
    )
    .option('--client-ca-file <file>', 'further authorities whose client certificates are believed')
    .option('--tls-cert-file <file>', "the API server's certificate (default: of the cluster's own authority)")
    .option('--tls-private-key-file <file>', 'its key')
    .option('--tls-min-version <version>', 'VersionTLS12 or VersionTLS13')
    .addOption(new Option('--tls-cipher-suites <names>', "ciphers of TLS 1.2, by Go's names").argParser(parseList))
    .addOption(durationOption('event-ttl', 'how long Events are kept (default: 1h)'))
    .addOption(
      durationOption('etcd-compaction-interval', 'the store forgets what is older, whatever its engine (default: 5m)'),
    );
}

/** How much is logged. */
export function verbosity(): Option {
  return new Option('-v, --v <level>', 'log level, 0–10').default(0).argParser(parseCount);
}

export function dataDirOption(): Option {
  return new Option('--data-dir <dir>', 'where the cluster keeps its state').default(defaultDataDir());
}

/** What an API server keeps, serves and believes. */
export function storeOptions(command: Command): Command {
  return requestOptions(authorityOptions(command))
    .addOption(
      new Option('--store <engine>', 'where objects are kept').choices(['sqlite', 'memory', 'etcd']).default('sqlite'),
    )
    .addOption(new Option('--etcd-servers <urls>', 'etcd endpoints, comma-separated').argParser(parseList))
    .option('--etcd-cafile <file>', "authorities whose certificates of etcd are believed (default: the system's)")
    .option('--etcd-certfile <file>', 'the certificate that etcd is shown')
    .option('--etcd-keyfile <file>', 'its key')
    .option('--accept-data-loss', 'start although the sqlite store was cut back; all clients read anew')
    .addOption(
      new Option('--listen <host:port>', 'address of the API server; port 0 takes any')
        .argParser(parseListen)
        .default({ host: '127.0.0.1', port: 6443 }, '127.0.0.1:6443'),
    )
    .addOption(
      new Option(
        '--advertise-address <ip>',
        "where pods and other nodes reach the API server; listened on too (default: what --listen says, or the node's where containers run)",
      ).argParser(parseAddress),
    )
    .addOption(
      new Option(
        '--service-cluster-ip-range <cidrs>',
        'addresses of Services, one range, or one of each family (default: 10.96.0.0/16, and fd00:10:96::/112 where pods have IPv6)',
      ).argParser(parseRanges),
    )
    .addOption(
      new Option('--enable-admission-plugins <names>', 'admission plugins that are on beside the default').argParser(
        parseList,
      ),
    )
    .addOption(
      new Option('--disable-admission-plugins <names>', 'admission plugins that are not on').argParser(parseList),
    )
    .option('--admission-control-config-file <file>', 'AdmissionConfiguration: what admission plugins are told')
    .addOption(runtimeConfigOption())
    .addOption(featureGatesOption())
    .addOption(
      new Option('--trace <choice>', 'remember who did what and why (binnacle trace)')
        .choices(['on', 'off'])
        .default('on'),
    )
    .option('--enable-pauses', 'who has the right may hold components and let them go step by step')
    .option('--trace-otlp-endpoint <url>', 'export the trace by OTLP over HTTP, e.g. http://localhost:4318')
    .option('--encryption-provider-config <file>', 'EncryptionConfiguration: which objects rest encrypted, and how')
    .addOption(switchOption('encryption-provider-config-automatic-reload', 'follow the file when it changes'))
    .option('--kubelet-certificate-authority <file>', "CA of kubelets' serving certificates (default: not verified)");
}

/** What a node runs, and how it is called and reached. */
export function nodeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--runtime <kind>', 'what runs containers')
        .choices(['auto', 'containerd', 'docker', 'simulated'])
        .default('auto'),
    )
    .option(
      '--container-runtime-endpoint <url>',
      'an existing CRI runtime, e.g. unix:///run/containerd/containerd.sock; with --runtime=docker, the engine',
    )
    .option('--node-name <name>', "the node's name (default: the host's)")
    .addOption(
      new Option(
        '--node-ip <ips>',
        "the node's address, or one of each family with a comma between them (default: the host's first one)",
      ).argParser(parseAddresses),
    )
    .addOption(
      new Option(
        '--pod-cidr <cidrs>',
        "addresses of the node's pods; one range, or one of each family with a comma between them",
      )
        .argParser(parseRanges)
        .default(NODE_DEFAULTS.podCidr, NODE_DEFAULTS.podCidr.join()),
    )
    .addOption(
      podNetworkOption(
        'pods of other machines are reached: by routes between neighbours, or wrapped in UDP (default: they are not)',
      ),
    )
    .option(
      '--cni-conf-dir <dir>',
      "folder of CNI's configurations, which somebody else puts there (default: one of its own, a bridge)",
    )
    .option('--cni-bin-dir <dir>', "folder of CNI's plugins (default: the machine's)")
    .option('--pod-manifest-path <dir>', 'folder of static pods')
    .option('--config <file>', 'kubelet configuration file (staticPodPath, maxPods, …)')
    .option('--config-dir <dir>', 'folder of *.conf files over it, by name')
    .option(
      '--image-credential-provider-config <file>',
      'CredentialProviderConfig: programs that know who may pull what',
    )
    .option('--image-credential-provider-bin-dir <dir>', 'where those programs are')
    .addOption(durationOption('node-status-update-frequency', 'how often the node looks at itself (default: 10s)'))
    .addOption(durationOption('file-check-frequency', 'accepted: the folder of static pods is watched'))
    .addOption(
      new Option(
        '--kubelet-port <port>',
        "the kubelet's HTTPS port (default: 10250, or any where that is taken)",
      ).argParser(parseCount),
    );
}

/** Where a cluster's Services and Ingresses are reached. */
export function doorOptions(command: Command): Command {
  return command
    .option(
      '--expose',
      'node ports and load balancers answer everybody (default: this machine, its pods and nodes, unless --listen is open)',
    )
    .addOption(
      new Option(
        '--cluster-cidr <cidrs>',
        "all nodes' pods, where there are several (default: with --pod-network the first 16 bits of --pod-cidr, of IPv6 48; with --workers what they need)",
      ).argParser(parseRanges),
    )
    .addOption(
      new Option('--proxy-mode <mode>', 'what makes Services real on nodes that run containers')
        .choices(PROXY_MODES)
        .default(NODE_DEFAULTS.proxyMode),
    )
    .addOption(
      new Option(
        '--load-balancer <choice>',
        'addresses for Services of type LoadBalancer (off: somebody else gives them)',
      )
        .choices(['on', 'off'])
        .default('on'),
    )
    .addOption(
      new Option(
        '--load-balancer-pool <cidrs>',
        "where they come from, comma-separated (default: the node's own address)",
      ).argParser(parseList),
    )
    .addOption(
      new Option('--ingress <choice>', 'Ingresses of the class `binnacle` (off: somebody else serves them)')
        .choices(['on', 'off'])
        .default('on'),
    )
    .addOption(
      new Option('--ingress-ports <http,https>', 'opened once there is an Ingress of the class; 0 takes any')
        .argParser(parseIngressPorts)
        .default({ http: 80, https: 443 }, '80,443'),
    );
}
