/** What is said of how drivers bring volumes to nodes, in words of our own: at most 25 of them a field. */

export const STORAGE_TEXTS = {
  'storage.v1.CSINode': {
    '': 'CSINode names the drivers of storage that a node has; its name is that of the node.',
    spec: 'The drivers of the node.',
  },
  'storage.v1.CSINodeSpec': { drivers: 'One entry for each driver that has registered with the kubelet.' },
  'storage.v1.CSINodeDriver': {
    name: 'Name of the driver.',
    nodeID: 'What the driver calls the node.',
    topologyKeys: 'Labels by which the driver says where the node is.',
    allocatable: 'How many volumes of the driver the node takes.',
  },
  'storage.v1.VolumeNodeResources': { count: 'The most volumes that can be attached.' },
  'storage.v1.VolumeAttachment': {
    '': 'VolumeAttachment asks a driver to bring a volume to a node, or to take it away from there.',
    spec: 'Which volume is to be at which node.',
    status: 'Whether it is there.',
  },
  'storage.v1.VolumeAttachmentSpec': {
    attacher: 'Name of the driver that does it.',
    source: 'Which volume.',
    nodeName: 'Which node.',
  },
  'storage.v1.VolumeAttachmentSource': {
    persistentVolumeName: 'Name of the PersistentVolume.',
    inlineVolumeSpec: 'The volume itself, where no PersistentVolume stands for it.',
  },
  'storage.v1.VolumeAttachmentStatus': {
    attached: 'Whether it is attached.',
    attachmentMetadata: 'What the driver wants to be told when it mounts.',
    attachError: 'What went wrong last when attaching.',
    detachError: 'What went wrong last when detaching.',
  },
  'storage.v1.VolumeError': {
    time: 'When.',
    message: 'What went wrong.',
    errorCode: 'The number of gRPC for it.',
  },
  'storage.v1.VolumeAttributesClass': {
    '': 'VolumeAttributesClass is a set of properties, such as speed, that volumes may be given while they are in use.',
    driverName: 'Name of the driver.',
    parameters: 'What the driver is told; it stays as it is.',
  },
  'storage.v1.TokenRequest': {
    audience: 'For whom the token is meant.',
    expirationSeconds: 'How long it is good.',
  },
} as const;
