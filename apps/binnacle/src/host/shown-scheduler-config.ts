import { formatGoDuration } from '@binnacle/base';
import { BACKOFF_MS } from '@binnacle/scheduler';
import type { LeaderElection, Profile } from '@binnacle/scheduler';

/** What a scheduler was told to do. */
export interface SchedulerSettings {
  readonly profiles: readonly Profile[];
  /** Absent: it stands for no election. */
  readonly leaderElection?: LeaderElection | undefined;
  readonly kubeconfig?: string | undefined;
  readonly podInitialBackoffMs?: number | undefined;
  readonly podMaxBackoffMs?: number | undefined;
}

/** What `/configz` shows: the fields that mean something here, as they hold, by the names that upstream's has inside. */
export function shownSchedulerConfig(settings: SchedulerSettings): object {
  const { profiles, leaderElection, kubeconfig = '' } = settings;
  const { podInitialBackoffMs: first = BACKOFF_MS.initial, podMaxBackoffMs: most = BACKOFF_MS.max } = settings;
  return {
    LeaderElection: shownElection(leaderElection),
    ClientConnection: { Kubeconfig: kubeconfig },
    PodInitialBackoffSeconds: first / 1000,
    PodMaxBackoffSeconds: most / 1000,
    Profiles: profiles.map(shownProfile),
  };
}

function shownElection(election: LeaderElection | undefined): object {
  if (election === undefined) return { LeaderElect: false };
  const { leaseMs, renewDeadlineMs, retryMs, name, namespace } = election;
  return {
    LeaderElect: true,
    LeaseDuration: formatGoDuration(leaseMs),
    RenewDeadline: formatGoDuration(renewDeadlineMs),
    RetryPeriod: formatGoDuration(retryMs),
    ResourceLock: 'leases',
    ResourceName: name,
    ResourceNamespace: namespace,
  };
}

/** Points that have plugins of their own stand beside those that all points have. */
function shownProfile({ schedulerName, plugins, points = {} }: Profile): object {
  const enabled = (names: readonly { readonly Name: string; readonly Weight: number }[]): object => ({
    Enabled: names,
  });
  const own = Object.entries(points).map(([point, names]) => {
    const list = names.map((Name) => ({ Name, Weight: 0 }));
    return [`${point[0]?.toUpperCase()}${point.slice(1)}`, enabled(list)] as const;
  });
  const all = plugins.map(({ factory, weight }) => ({ Name: factory.name, Weight: weight ?? 0 }));
  return {
    SchedulerName: schedulerName,
    Plugins: { ...Object.fromEntries(own), MultiPoint: enabled(all) },
    PluginConfig: plugins.flatMap(({ factory, args }) =>
      args === undefined ? [] : [{ Name: factory.name, Args: args }],
    ),
  };
}
