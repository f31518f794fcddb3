import { UsageError } from '../errors.ts';

/** All pods' group where nobody says another, and its name below what they say. */
export const PODS_GROUP = '/kubepods';

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;
const PART_BYTES_MAX = 255;
const PATH_BYTES_MAX = 1024;

/** The group of all pods below a `cgroupRoot` of KubeletConfiguration, such as `/a/kubepods`. Throws UsageError for what is no path of a group. */
export function podsGroup(cgroupRoot: string): string {
  const path = cgroupRoot
    .split('/')
    .filter((part) => part !== '')
    .map((part) => `/${part}`)
    .join('');
  if (!isGroup(`${path}${PODS_GROUP}`)) {
    throw new UsageError(`${JSON.stringify(cgroupRoot.slice(0, PATH_BYTES_MAX))} is no path of a control group`);
  }
  return `${path}${PODS_GROUP}`;
}

/** Whether that is the whole path of a group, and leads nowhere else. */
export function isGroup(path: unknown): path is string {
  if (typeof path !== 'string' || !path.startsWith('/') || Buffer.byteLength(path) > PATH_BYTES_MAX) return false;
  return path.slice(1).split('/').every(isPart);
}

function isPart(part: string): boolean {
  return !['', '.', '..'].includes(part) && !CONTROL.test(part) && Buffer.byteLength(part) <= PART_BYTES_MAX;
}
