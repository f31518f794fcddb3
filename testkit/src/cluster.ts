import type { Client } from '@binnacle/client';

/** A running cluster as a test sees it: over the API only. */
export interface TestCluster {
  /** As cluster-admin. */
  readonly client: Client;
  /** For real clients; absent where the cluster has no address (in-process wire). */
  readonly kubeconfig?: string;
  /** Ends the cluster and removes everything that it made. */
  stop(): Promise<void>;
}

/** How a cluster is to be. */
export interface ClusterWish {
  readonly runtime: 'simulated' | 'containerd' | 'docker';
  /** Simulated nodes; default 1. */
  readonly nodes?: number;
  readonly store?: 'memory' | 'sqlite';
  /** Pods and nodes that run containers have addresses of IPv4 and IPv6. */
  readonly hasBothFamilies?: boolean;
  /** Called with the data directory of a cluster of one process before it first starts: for disks of its own, say. */
  readonly prepare?: (dataDir: string) => void;
}

/** One way to bring up a cluster. Every test body runs on every harness. */
export interface Harness {
  readonly name: string;
  start(wish: ClusterWish): Promise<TestCluster>;
}
