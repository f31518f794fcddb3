import type { VolumeMount } from '@binnacle/api/core/v1';
import { ContainerConfigError } from '../errors.ts';

/** Whether a mount may be read only with all that is mounted below it: then it matters what the runtime can. */
export function wantsRecursiveReadOnly({ recursiveReadOnly = 'Disabled' }: VolumeMount): boolean {
  return recursiveReadOnly !== 'Disabled';
}

/**
 * Whether a mount is read only with all that is mounted below it. Throws ContainerConfigError, in upstream's words, for one
 * that has to be and cannot. Pure.
 */
export function isRecursivelyReadOnly(mount: VolumeMount, isSupported: boolean): boolean {
  if (!wantsRecursiveReadOnly(mount)) return false;
  const { name, readOnly, mountPropagation = 'None', recursiveReadOnly } = mount;
  const refusal = (why: string): ContainerConfigError =>
    new ContainerConfigError(`volume "${name}" requested recursive read-only mode, but it is ${why}`);
  if (readOnly !== true) throw refusal('not read-only');
  if (mountPropagation !== 'None') throw refusal(`not compatible with propagation "${mountPropagation}"`);
  if (recursiveReadOnly === 'Enabled' && !isSupported) throw refusal('not supported by the runtime');
  return isSupported;
}
