import { checkSpecs, volume } from '../../../testing/pod-spec-table.ts';

checkSpecs('volumes', [
  [
    'two volumes of a name',
    'ValidateVolumes',
    { volumes: [{ name: 'v' }, { name: 'v' }] },
    'spec.volumes[1].name: Duplicate value: "v"',
  ],
  [
    'two sources',
    'validateVolumeSource',
    volume({ emptyDir: {}, hostPath: { path: '/a' } }),
    'spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type',
  ],
  [
    'host path type',
    'validateHostPathType',
    volume({ hostPath: { path: '/a', type: 'Foo' } }),
    'spec.volumes[0].hostPath.type: Unsupported value: "Foo": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
  ],
  [
    'no name of a secret',
    'validateSecretVolumeSource',
    volume({ secret: {} }),
    'spec.volumes[0].secret.secretName: Required value',
  ],
  [
    'file mode',
    'validateConfigMapVolumeSource',
    volume({ configMap: { name: 'a', defaultMode: 1000 } }),
    'spec.volumes[0].configMap.defaultMode: Invalid value: 1000: must be a number between 0 and 0777 (octal), both inclusive',
  ],
  [
    'no path on the host',
    'validateHostPathVolumeSource',
    volume({ hostPath: { path: '' } }),
    'spec.volumes[0].hostPath.path: Required value',
  ],
  [
    'no claim',
    'validatePersistentClaimVolumeSource',
    volume({ persistentVolumeClaim: {} }),
    'spec.volumes[0].persistentVolumeClaim.claimName: Required value',
  ],
  [
    'an absolute path in a volume',
    'ValidateLocalNonReservedPath',
    volume({ configMap: { name: 'a', items: [{ key: 'k', path: '/p' }] } }),
    'spec.volumes[0].configMap.items[0].path: Invalid value: "/p": must be a relative path',
  ],
  [
    'a reserved path in a volume',
    'ValidateLocalNonReservedPath',
    volume({ secret: { secretName: 'a', items: [{ key: 'k', path: '..data' }] } }),
    'spec.volumes[0].secret.items[0].path: Invalid value: "..data": must not start with \'..\'',
  ],
  [
    'nothing to show',
    'validateDownwardAPIVolumeFile',
    volume({ downwardAPI: { items: [{ path: 'p' }] } }),
    'spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
  ],
  [
    'a claim template that asks for nothing',
    'validateEphemeralVolumeSource',
    volume({ ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'] } } } }),
    'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
  ],
  [
    'a negative size',
    'validateVolumeSource',
    volume({ emptyDir: { sizeLimit: '-1' } }),
    'spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity',
  ],
]);
