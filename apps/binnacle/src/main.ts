import { Command, CommanderError, Option } from 'commander';
import { parseRanges } from './host/address-families.ts';
import { parseListen, parseServer } from './host/listen-address.ts';
import { AssertionError, CatalogueError, messageOf } from '@binnacle/base';
import { StoreCutBackError } from '@binnacle/store';
import {
  PROXY_MODES,
  dataDirOption,
  doorOptions,
  nodeOptions,
  podNetworkOption,
  storeOptions,
  verbosity,
} from './host/cluster-options.ts';
import { portOptions } from './host/component-port-options.ts';
import { featureGatesOption } from './host/feature-options.ts';
import { countOption, durationOption, parseCount, parseList, parseShare, switchOption } from './host/flag-options.ts';
import { NODE_DEFAULTS } from './host/node-flags.ts';
import { watchOutputs } from './host/outputs.ts';
import { systemError } from './host/record-file.ts';
import { refuseGoneFlags } from './host/gone-flags.ts';
import { normaliseArguments, pointToHelp, refuseMissingValues } from './host/spelling.ts';
import { wasAskedToStop } from './host/stop-signals.ts';

function build(): Command {
  const program = new Command('binnacle')
    .description('A complete Kubernetes in one process')
    // Options of `kubelet` are not those of `kubelet pods`.
    .enablePositionalOptions()
    // A mistake is told by the parser, and ends the program below; commands that are added take it over.
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'binnacle: ')) });
  doorOptions(nodeOptions(storeOptions(program.command('up').description('bring up a cluster in this process'))))
    .addOption(dataDirOption())
    .addOption(new Option('--nodes <n>', 'number of simulated nodes').argParser(parseCount).default(1))
    .addOption(
      new Option(
        '--workers <n>',
        'further nodes that run containers, each in a network namespace of this machine; what is said of a kubelet is for the own node',
      )
        .argParser(parseCount)
        .default(0),
    )
    .addOption(
      new Option(
        '--node-cidr <cidrs>',
        'addresses of nodes, where there are further ones; one range, or one of each family',
      )
        .argParser(parseRanges)
        .default(NODE_DEFAULTS.nodeCidr, NODE_DEFAULTS.nodeCidr.join()),
    )
    .option('--kubeconfig <file>', "kubeconfig to write the context `binnacle` into (default: the user's)")
    .option('--image <file...>', 'OCI archives to load into the node')
    .option('--scheduler-config <file>', 'KubeSchedulerConfiguration: profiles, plugins, extenders')
    .addOption(controllersOption())
    .addOption(
      new Option('--local-path-storage <choice>', 'directories of nodes as volumes: class `local-path`')
        .choices(['on', 'off'])
        .default('on'),
    )
    .addOption(new Option('--dns <choice>', 'names of Services for pods').choices(['on', 'off']).default('on'))
    .addOption(
      new Option(
        '--dns-listen <host:port>',
        "answer the cluster's names here as well, as with simulated nodes; port 0 takes any",
      ).argParser(parseListen),
    )
    .addOption(
      new Option(
        '--dashboard <host:port>',
        "where the dashboard is served, or off (default: beside the API server's port, on this machine)",
      ).argParser((text) => (text === 'off' ? text : parseListen(text))),
    )
    .option('--detach', 'go to the background once the cluster is ready')
    .addOption(new Option('-o, --output <format>', 'json: one line when ready').choices(['json']))
    .addOption(verbosity())
    .action(async (options) => (await import('./commands/up.ts')).up(options));
  program
    .command('down')
    .description('stop the cluster and remove its containers')
    .addOption(dataDirOption())
    .option('--delete', 'delete its data as well')
    .action(async (options) => (await import('./commands/down.ts')).down(options));
  addImageCommands(program);
  addComponents(program);
  addDashboard(program);
  addQuestions(program);
  addVersion(program);
  pointToHelp(program);
  refuseMissingValues(program);
  return program;
}

function controllersOption(): Option {
  const what = "which controllers to run, comma-separated: `*`, `NAME`, `-NAME` (default: '*')";
  return new Option('--controllers <names>', what).argParser(parseList);
}

/** What this program is; looked up only when asked. */
function addVersion(program: Command): void {
  program
    .command('version')
    .description('what this program is; --version too')
    .action(async () => (await import('./commands/version.ts')).tellVersion());
}

