import { LEASES } from '@binnacle/api';
import type { Lease } from '@binnacle/api/coordination/v1';
import { TestkitError, waitFor } from '@binnacle/testkit';
import type { BinnacleProcess, ProcessCluster } from '@binnacle/testkit';

/** How soon a manager takes over; as its flags say it. */
export interface ElectionTimes {
  readonly leaseDuration: string;
  readonly renewDeadline: string;
  readonly retryPeriod: string;
}

const COUNT = 2;

/** Controller managers of a cluster, of which one leads, each a process that may be killed. They end with the cluster. */
export class ElectedManagers {
  readonly #cluster: ProcessCluster;
  readonly #args: readonly string[];
  readonly #running: BinnacleProcess[] = [];

  private constructor(cluster: ProcessCluster, args: readonly string[]) {
    this.#cluster = cluster;
    this.#args = args;
  }

  /** Two of them in the place of the cluster's own one, which is killed; they are started by `start`. */
  static async replaceOwn(cluster: ProcessCluster, times: ElectionTimes): Promise<ElectedManagers> {
    await cluster.controllerManager().kill();
    const config = await cluster.kubeconfigFor('system:kube-controller-manager');
    const flags = [
      `--leader-elect-lease-duration=${times.leaseDuration}`,
      `--leader-elect-renew-deadline=${times.renewDeadline}`,
      `--leader-elect-retry-period=${times.retryPeriod}`,
    ];
    return new ElectedManagers(cluster, ['controller-manager', '--kubeconfig', config, ...flags]);
  }

  async start(): Promise<void> {
    while (this.#running.length < COUNT) this.#running.push(await this.#cluster.start(this.#args));
  }

  /** As its Lease calls it, once it is one of those that live; `not`: another one than that. */
  async leader(not?: string): Promise<string> {
    let leader = '';
    await waitFor<Lease>({
      client: this.#cluster.client,
      resource: LEASES,
      namespace: 'kube-system',
      name: 'kube-controller-manager',
      what: 'a living leader',
      until: ([lease]) => {
        leader = lease?.spec?.holderIdentity ?? '';
        return leader !== not && this.#running.some(({ ready }) => ready.identity === leader);
      },
    });
    return leader;
  }

  /** SIGKILL; `start` brings another one. */
  async kill(identity: string): Promise<void> {
    const at = this.#running.findIndex(({ ready }) => ready.identity === identity);
    if (at === -1) throw new TestkitError(`no manager here is ${identity}`);
    const [dead] = this.#running.splice(at, 1);
    await dead?.kill();
  }
}
