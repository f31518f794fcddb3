import type { Pod } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';

/** The container that is meant: the one named, or the only one. Throws 400 in upstream's words. */
export function chooseContainer(pod: Pod, name: string): string {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const podName = pod.metadata.name ?? '';
  if (name !== '') {
    const known = [...containers, ...initContainers, ...ephemeralContainers].some((one) => one.name === name);
    if (!known) throw status.badRequest(`container ${name} is not valid for pod ${podName}`);
    return name;
  }
  const [only] = containers;
  if (only === undefined) throw status.badRequest(`a container name must be specified for pod ${podName}`);
  if (containers.length === 1) return only.name;
  const init = initContainers.length === 0 ? '' : ` or one of the init containers: [${namesOf(initContainers)}]`;
  throw status.badRequest(
    `a container name must be specified for pod ${podName}, choose one of: [${namesOf(containers)}]${init}`,
  );
}

function namesOf(containers: readonly { readonly name: string }[]): string {
  return containers.map((one) => one.name).join(' ');
}