/** Commands that only ask an API server. */
function addQuestions(program: Command): void {
  const asking = (command: Command): Command =>
    command
      .option('--kubeconfig <file>', "how to reach the API server (default: the user's)")
      .option('--context <name>', 'the context of the kubeconfig (default: its current one)')
      .option('-n, --namespace <name>', "the object's namespace (default: the context's)");
  asking(
    program.command('trace <object...>').description('how an object came to be as it is: pod/NAME, deployment/NAME, …'),
  )
    .addOption(new Option('-o, --output <format>', 'in place of the picture').choices(['json', 'mermaid', 'html']))
    .option('-f, --follow', 'go on as it happens')
    .action(async (words, options) => (await import('./commands/trace.ts')).trace(words, options));
  asking(program.command('explain <pod...>').description('why a pod is where it is: pod NAME'))
    .addOption(new Option('-o, --output <format>', 'as the API has it').choices(['json', 'yaml']))
    .action(async (words, options) => (await import('./commands/explain.ts')).explain(words, options));
}

function addImageCommands(program: Command): void {
  const image = program.command('image').description('images of the node');
  image
    .command('load <file...>')
    .description('load OCI archives into the node')
    .addOption(dataDirOption())
    .action(async (files, options) => (await import('./commands/image.ts')).loadImages(files, options));
  image
    .command('ls')
    .description('the images of the nodes')
    .addOption(dataDirOption())
    .addOption(new Option('-o, --output <format>', 'json: as it is').choices(['json']))
    .action(async (options) => (await import('./commands/image.ts')).listImages(options));
  image
    .command('pull <name...>')
    .description('pull images from their registries into the nodes')
    .option('--creds <user:password>', 'as whom the registry is asked')
    .addOption(dataDirOption())
    .action(async (names, options) => (await import('./commands/image.ts')).pullImages(names, options));
  image
    .command('rm <name...>')
    .description('remove images from the nodes, with all their names')
    .addOption(dataDirOption())
    .action(async (names, options) => (await import('./commands/image.ts')).removeImages(names, options));
  image
    .command('build <root>')
    .description('an OCI archive of a folder, or of a tar archive of a root file system, for `image load`')
    .requiredOption('--output <file>', 'where the archive is written')
    .requiredOption('--ref <name:tag...>', 'names of the image')
    .option('--config <file>', 'YAML or JSON: Entrypoint, Cmd, Env, WorkingDir, User, ExposedPorts, … as OCI has them')
    .action(async (root, options) => (await import('./commands/image.ts')).buildImage(root, options));
  image
    .command('build-example <file>')
    .description("write the example's image (busybox with a page) as an OCI archive; no registry needed")
    .option('--ref <name:tag>', 'name of the image', 'binnacle.local/frontend:1.0')
    .option('--entrypoint <program>', 'a program in place of the web server; `args` of a container are its arguments')
    .action(async (file, options) => (await import('./commands/image.ts')).buildExampleImage(file, options));
}

function addDashboard(program: Command): void {
  program
    .command('dashboard')
    .description('a dashboard in the browser for the cluster of a kubeconfig; prints a link that logs in once')
    .option('--kubeconfig <file>', "how to reach the API server (default: the user's)")
    .option('--context <name>', 'the context of the kubeconfig (default: its current one)')
    .addOption(
      new Option('--listen <host:port>', 'where the dashboard is served; port 0 takes any')
        .argParser(parseListen)
        .default({ host: '127.0.0.1', port: 0 }, '127.0.0.1:0'),
    )
    .addOption(new Option('-o, --output <format>', 'json: one line when ready').choices(['json']))
    .addOption(verbosity())
    .action(async (options) => (await import('./commands/dashboard.ts')).dashboard(options));
}

