/** What is said of the volume sources of one vendor or one protocol, in words of our own: at most 25 of them a field. */

const FS_TYPE = 'File system to mount, as ext4 or xfs. Must be one that the node knows; ext4 by default.';
const READ_ONLY = 'Whether the volume is mounted so that nobody writes to it. False by default.';
const DISK = { fsType: FS_TYPE, readOnly: READ_ONLY } as const;
const PARTITION = 'Which partition of the disk is mounted; 0 or absent: the disk as a whole.';

const AZURE_FILE = {
  secretName: 'Secret with the name and key of the storage account.',
  shareName: 'Name of the share.',
  readOnly: READ_ONLY,
} as const;
const CEPH = {
  monitors: 'Addresses of the monitors of the Ceph cluster.',
  user: 'User of Ceph whose rights are used; admin by default.',
  readOnly: READ_ONLY,
} as const;
const CEPH_FS = {
  ...CEPH,
  path: 'Directory within the file system that is mounted; its root by default.',
  secretFile: 'File of the node with the key of the user. Not read where secretRef is given.',
} as const;
const RBD = {
  ...CEPH,
  fsType: FS_TYPE,
  image: 'Name of the image in the pool.',
  pool: 'Pool that the image is in; rbd by default.',
  keyring: 'File of the node with the key of the user; /etc/ceph/keyring by default.',
} as const;
const CEPH_SECRET = 'Secret with the key of the user; goes before a file of the node.';
const CINDER = { ...DISK, volumeID: 'UUID of the volume in OpenStack.' } as const;
const CINDER_SECRET = 'Secret with what it takes to log in to OpenStack.';
const FLEX = {
  ...DISK,
  driver: 'Which driver of the node mounts the volume.',
  options: 'Whatever else that driver wants to be told.',
} as const;
const FLEX_SECRET = 'Secret that is handed to the driver with its calls.';
const GLUSTER = {
  endpoints: 'Name of the Endpoints with the addresses of the servers.',
  path: 'Name of the volume in Gluster.',
  readOnly: READ_ONLY,
} as const;
const ISCSI = {
  ...DISK,
  targetPortal: 'Address of the target, with its port unless that is 3260.',
  portals: 'More addresses of the same target, for several ways to it.',
  iqn: 'Qualified name of the target.',
  lun: 'Number of the unit within the target.',
  iscsiInterface: 'Which interface of the initiator is used: default (over TCP) if none is named.',
  initiatorName: 'Name of the initiator for this volume, instead of that of the node.',
  chapAuthDiscovery: 'Whether looking for targets takes a CHAP password.',
  chapAuthSession: 'Whether the session takes a CHAP password.',
} as const;
const ISCSI_SECRET = 'Secret with user names and passwords for CHAP.';
const SCALE_IO = {
  gateway: 'Address of the gateway of ScaleIO.',
  system: 'Name of the storage system as ScaleIO has it.',
  sslEnabled: 'Whether the gateway is spoken to over TLS. False by default.',
  protectionDomain: 'Name of the protection domain that the storage belongs to.',
  storagePool: 'Pool of the protection domain that the volume is in.',
  storageMode: 'ThickProvisioned reserves all space at once, ThinProvisioned (the default) as it is used.',
  volumeName: 'Name of a volume that ScaleIO has already.',
  fsType: 'File system to mount, as ext4. Must be one that the node knows; xfs by default.',
  readOnly: READ_ONLY,
} as const;
const SCALE_IO_SECRET = 'Secret with user and password for the gateway.';
const STORAGE_OS = {
  ...DISK,
  volumeName: 'Name of the volume, unique in its namespace of StorageOS.',
  volumeNamespace: "Namespace of StorageOS that the volume is in; the pod's own by default.",
} as const;
const STORAGE_OS_SECRET = 'Secret with what it takes to speak to StorageOS.';

/** Of the members of a volume and of a persistent volume that name these sources. */
export const RARE_VOLUMES = {
  awsElasticBlockStore: 'A disk of Amazon EC2. The driver of that name for CSI took its place.',
  azureDisk: 'A data disk of Azure. The driver of that name for CSI took its place.',
  azureFile: 'A share of Azure Files. The driver of that name for CSI took its place.',
  cephfs: 'A directory of CephFS. Support ended; use its CSI driver.',
  cinder: 'A volume of OpenStack. The driver of that name for CSI took its place.',
  fc: 'A unit of storage that the node reaches over Fibre Channel.',
  flexVolume: 'A volume that a program on the node mounts. CSI took its place.',
  flocker: 'A dataset of Flocker. Support ended with Flocker itself.',
  gcePersistentDisk: 'A disk of Google Compute Engine. Its CSI driver took its place.',
  glusterfs: 'A volume of Gluster. Support ended.',
  iscsi: 'A unit of storage that the node reaches over iSCSI.',
  photonPersistentDisk: 'A disk of the Photon platform. Support ended with that platform.',
  portworxVolume: 'A volume of Portworx. Its CSI driver took its place.',
  quobyte: 'A volume of Quobyte. Support ended; use its CSI driver.',
  rbd: 'An image of Ceph as a disk. Support ended; use its CSI driver.',
  scaleIO: 'A volume of ScaleIO. Support ended.',
  storageos: 'A volume of StorageOS. Support ended.',
  vsphereVolume: 'A disk of vSphere. Its CSI driver took its place.',
} as const;

