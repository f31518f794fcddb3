import { formatGoDuration } from '@binnacle/base';
import type { KubeletConfig, ReservedAmounts } from '../config.ts';

/** A kubelet's configuration as `/configz` shows it: by the names of KubeletConfiguration v1beta1. Pure. */
export function shownConfig(config: KubeletConfig): object {
  return {
    allowedUnsafeSysctls: config.allowedUnsafeSysctls,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: config.cgroupRoot.replace(/\/kubepods$/, '') || '/',
    cgroupsPerQOS: true,
    clusterDNS: config.clusterDNS,
    clusterDomain: config.clusterDomain,
    containerLogMaxFiles: config.logMaxFiles,
    containerLogMaxSize: String(config.logMaxBytes),
    containerLogMonitorInterval: formatGoDuration(config.logCheckPeriodMs),
    cpuManagerPolicy: config.cpuManagerPolicy,
    crashLoopBackOff: { maxContainerRestartPeriod: formatGoDuration(config.restartBackoffMaxMs) },
    enableControllerAttachDetach: true,
    enableDebugFlagsHandler: config.hasDebugFlags,
    enableDebuggingHandlers: config.hasDebugging,
    enableProfilingHandler: false,
    enableServer: true,
    enableSystemLogHandler: false,
    enforceNodeAllocatable: [config.holdsPods ? 'pods' : 'none'],
    evictionHard: config.evictionHard,
    evictionMaxPodGracePeriod: config.evictionMaxPodGraceSeconds,
    evictionMinimumReclaim: config.evictionMinimumReclaim,
    evictionPressureTransitionPeriod: formatGoDuration(config.evictionPressureTransitionMs),
    evictionSoft: config.evictionSoft,
    evictionSoftGracePeriod: Object.fromEntries(
      Object.entries(config.evictionSoftGraceMs).map(([signal, ms]) => [signal, formatGoDuration(ms)]),
    ),
    failSwapOn: false,
    ...imageFields(config),
    kubeReserved: reserved(config.kubeReserved),
    maxPods: config.maxPods,
    memoryManagerPolicy: config.memoryManagerPolicy,
    nodeLeaseDurationSeconds: config.leaseDurationSeconds,
    nodeStatusMaxImages: config.nodeStatusMaxImages,
    nodeStatusReportFrequency: formatGoDuration(config.nodeStatusPeriodMs),
    nodeStatusUpdateFrequency: formatGoDuration(config.nodeStatusUpdateMs),
    podLogsDir: config.podLogsDirectory,
    podPidsLimit: config.podPidsLimit,
    podsPerCore: config.podsPerCore,
    port: config.port,
    ...(config.providerID === '' ? {} : { providerID: config.providerID }),
    registerNode: config.registerNode,
    registerWithTaints: config.nodeTaints,
    reservedMemory: [...config.reservedMemory].map(([numaNode, limits]) => ({
      numaNode,
      limits: Object.fromEntries([...limits].map(([name, bytes]) => [name, String(bytes)])),
    })),
    resolvConf: config.resolvConf,
    seccompDefault: config.seccompDefault,
    ...(config.parallelPullsMax > 1 ? { maxParallelImagePulls: config.parallelPullsMax } : {}),
    serializeImagePulls: config.parallelPullsMax === 1,
    shutdownGracePeriod: formatGoDuration(config.shutdownGraceMs),
    shutdownGracePeriodByPodPriority: config.shutdownGraceByPriority.map(({ priority, seconds }) => ({
      priority,
      shutdownGracePeriodSeconds: seconds,
    })),
    shutdownGracePeriodCriticalPods: formatGoDuration(config.shutdownGraceCriticalMs),
    systemReserved: reserved(config.systemReserved),
    topologyManagerPolicy: config.topologyManagerPolicy,
    topologyManagerPolicyOptions: {
      'prefer-closest-numa-nodes': String(config.topologyPrefersClosest),
      'max-allowable-numa-nodes': String(config.topologyNodesMax),
    },
    topologyManagerScope: config.topologyManagerScope,
    userNamespaces: { idsPerPod: config.idsPerPod },
  };
}

function imageFields(config: KubeletConfig): object {
  return {
    imageGCHighThresholdPercent: config.imageGCHighPercent,
    imageGCLowThresholdPercent: config.imageGCLowPercent,
    imageMaximumGCAge: formatGoDuration(config.imageMaximumAgeMs),
    imageMinimumGCAge: formatGoDuration(config.imageMinimumAgeMs),
    imagePullCredentialsVerificationPolicy: config.imageVerification,
    ...(config.imageAllowlist.length === 0 ? {} : { preloadedImagesVerificationAllowlist: config.imageAllowlist }),
  };
}

function reserved({ milliCpu, memoryBytes, ephemeralStorageBytes }: ReservedAmounts): object {
  return {
    ...(milliCpu === 0 ? {} : { cpu: `${milliCpu}m` }),
    ...(memoryBytes === 0 ? {} : { memory: String(memoryBytes) }),
    ...(ephemeralStorageBytes === 0 ? {} : { 'ephemeral-storage': String(ephemeralStorageBytes) }),
  };
}
