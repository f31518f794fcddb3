import type { CertificateRequest, ExtendedKeyUsage, KeyUsage } from '@binnacle/certificates';
import type { Features } from '@binnacle/api';
import type { Secret, ServiceAccount } from '@binnacle/api/core/v1';
import type { FigureMeasures, RolloutMeasures, Scope } from '@binnacle/base';
import { createEventRecorder } from '@binnacle/client';
import type { Client, ClientWorld, EventRecorder } from '@binnacle/client';
import type { Controller } from '@binnacle/reconcile';
import type { Informers } from './informers.ts';

/** What every controller is handed. */
export interface ControllerKit {
  /** Speaks as this controller. */
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  readonly informers: Informers;
  /** Who keeps the controllers' figures. */
  readonly figures: FigureMeasures;
}

/** A recorder that reports under a controller's name. */
export function recorderFor(kit: ControllerKit, component: string): EventRecorder {
  return createEventRecorder({ client: kit.client, world: kit.world, scope: kit.scope, component });
}

/** The controllers of a group: by upstream's name, the ServiceAccount each runs as and how it starts. */
export interface ControllerTable {
  readonly [name: string]: {
    readonly account: string;
    readonly start: (kit: ControllerKit, options: StartOptions) => Controller | readonly Controller[];
  };
}

/** What some controllers are told beside their kit. */
export interface StartOptions {
  /** PEM of the authority that signed the API server's certificate. */
  readonly rootCA: string;
  /** Where addresses of load balancers come from. Absent: from somebody else. */
  readonly loadBalancers?: LoadBalancerOptions;
  /** Signs a request that was judged, as PEM; absent: there is no authority here, and nothing is signed. */
  readonly signRequest?: (
    request: CertificateRequest,
    grant: {
      readonly notBefore: number;
      readonly notAfter: number;
      readonly usages: readonly KeyUsage[];
      readonly extendedUsages: readonly ExtendedKeyUsage[];
    },
  ) => string | Promise<string>;
  /** `--cluster-signing-duration`, milliseconds. Default a year. */
  readonly signingDurationMs?: number;
  /** From which networks nodes get those of their pods. Absent: from nobody. */
  readonly nodeCidrs?: NodeCidrOptions;
  readonly attachDetach?: AttachDetachOptions;
  /** Signs a token of an account that is kept in a secret; absent: nobody does. */
  readonly signToken?: (about: {
    readonly account: ServiceAccount;
    readonly secret: Secret;
  }) => string | Promise<string>;
  /** Feature gates that people switch. Absent: as upstream has them by default. */
  readonly features?: Features;
  /** Keeps score of how stateful sets are replaced, with the gate MaxUnavailableStatefulSet. Absent: nobody does. */
  readonly rollouts?: RolloutMeasures;
  /** Who keeps the controllers' figures. Absent: nobody does. */
  readonly figures?: FigureMeasures;
  readonly autoscaler?: AutoscalerOptions;
  readonly nodeLifecycle?: NodeLifecycleOptions;
  /** `--terminated-pod-gc-threshold`; 0: pods that have ended stay. Default 12,500. */
  readonly terminatedPodThreshold?: number;
  /** `--legacy-service-account-token-clean-up-period`, milliseconds. Default a year. */
  readonly legacyTokenUnusedMs?: number;
}

/** How long nodes may be silent, and how fast lost ones are given up: upstream's flags and defaults. */
export interface NodeLifecycleOptions {
  /** `--node-monitor-grace-period` and `--node-startup-grace-period`, ms. Defaults 50 s and 60 s. */
  readonly patience?: { readonly monitorGraceMs?: number; readonly startupGraceMs?: number };
  /**
   * `--node-eviction-rate`, `--secondary-node-eviction-rate` (nodes a second), `--unhealthy-zone-threshold` and
   * `--large-cluster-size-threshold`. Defaults 0.1, 0.01, 0.55 and 50.
   */
  readonly rates?: {
    readonly normal?: number;
    readonly disrupted?: number;
    readonly unhealthyShare?: number;
    readonly largeZone?: number;
  };
}

/** Upstream's flags `--horizontal-pod-autoscaler-…`; times in ms. */
export interface AutoscalerOptions {
  /** Default 15 s. */
  readonly periodMs?: number;
  /** Default five minutes. */
  readonly downscaleStabilizationMs?: number;
  /** How far from its target a metric may be. Default 0.1. */
  readonly tolerance?: number;
  /** What is not believed of young pods. Defaults five minutes and 30 s. */
  readonly youth?: { readonly cpuInitializationMs?: number; readonly initialReadinessMs?: number };
}

/** How volumes are taken from nodes that do not answer. */
export interface AttachDetachOptions {
  /** False (`--disable-force-detach-on-timeout`): never, unless the node has the out-of-service taint. Default true. */
  readonly forceDetach?: boolean;
}

/** The networks of nodes' pods. */
export interface NodeCidrOptions {
  /** `--cluster-cidr`: one of a family. */
  readonly clusterCidrs: readonly string[];
  /** `--node-cidr-mask-size-ipv4` and `-ipv6`. Default 24 and 64. */
  readonly maskSizes?: { readonly ipv4?: number; readonly ipv6?: number };
  /** `--service-cluster-ip-range`: what lies in them is given to no node. */
  readonly serviceCidrs?: readonly string[];
  /** Networks that nodes have by somebody else's word: given to them and to nobody else, whether they are there yet or not. */
  readonly settled?: { readonly [nodeName: string]: readonly string[] };
}

/** Where load balancers' addresses come from. */
export interface LoadBalancerOptions {
  /** CIDRs. Absent: the nodes' own addresses. */
  readonly pool?: readonly string[];
  /** `tcp/6443`: what the nodes themselves listen on now. */
  readonly usedPorts: () => Promise<ReadonlySet<string>>;
  /** The machine's own node, where others of it (with addresses in these CIDRs) reach the world through it. */
  readonly gateway?: { readonly nodeName: string; readonly guestRanges: readonly string[] };
}
