import { UsageError } from '../errors.ts';

/** Flags that upstream had once or has otherwise, and what does here what they did. */
const GONE: ReadonlyMap<string, string> = new Map([
  ['container-runtime', 'removed in v1.27: give --runtime=containerd or --container-runtime-endpoint'],
  ['docker-endpoint', 'removed with dockershim in v1.24: give --runtime=docker and --container-runtime-endpoint'],
  ['network-plugin', 'removed with dockershim in v1.24: the container runtime sets up the network'],
  ['pod-infra-container-image', 'removed in v1.35: the container runtime has its own sandbox image'],
  ['api-servers', 'removed in v1.8: give --kubeconfig'],
  ['master', 'give --kubeconfig with the address of the API server'],
  ['insecure-port', 'removed in v1.24: the API server speaks TLS only; give --listen'],
  ['insecure-bind-address', 'removed in v1.24: the API server speaks TLS only; give --listen'],
  ['read-only-port', 'there is none: ask the HTTPS port, or run `binnacle kubelet pods`'],
  ['secure-port', 'give the port with --listen=HOST:PORT'],
  ['bind-address', 'give the address with --listen=HOST:PORT'],
  ['policy-config-file', 'removed in v1.23: give --config with a KubeSchedulerConfiguration'],
  ['algorithm-provider', 'removed in v1.23: give --config with a KubeSchedulerConfiguration'],
  ['hostname-override', 'give --node-name'],
  ['root-dir', "give --data-dir; the kubelet's folder lies in it"],
  ['cluster-dns', 'give clusterDNS in the file of --config'],
  ['cluster-domain', 'give clusterDomain in the file of --config'],
  ['max-pods', 'give maxPods in the file of --config'],
]);

/** Commands that have the flag of that name still. */
const KEPT: ReadonlyMap<string, readonly string[]> = new Map([
  ['hostname-override', ['proxy']],
  ['secure-port', ['controller-manager', 'scheduler']],
  ['bind-address', ['controller-manager', 'scheduler']],
]);

/** Throws UsageError for a flag that is gone, with what took its place. */
export function refuseGoneFlags(args: readonly string[]): void {
  for (const arg of args) {
    if (arg === '--') return;
    const name = /^--([a-z-]+)(?:=|$)/.exec(arg)?.[1] ?? '';
    const instead = GONE.get(name);
    if (instead !== undefined && KEPT.get(name)?.includes(args[0] ?? '') !== true)
      throw new UsageError(`--${name}: ${instead}`);
  }
}