function addControllerManager(program: Command): void {
  portOptions(program.command('controller-manager').description('the controllers alone, against a kubeconfig'), 10_257)
    .option('--kubeconfig <file>', "how to reach the API server (default: the configuration's)")
    .option('--config <file>', 'KubeControllerManagerConfiguration; flags win over it')
    .option('--root-ca-file <file>', "CA published to every namespace (default: the kubeconfig's)")
    .option('--cluster-signing-cert-file <file>', 'authority that signs approved requests (default: nobody signs)')
    .option('--cluster-signing-key-file <file>', 'its key')
    .addOption(durationOption('cluster-signing-duration', 'the longest life of what is signed (default: 8760h)'))
    .option(
      '--service-account-private-key-file <file>',
      'key that signs tokens which Secrets keep (default: nobody signs)',
    )
    .addOption(
      durationOption(
        'legacy-service-account-token-clean-up-period',
        'tokens that older clusters made go when unused for so long (default: 8760h)',
      ),
    )
    .addOption(switchOption('disable-force-detach-on-timeout', 'volumes stay on nodes that do not answer'))
    .addOption(switchOption('allocate-node-cidrs', "give each node a network of its pods, out of the cluster's"))
    .addOption(new Option('--cluster-cidr <cidrs>', "the cluster's networks, one of a family").argParser(parseList))
    .addOption(new Option('--service-cluster-ip-range <cidrs>', 'never given to nodes').argParser(parseList))
    .addOption(countOption('node-cidr-mask-size-ipv4 <bits>', "the prefix of a node's network (default: 24)"))
    .addOption(countOption('node-cidr-mask-size-ipv6 <bits>', 'the same for IPv6 (default: 64)'))
    .addOption(switchOption('leader-elect', 'of several managers only one works (default: true)'))
    .addOption(durationOption('leader-elect-lease-duration', 'how long others wait for a leader (default: 15s)'))
    .addOption(durationOption('leader-elect-renew-deadline', 'how long a leader tries to stay one (default: 10s)'))
    .addOption(durationOption('leader-elect-retry-period', 'between two tries (default: 2s)'))
    .option('--leader-elect-resource-name <name>', 'of the Lease (default: kube-controller-manager)')
    .option('--leader-elect-resource-namespace <name>', 'of the Lease (default: kube-system)')
    .addOption(durationOption('horizontal-pod-autoscaler-sync-period', 'between two looks (default: 15s)'))
    .addOption(
      durationOption('horizontal-pod-autoscaler-downscale-stabilization', 'the way down is steadied by (default: 5m)'),
    )
    .option(
      '--horizontal-pod-autoscaler-tolerance <share>',
      'how far from its target a metric may be (default: 0.1)',
      parseShare,
    )
    .addOption(durationOption('horizontal-pod-autoscaler-cpu-initialization-period', 'of young pods (default: 5m)'))
    .addOption(durationOption('horizontal-pod-autoscaler-initial-readiness-delay', 'of young pods (default: 30s)'))
    .addOption(countOption('terminated-pod-gc-threshold <n>', 'pods that have ended and stay (default: 12500)'))
    .addOption(durationOption('node-monitor-grace-period', 'how long a node may be silent (default: 50s)'))
    .addOption(durationOption('node-startup-grace-period', 'the same for a new one (default: 1m)'))
    .option('--node-eviction-rate <n>', 'nodes a second that are given up (default: 0.1)', parseShare)
    .option(
      '--secondary-node-eviction-rate <n>',
      'the same where much of a large zone is lost (default: 0.01)',
      parseShare,
    )
    .option('--unhealthy-zone-threshold <share>', 'from which on much of a zone is lost (default: 0.55)', parseShare)
    .addOption(countOption('large-cluster-size-threshold <n>', 'a zone with more nodes is large (default: 50)'))
    .addOption(featureGatesOption())
    .addOption(controllersOption())
    .addOption(verbosity())
    .action(async (options) => (await import('./commands/controller-manager.ts')).controllerManager(options));
}

function addProxy(program: Command): void {
  program
    .command('proxy')
    .description('Services on this machine alone, against a kubeconfig')
    .option('--kubeconfig <file>', 'how to reach the API server')
    .option('--config <file>', 'KubeProxyConfiguration')
    .option('--hostname-override <name>', "the node's name (default: the machine's)")
    .addOption(
      new Option('--proxy-mode <mode>', "by what (default: the configuration's, or nftables)").choices(PROXY_MODES),
    )
    .addOption(
      podNetworkOption(
        "keep ways to other nodes' pods, and this one's held back by network policies; needs clusterCIDR in the configuration",
      ),
    )
    .addOption(switchOption('cleanup', 'take the rules away, and end'))
    .addOption(verbosity())
    .action(async (options) => (await import('./commands/proxy.ts')).proxy(options));
}

