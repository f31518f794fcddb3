import { ephemeralHandle } from '../../csi/names.ts';
import { VolumeError } from '../../errors.ts';
import type { VolumeDriver } from '../driver.ts';

/** A volume that a CSI driver makes for this pod alone. */
export const csiDriver: VolumeDriver = {
  source: 'csi',
  plugin: 'csi',
  async setUp({ pod, volume, csi, holder, memory }) {
    const source = volume.csi;
    if (source === undefined || csi === undefined) throw new VolumeError(volume.name, 'this node has no CSI drivers');
    const readOnly = source.readOnly === true;
    const secret = source.nodePublishSecretRef?.name;
    const { path, refreshAt } = await csi.setUp(
      {
        driver: source.driver,
        handle: ephemeralHandle(pod.metadata.uid ?? '', volume.name),
        name: volume.name,
        lifecycle: 'Ephemeral',
        isBlock: false,
        readOnly,
        fsType: source.fsType ?? '',
        mountOptions: [],
        accessModes: ['ReadWriteOnce'],
        attributes: source.volumeAttributes ?? {},
        secrets: secret === undefined ? {} : { publish: { namespace: pod.metadata.namespace ?? '', name: secret } },
      },
      { pod, holder, memory },
    );
    return { hostPath: path, readOnly, driverVolume: volume.name, ...(refreshAt === undefined ? {} : { refreshAt }) };
  },
};
