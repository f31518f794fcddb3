import type { Pod } from '@binnacle/api/core/v1';
import { allContainers } from '../container/pod-containers.ts';
import type { ContainerStartError } from '../errors.ts';
import type { StartProblem } from './seen.ts';

/**
 * What keeps containers from being made whose volumes are images that could not be pulled, by container: the same as if it
 * were their own image, as upstream tells it. `pulls`: by volume. Pure.
 */
export function pullProblems(
  pod: Pod,
  pulls: ReadonlyMap<string, ContainerStartError>,
): ReadonlyMap<string, StartProblem> {
  const problems = new Map<string, StartProblem>();
  if (pulls.size === 0) return problems;
  for (const { name, volumeMounts = [] } of allContainers(pod)) {
    const mounted = volumeMounts.find((mount) => pulls.has(mount.name));
    const error = mounted && pulls.get(mounted.name);
    if (error !== undefined) problems.set(name, { reason: error.reason, message: error.message });
  }
  return problems;
}
