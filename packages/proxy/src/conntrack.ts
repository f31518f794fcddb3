/** What the kernel's table of connections is to be like; 0: as the machine has it. Durations in milliseconds. */
export interface ConntrackConfiguration {
  /** Connections for each processor, and in all at least `min`; 0: as many as the machine has room for, whatever `min` says. */
  readonly maxPerCore: number;
  readonly min: number;
  readonly tcpEstablishedTimeout: number;
  readonly tcpCloseWaitTimeout: number;
  /** What is out of its window belongs to its connection all the same. */
  readonly tcpBeLiberal: boolean;
  readonly udpTimeout: number;
  readonly udpStreamTimeout: number;
}

/** Upstream's. */
export const CONNTRACK_DEFAULTS: ConntrackConfiguration = {
  maxPerCore: 32_768,
  min: 131_072,
  tcpEstablishedTimeout: 24 * 3_600_000,
  tcpCloseWaitTimeout: 3_600_000,
  tcpBeLiberal: false,
  udpTimeout: 0,
  udpStreamTimeout: 0,
};

/** One setting of the kernel. */
export interface KernelSetting {
  /** Below the machine's root: `proc/sys/net/netfilter/…`. */
  readonly file: string;
  readonly value: number;
}

const SETTINGS = 'proc/sys/net/netfilter/nf_conntrack_';
const BUCKETS = 'sys/module/nf_conntrack/parameters/hashsize';
/** Connections in one bucket of the kernel's table, when it is full. */
const PER_BUCKET = 4;

/** What of a machine is to be no lower than that; what is higher stays, as upstream's proxy leaves it. */
export function conntrackSettings(wanted: ConntrackConfiguration, processors: number): KernelSetting[] {
  const { maxPerCore, min } = wanted;
  const max = maxPerCore === 0 ? 0 : Math.max(maxPerCore * processors, min);
  const seconds = (ms: number): number => Math.floor(ms / 1000);
  const all: readonly KernelSetting[] = [
    { file: `${SETTINGS}max`, value: max },
    { file: BUCKETS, value: Math.floor(max / PER_BUCKET) },
    { file: `${SETTINGS}tcp_timeout_established`, value: seconds(wanted.tcpEstablishedTimeout) },
    { file: `${SETTINGS}tcp_timeout_close_wait`, value: seconds(wanted.tcpCloseWaitTimeout) },
    { file: `${SETTINGS}tcp_be_liberal`, value: Number(wanted.tcpBeLiberal) },
    { file: `${SETTINGS}udp_timeout`, value: seconds(wanted.udpTimeout) },
    { file: `${SETTINGS}udp_timeout_stream`, value: seconds(wanted.udpStreamTimeout) },
  ];
  return all.filter(({ value }) => value > 0);
}
