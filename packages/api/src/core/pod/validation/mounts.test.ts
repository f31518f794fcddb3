import { checkSpecs, container, volume } from '../../../testing/pod-spec-table.ts';

checkSpecs('mounts and devices', [
  [
    'a mount of no volume',
    'ValidateVolumeMounts',
    container({ volumeMounts: [{ name: 'x', mountPath: '/a' }] }),
    'spec.containers[0].volumeMounts[0].name: Not found: "x"',
  ],
  [
    'the same path twice',
    'ValidateVolumeMounts',
    {
      ...volume({}),
      ...container({
        volumeMounts: [
          { name: 'v', mountPath: '/a' },
          { name: 'v', mountPath: '/a' },
        ],
      }),
    },
    'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique',
  ],
  [
    'a sub-path upwards',
    'ValidateVolumeMounts',
    { ...volume({}), ...container({ volumeMounts: [{ name: 'v', mountPath: '/a', subPath: '../b' }] }) },
    'spec.containers[0].volumeMounts.subPath: Invalid value: "../b": must not contain \'..\'',
  ],
  [
    'two-way propagation without privileges',
    'validateMountPropagation',
    {
      ...volume({}),
      ...container({ volumeMounts: [{ name: 'v', mountPath: '/a', mountPropagation: 'Bidirectional' }] }),
    },
    'spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
  ],
  [
    'recursively read-only but writable',
    'validateMountRecursiveReadOnly',
    { ...volume({}), ...container({ volumeMounts: [{ name: 'v', mountPath: '/a', recursiveReadOnly: 'Enabled' }] }) },
    'spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true',
  ],
  [
    'a directory as a device',
    'ValidateVolumeDevices',
    { ...volume({}), ...container({ volumeDevices: [{ name: 'v', devicePath: '/dev/a' }] }) },
    'spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
  ],
  [
    'a claim as device and directory',
    'ValidateVolumeDevices',
    {
      ...volume({ persistentVolumeClaim: { claimName: 'c' } }),
      ...container({
        volumeMounts: [{ name: 'v', mountPath: '/a' }],
        volumeDevices: [{ name: 'v', devicePath: '/dev/a' }],
      }),
    },
    'spec.containers[0].volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices',
    'spec.containers[0].volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
  ],
]);
