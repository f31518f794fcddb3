/** What is given to pods and containers alone on one node, and how it is given together. */
import type { Pod } from '@binnacle/api/core/v1';
import type { KubeletConfig } from './config.ts';
import { type ExclusiveCpus, createExclusiveCpus } from './cpu/exclusive-cpus.ts';
import type { NodeDevices } from './device/node-devices.ts';
import { reservedOf } from './eviction/reserve.ts';
import { OwnMemory } from './memory/own-memory.ts';
import type { KubeletOptions } from './ports.ts';
import type { ResizeRefusal } from './resize/fit.ts';
import { Alignment, type Giver } from './topology/alignment.ts';
import { MachineNodes } from './topology/machine-nodes.ts';
import { UserNamespaces } from './users/user-namespaces.ts';

export interface Givers {
  /** Absent: this node's CPUs cannot be told apart. */
  readonly cpus: ExclusiveCpus | undefined;
  /** Absent: it has no disk to write down who has what. */
  readonly memory: OwnMemory | undefined;
  /** Gives a pod all of it. Absent: nothing is given to anybody alone. */
  readonly alignment: Alignment | undefined;
  /** User ids of the node for pods that have users of their own. */
  readonly users: UserNamespaces;
  /** The machine's memory nodes. */
  readonly numa: MachineNodes;
  /** Gives room back that pods other than these had. */
  retain(podUids: ReadonlySet<string>): void;
  /** Why a pod that has something alone cannot be resized; undefined: it has nothing. */
  refuseResize(pod: Pod): ResizeRefusal | undefined;
  /** Looks at the machine, and learns what an earlier kubelet gave out. Throws KubeletConfigError. */
  recall(): Promise<void>;
}

/** Puts them together. */
export function createGivers(
  options: KubeletOptions,
  of: {
    readonly devices: NodeDevices | undefined;
    /** Containers without CPUs of their own have others now. */
    readonly sharedCpusChanged: () => void;
  },
): Givers {
  const { config, log, files } = options;
  const { devices } = of;
  const numa = new MachineNodes(options.machine);
  const cpus = createExclusiveCpus(options, { sharedChanged: of.sharedCpusChanged, nodeIds: () => numa.ids });
  const memory =
    files === undefined
      ? undefined
      : new OwnMemory({
          policy: config.memoryManagerPolicy,
          nodes: () => numa.all,
          reserved: config.reservedMemory,
          reservedBytes: reservedOf(config, options.machine).reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
          files,
          path: `${config.rootDirectory}/memory_manager_state`,
          log,
        });
  const givers = [cpus, memory, devices].filter(
    (giver): giver is NonNullable<typeof giver> & Giver => giver !== undefined,
  );
  const users = new UserNamespaces(options);
  return {
    cpus,
    memory,
    users,
    alignment: givers.length === 0 ? undefined : new Alignment({ config, givers, nodes: () => numa.all }),
    numa,
    retain: (podUids) => {
      for (const giver of [cpus, memory, devices]) giver?.retain(podUids);
    },
    refuseResize: (pod) => cpus?.refuseResize(pod) ?? memory?.refuseResize(pod),
    recall: async () => {
      const most = nodesMax(config);
      if (most !== undefined) await numa.look(most);
      await cpus?.recall();
      await memory?.recall();
      await users.recall();
    },
  };
}

/** Every set of nodes is looked at: their number is bounded where they are looked at at all. */
function nodesMax({ topologyManagerPolicy, topologyNodesMax, memoryManagerPolicy }: KubeletConfig): number | undefined {
  return topologyManagerPolicy === 'none' && memoryManagerPolicy === 'None' ? undefined : topologyNodesMax;
}