export const VOLUME_TEXTS = {
  'core.v1.AWSElasticBlockStoreVolumeSource': {
    ...DISK,
    volumeID: 'ID of the disk in Amazon EC2, as vol-0123. It has to be in the zone of the node.',
    partition: PARTITION,
  },
  'core.v1.AzureDiskVolumeSource': {
    ...DISK,
    diskName: 'Name of the disk.',
    diskURI: 'Where the disk is: the address of its blob, or its resource ID where it is managed.',
    cachingMode: 'What the host caches: None, ReadOnly or ReadWrite (the default).',
    kind: 'How it is kept: Shared (many blobs in an account, the default), Dedicated (one each) or Managed.',
  },
  'core.v1.AzureFilePersistentVolumeSource': {
    ...AZURE_FILE,
    secretNamespace: 'Namespace of that Secret; that of the claim by default.',
  },
  'core.v1.AzureFileVolumeSource': AZURE_FILE,
  'core.v1.CephFSPersistentVolumeSource': { ...CEPH_FS, secretRef: CEPH_SECRET },
  'core.v1.CephFSVolumeSource': { ...CEPH_FS, secretRef: CEPH_SECRET },
  'core.v1.CinderPersistentVolumeSource': { ...CINDER, secretRef: CINDER_SECRET },
  'core.v1.CinderVolumeSource': { ...CINDER, secretRef: CINDER_SECRET },
  'core.v1.FCVolumeSource': {
    ...DISK,
    targetWWNs: 'Worldwide names of the ports of the target, together with lun.',
    lun: 'Number of the unit behind those ports.',
    wwids: 'Worldwide identifiers of the unit; either these, or targetWWNs and lun.',
  },
  'core.v1.FlexPersistentVolumeSource': { ...FLEX, secretRef: FLEX_SECRET },
  'core.v1.FlexVolumeSource': { ...FLEX, secretRef: FLEX_SECRET },
  'core.v1.FlockerVolumeSource': {
    datasetName: 'Name of the dataset, in its metadata. The UUID is the better way.',
    datasetUUID: 'UUID of the dataset.',
  },
  'core.v1.GCEPersistentDiskVolumeSource': {
    ...DISK,
    pdName: 'Name of the disk in Google Compute Engine. It has to be in the zone of the node.',
    partition: PARTITION,
  },
  'core.v1.GitRepoVolumeSource': {
    repository: 'Address of the repository that would be cloned.',
    revision: 'Commit that would be checked out.',
    directory: 'Directory that it would be cloned into, a dot for the volume itself; never one that leads out.',
  },
  'core.v1.GlusterfsPersistentVolumeSource': {
    ...GLUSTER,
    endpointsNamespace: 'Namespace of those Endpoints; that of the claim by default.',
  },
  'core.v1.GlusterfsVolumeSource': GLUSTER,
  'core.v1.ISCSIPersistentVolumeSource': { ...ISCSI, secretRef: ISCSI_SECRET },
  'core.v1.ISCSIVolumeSource': { ...ISCSI, secretRef: ISCSI_SECRET },
  'core.v1.PhotonPersistentDiskVolumeSource': { fsType: FS_TYPE, pdID: 'ID of the disk.' },
  'core.v1.PortworxVolumeSource': { ...DISK, volumeID: 'ID of the volume in Portworx.' },
  'core.v1.QuobyteVolumeSource': {
    registry: 'Addresses of the registry of Quobyte, with ports and commas between them.',
    volume: 'Name of the volume in Quobyte.',
    readOnly: READ_ONLY,
    user: 'User as whom it is mounted; the owner of the volume by default.',
    group: 'Group as which it is mounted; none by default.',
    tenant: 'Tenant of Quobyte that the volume belongs to.',
  },
  'core.v1.RBDPersistentVolumeSource': { ...RBD, secretRef: CEPH_SECRET },
  'core.v1.RBDVolumeSource': { ...RBD, secretRef: CEPH_SECRET },
  'core.v1.ScaleIOPersistentVolumeSource': { ...SCALE_IO, secretRef: SCALE_IO_SECRET },
  'core.v1.ScaleIOVolumeSource': { ...SCALE_IO, secretRef: SCALE_IO_SECRET },
  'core.v1.StorageOSPersistentVolumeSource': {
    ...STORAGE_OS,
    secretRef: STORAGE_OS_SECRET,
  },
  'core.v1.StorageOSVolumeSource': { ...STORAGE_OS, secretRef: STORAGE_OS_SECRET },
  'core.v1.VsphereVirtualDiskVolumeSource': {
    fsType: FS_TYPE,
    volumePath: 'Where the disk is in vSphere: datastore and path.',
    storagePolicyName: 'Name of the storage policy that the disk follows.',
    storagePolicyID: 'ID of that storage policy.',
  },
} as const;