function addComponents(program: Command): void {
  storeOptions(program.command('apiserver').description('the API server alone'))
    .addOption(dataDirOption())
    .option('--kubeconfig <file>', 'kubeconfig to write the context `binnacle` into')
    .addOption(new Option('-o, --output <format>', 'json: one line when ready').choices(['json']))
    .addOption(verbosity())
    .action(async (options) => (await import('./commands/apiserver.ts')).apiserver(options));
  addControllerManager(program);
  portOptions(program.command('scheduler').description('a scheduler alone, against a kubeconfig'), 10_259)
    .option('--kubeconfig <file>', "how to reach the API server (default: the configuration's, then the pod's own)")
    .option(
      '--scheduler-name <name>',
      'the pods to schedule: those with this schedulerName (default: default-scheduler)',
    )
    .option('--config <file>', 'KubeSchedulerConfiguration: profiles, plugins, extenders, leader election')
    .addOption(verbosity())
    .action(async (options) => (await import('./commands/scheduler.ts')).scheduler(options));
  addProxy(program);
  const kubelet = nodeOptions(
    program.command('kubelet').description('a kubelet alone, against a kubeconfig or (static pods only) without'),
  )
    .option('--kubeconfig <file>', 'how to reach the API server; absent: static pods only')
    .option(
      '--bootstrap-kubeconfig <file>',
      'with which a certificate is asked for where --kubeconfig names no file yet',
    )
    .option('--tls-cert-file <file>', "the kubelet's serving certificate (default: self-signed)")
    .option('--tls-private-key-file <file>', 'its key')
    .option(
      '--client-ca-file <file>',
      "CA of client certificates that the kubelet believes (default: the kubeconfig's)",
    )
    .addOption(dataDirOption())
    .option('--image <file...>', 'OCI archives to load into the node')
    .addOption(new Option('-o, --output <format>', 'json: one line when ready').choices(['json']))
    .addOption(verbosity())
    .addOption(featureGatesOption())
    .addOption(new Option('--node-network <file>', 'further nodes of this machine').hideHelp())
    .option('--systemd-unit', 'print a unit for systemd that runs this command, and end')
    .action(async (options) => (await import('./commands/kubelet.ts')).kubelet(options));
  kubelet
    .command('pods')
    .description('what runs on the node of this machine, and which manifests are refused')
    .addOption(new Option('--data-dir <dir>', 'the data directory of its kubelet'))
    .addOption(new Option('-o, --output <format>', 'json: as it is').choices(['json']))
    .action(async (options) => {
      const { dataDir } = { ...kubelet.opts<{ dataDir: string }>(), ...options };
      await (await import('./commands/kubelet-pods.ts')).kubeletPods({ ...options, dataDir });
    });
  program
    .command('kubeconfig')
    .description('print a kubeconfig for a component of a cluster on this machine')
    .addOption(dataDirOption())
    .requiredOption('--server <url>', 'the API server', parseServer)
    .requiredOption('--user <name>', 'e.g. system:kube-scheduler, system:node:NAME')
    .option('--group <name...>', 'e.g. system:nodes')
    .action(async (options) => (await import('./commands/kubeconfig.ts')).kubeconfig(options));
}

/** What went wrong in one line: an expected failure with its cause, our own bug with its stack. */
function explain(failure: unknown): string {
  const error = systemError(failure);
  if (!(error instanceof CatalogueError) || error instanceof AssertionError) {
    return error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
  }
  if (error instanceof StoreCutBackError) {
    return `${error.message}; put the file or a copy of it back, or start with --accept-data-loss`;
  }
  const { cause } = error;
  const why = cause === undefined ? '' : messageOf(cause);
  return error.message.includes(why) ? error.message : `${error.message.trimEnd()} (${why})`;
}

const MISTAKES: ReadonlySet<string> = new Set(['usage', 'transport-kubeconfig']);

/** 2: what was typed, or a file that it names, is wrong, and nothing was begun; 1: what was begun failed. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof CatalogueError && MISTAKES.has(error.code) ? 2 : 1;
}

// Never rejects: it tells what failed, and ends. Not awaited, as the package has this file as CommonJS too, which cannot wait.
void (async () => {
  watchOutputs();
  try {
    refuseGoneFlags(process.argv.slice(2));
    await build().parseAsync(normaliseArguments(process.argv.slice(2)), { from: 'user' });
    if (wasAskedToStop()) process.exit();
  } catch (error) {
    if (!(error instanceof CommanderError)) process.stderr.write(`binnacle: ${explain(error)}\n`);
    process.exit(exitCodeOf(error));
  }
})();
