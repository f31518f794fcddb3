import { checkSpecs, volume } from '../../../testing/pod-spec-table.ts';

checkSpecs('volumes of vendors', [
  [
    'nfs',
    'validateNFSVolumeSource',
    volume({ nfs: { server: '', path: 'a' } }),
    'spec.volumes[0].nfs.server: Required value',
    'spec.volumes[0].nfs.path: Invalid value: "a": must be an absolute path',
  ],
  [
    'iscsi',
    'validateISCSIVolumeSource',
    volume({ iscsi: { targetPortal: '1.1.1.1', iqn: 'foo', lun: 300 } }),
    'spec.volumes[0].iscsi.iqn: Invalid value: "foo": must be valid format starting with iqn, eui, or naa',
    'spec.volumes[0].iscsi.lun: Invalid value: 300: must be between 0 and 255, inclusive',
  ],
  [
    'fibre channel',
    'validateFCVolumeSource',
    volume({ fc: {} }),
    'spec.volumes[0].fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both',
  ],
  [
    'flocker',
    'validateFlockerVolumeSource',
    volume({ flocker: { datasetName: 'a/b' } }),
    'spec.volumes[0].flocker.datasetName: Invalid value: "a/b": must not contain \'/\'',
  ],
  [
    'flex options',
    'validateFlexVolumeSource',
    volume({ flexVolume: { driver: 'd', options: { 'a.kubernetes.io/x': 'y' } } }),
    'spec.volumes[0].flexVolume.options[a.kubernetes.io/x]: Invalid value: "a.kubernetes.io/x": kubernetes.io and k8s.io namespaces are reserved',
  ],
  [
    'azure disk',
    'validateAzureDisk',
    volume({ azureDisk: { diskName: 'd', diskURI: 'x', cachingMode: 'Foo' } }),
    'spec.volumes[0].azureDisk.cachingMode: Unsupported value: "Foo": supported values: "None", "ReadOnly", "ReadWrite"',
    'spec.volumes[0].azureDisk.diskURI: Unsupported value: "x": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
  ],
  [
    'csi',
    'validateCSIVolumeSource',
    volume({ csi: { driver: 'd.e', nodePublishSecretRef: { name: '' } } }),
    'spec.volumes[0].csi.nodePublishSecretRef.name: Required value',
  ],
  ['right ones', 'validateVolumeSource', volume({ glusterfs: { endpoints: 'e', path: 'p' } })],
]);
