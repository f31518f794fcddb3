import type { CsiVolume } from './csi-context.ts';

/** A volume that lasts, of driver `d`, named `pv`. */
export function volumeOf(of: Partial<CsiVolume> = {}): CsiVolume {
  return {
    driver: 'd',
    handle: 'h',
    name: 'pv',
    lifecycle: 'Persistent',
    isBlock: false,
    readOnly: false,
    fsType: '',
    mountOptions: [],
    accessModes: ['ReadWriteOnce'],
    attributes: {},
    secrets: {},
    ...of,
  };
}
