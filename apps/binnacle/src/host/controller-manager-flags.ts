import type { PortFlags } from './component-port.ts';

/** The flags of `binnacle controller-manager`. */
export interface ControllerManagerFlags extends PortFlags {
  readonly kubeconfig?: string;
  /** A KubeControllerManagerConfiguration; flags win over it. */
  readonly config?: string;
  readonly leaderElect?: boolean;
  /** Times of the election, milliseconds. */
  readonly leaderElectLeaseDuration?: number;
  readonly leaderElectRenewDeadline?: number;
  readonly leaderElectRetryPeriod?: number;
  readonly leaderElectResourceName?: string;
  readonly leaderElectResourceNamespace?: string;
  /** Times of autoscaling, milliseconds. */
  readonly horizontalPodAutoscalerSyncPeriod?: number;
  readonly horizontalPodAutoscalerDownscaleStabilization?: number;
  readonly horizontalPodAutoscalerTolerance?: number;
  readonly horizontalPodAutoscalerCpuInitializationPeriod?: number;
  readonly horizontalPodAutoscalerInitialReadinessDelay?: number;
  readonly terminatedPodGcThreshold?: number;
  /** How long nodes may be silent, milliseconds. */
  readonly nodeMonitorGracePeriod?: number;
  readonly nodeStartupGracePeriod?: number;
  /** Nodes a second. */
  readonly nodeEvictionRate?: number;
  readonly secondaryNodeEvictionRate?: number;
  readonly unhealthyZoneThreshold?: number;
  readonly largeClusterSizeThreshold?: number;
  readonly rootCaFile?: string;
  readonly controllers?: readonly string[];
  readonly allocateNodeCidrs?: boolean;
  readonly clusterCidr?: readonly string[];
  readonly serviceClusterIpRange?: readonly string[];
  readonly nodeCidrMaskSizeIpv4?: number;
  readonly nodeCidrMaskSizeIpv6?: number;
  readonly clusterSigningCertFile?: string;
  readonly clusterSigningKeyFile?: string;
  /** Milliseconds. */
  readonly clusterSigningDuration?: number;
  readonly serviceAccountPrivateKeyFile?: string;
  /** Milliseconds. */
  readonly legacyServiceAccountTokenCleanUpPeriod?: number;
  readonly disableForceDetachOnTimeout?: boolean;
  /** `--feature-gates`, as given. */
  readonly featureGates?: readonly string[];
  readonly v: number;
}
