import type { KubeletConfig } from '@binnacle/kubelet';
import { UsageError } from '../errors.ts';

/** What fields must not say together. Throws UsageError. */
export function checkTogether(path: string, config: Partial<KubeletConfig>): Partial<KubeletConfig> {
  const { shutdownGraceMs: all = 0, shutdownGraceCriticalMs: critical = 0, shutdownGraceByPriority = [] } = config;
  if (critical > all) throw new UsageError(`${path}: shutdownGracePeriodCriticalPods must be <= shutdownGracePeriod`);
  if (all > 0 && shutdownGraceByPriority.length > 0)
    throw new UsageError(
      `${path}: cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time`,
    );
  if ((config.imageAllowlist ?? []).length > 0 && config.imageVerification !== 'NeverVerifyAllowlistedImages')
    throw new UsageError(
      `${path}: preloadedImagesVerificationAllowlist is for imagePullCredentialsVerificationPolicy NeverVerifyAllowlistedImages`,
    );
  const { reservedCpus, kubeReserved, systemReserved } = config;
  const reservedMilli = (kubeReserved?.milliCpu ?? 0) + (systemReserved?.milliCpu ?? 0);
  if (config.cpuManagerPolicy === 'static' && reservedCpus === undefined && reservedMilli === 0)
    throw new UsageError(
      `${path}: cpuManagerPolicy static needs CPUs that are reserved: reservedSystemCPUs, or cpu in kubeReserved or systemReserved`,
    );
  const isPromised = config.memoryManagerPolicy === 'Static';
  const isReserved = (config.reservedMemory?.size ?? 0) > 0;
  if (isPromised && !isReserved)
    throw new UsageError(`${path}: memoryManagerPolicy Static: you should specify the system reserved memory`);
  if (isReserved && !isPromised)
    throw new UsageError(`${path}: reservedMemory does nothing without memoryManagerPolicy Static`);
  return reservedCpus === undefined ? config : { ...config, ...reservedByName(config, reservedCpus.length) };
}

/** CPUs reserved by name go before those reserved by amount. */
function reservedByName(
  { kubeReserved, systemReserved }: Partial<KubeletConfig>,
  count: number,
): Partial<KubeletConfig> {
  const none = { milliCpu: 0, memoryBytes: 0, ephemeralStorageBytes: 0 };
  return {
    kubeReserved: { ...none, ...kubeReserved, milliCpu: 0 },
    systemReserved: { ...none, ...systemReserved, milliCpu: count * 1000 },
  };
}
