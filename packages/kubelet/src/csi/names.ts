/** Names and places of upstream's contract between kubelet, controllers and CSI drivers. Pure. */
import { digest } from '../digest.ts';

const CSI_PLUGIN = 'kubernetes.io/csi';

/** The handle of a volume that is made for one pod. */
export function ephemeralHandle(podUid: string, volume: string): string {
  return `csi-${digest(`${podUid}${volume}`)}`;
}

/** Where everything of drivers is, below the kubelet's folder. */
export function pluginFolder(root: string): string {
  return `${root}/plugins/${CSI_PLUGIN}`;
}

/** A pod's own folder of its CSI volumes. */
export function podFolder(root: string, podUid: string): string {
  return `${root}/pods/${podUid}/volumes/kubernetes.io~csi`;
}

/** What a driver may be called: names of at most 63 letters, as in a domain. */
export function isDriverName(name: string): boolean {
  return name.length <= 63 && /^[a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?$/.test(name);
}

/** Whether one of a driver's versions is ours: 1.x, or 0.3 and later of its trial time. */
export function supportsVersion(versions: readonly string[]): boolean {
  return versions.some((version) => {
    const [, major = '', minor = '0'] = /^v?(\d+)(?:\.(\d+))?(?:[.-].*)?$/.exec(version) ?? [];
    return Number(major) === 1 || (major === '0' && Number(minor) >= 3);
  });
}
