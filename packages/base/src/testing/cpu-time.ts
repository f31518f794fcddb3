import { threadCpuUsage } from 'node:process';

/**
 * Milliseconds of CPU that this thread spends on the work, whatever else the machine does meanwhile. For tests that rule a cost out
 * (a product where there should be a sum): their bounds are far above what the work takes.
 */
export function cpuMs(work: () => unknown): number {
  const before = threadCpuUsage();
  work();
  const { user, system } = threadCpuUsage(before);
  return (user + system) / 1000;
}
