/** Who is let onto a node, and who has to go for it. */
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { KubeletConfig } from '../config.ts';
import type { Machine, NodePressure } from '../ports.ts';
import type { NodeAllocatable } from '../registration/allocatable.ts';
import type { DeviceCount } from '../registration/node-object.ts';
import { type NodeRoom, admitPod, extendedOf, otherwiseRefused, roomOf } from './admission.ts';
import { podsToPreempt } from './preemption.ts';
import { TakenRoom } from './taken-room.ts';
import type { PodWorld, Rejection } from './world.ts';

const NOBODY: readonly Pod[] = [];

/** What is asked about a node and its pods, each time anew. */
export interface DoorOptions {
  /** Those that take room, but for one. */
  readonly others: (uid?: string) => readonly Pod[];
  readonly pressure: () => NodePressure | undefined;
  /** Why the node takes no pod at all; undefined: it does. */
  readonly refusal: () => Rejection | undefined;
  /** Ends a pod for one that the node cannot do without. Resolves when it is off the node. */
  readonly preempt: (pod: Pod) => Promise<void>;
  readonly apiNode: PodWorld['apiNode'];
  /** Absent: this node has no plugins. */
  readonly devices: { counts(): readonly DeviceCount[] } | undefined;
}

/** What of a node asks whether a pod is let in. */
export function doorOf(
  node: {
    readonly config: KubeletConfig;
    readonly machine: Pick<Machine, 'cpus' | 'hugePages'>;
    readonly allocatable: NodeAllocatable;
  },
  of: DoorOptions,
): Pick<PodWorld, 'admit' | 'refusedAnyway' | 'makeRoom' | 'recount'> {
  const taken = new TakenRoom();
  const othersThan = ({ metadata: { uid } }: Pod): readonly Pod[] => of.others(uid);
  const room = (told: Node | undefined): NodeRoom => ({
    ...roomOf(node.config, node, of.pressure()),
    extended: extendedOf(told ?? of.apiNode()?.lastRead, of.devices?.counts() ?? []),
  });
  return {
    admit(pod, told) {
      const refused = of.refusal();
      if (refused !== undefined) return refused;
      const here = room(told);
      const isSure = taken.surelyFits(pod, here);
      // Who surely fits fits beside nobody too; the rest is asked of the pod alone.
      const others = isSure ? NOBODY : othersThan(pod);
      if (!isSure) taken.count(others);
      const short = admitPod(pod, others, here);
      if (short === undefined) taken.add(pod);
      return short;
    },
    recount: () => taken.forget(),
    refusedAnyway: (pod) => otherwiseRefused(pod, othersThan(pod), room(undefined)),
    makeRoom: (pod, short) => {
      taken.forget();
      const victims = podsToPreempt(pod, othersThan(pod), short);
      return victims && Promise.all(victims.map((one) => of.preempt(one))).then(() => undefined);
    },
  };
}
