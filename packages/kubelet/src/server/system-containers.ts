import { formatTime } from '@binnacle/base';
import type { GroupUsage } from '../figures.ts';
import type { Kubelet } from '../kubelet.ts';

/** What of a kubelet tells what its groups use. */
type Told = Pick<Kubelet, 'machine' | 'config' | 'rates' | 'startedAt'>;

/**
 * The `systemContainers` of `/stats/summary`, under upstream's names: all pods together, and the kubelet itself where its
 * group is its own. What cannot be told apart, or cannot be read, is left out.
 */
export async function systemContainers(kubelet: Told, time: string): Promise<readonly object[]> {
  const { machine, config, startedAt } = kubelet;
  if (machine.groupUsage === undefined) return [];
  const own = await machine.ownGroup?.();
  const groups: readonly (readonly [name: string, path: string | undefined, startedAt?: number])[] = [
    ['kubelet', own, startedAt],
    ['pods', config.cgroupRoot],
  ];
  const told = await Promise.all(
    groups.map(async ([name, path, since]) => {
      const usage = path === undefined ? undefined : await machine.groupUsage?.(path);
      return usage === undefined
        ? []
        : [systemContainer(kubelet, { name, time, usage, startedAt: since ?? usage.startedAt })];
    }),
  );
  return told.flat();
}

function systemContainer(
  { rates }: Told,
  of: { readonly name: string; readonly time: string; readonly usage: GroupUsage; readonly startedAt: number },
): object {
  const { name, time, usage } = of;
  const { limitBytes, ...memory } = usage.memory;
  const nanos = usage.cpuUsageNanos;
  const usageNanoCores = nanos === undefined ? undefined : rates.of(`group ${name}`, nanos);
  return {
    name,
    startTime: formatTime(of.startedAt),
    ...(nanos === undefined
      ? {}
      : {
          cpu: { time, ...(usageNanoCores === undefined ? {} : { usageNanoCores }), usageCoreNanoSeconds: nanos },
        }),
    memory: {
      time,
      ...(limitBytes === -1 ? {} : { availableBytes: Math.max(0, limitBytes - memory.workingSetBytes) }),
      ...memory,
    },
  };
}
