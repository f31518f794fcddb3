import type { Container, VolumeDevice, VolumeMount } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { validateDescendingPath } from './paths.ts';
import type { AnyContainer, PodScope } from './scope.ts';

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible'];

export function validateMounts(container: AnyContainer, path: FieldPath, scope: PodScope): void {
  if (!container.volumeMounts) return;
  const seen = new Set<string>();
  for (const [at, mount] of container.volumeMounts.entries()) {
    validateMount({ mount, container, seen }, path.index(at), scope);
    seen.add(mount.mountPath);
    // Upstream reports what follows on the list, not on its item.
    validateMountOptions(mount, container, { path, report: scope.report });
  }
}

interface MountInContainer {
  readonly mount: VolumeMount;
  readonly container: AnyContainer;
  /** Paths that earlier mounts have taken. */
  readonly seen: ReadonlySet<string>;
}

function validateMount(given: MountInContainer, path: FieldPath, scope: PodScope): void {
  const { mount, container, seen } = given;
  const { report, volumes } = scope;
  const volume = volumes.get(mount.name);
  if (!mount.name) report.required(path.child('name'));
  if (!volume) report.notFound(path.child('name'), mount.name);
  if (!mount.mountPath) report.required(path.child('mountPath'));
  if (seen.has(mount.mountPath)) report.invalid(path.child('mountPath'), mount.mountPath, 'must be unique');
  const devices = container.volumeDevices ?? [];
  if (devices.some((device) => device.name === mount.name)) {
    report.invalid(path.child('name'), mount.name, 'must not already exist in volumeDevices');
  }
  if (devices.some((device) => device.devicePath === mount.mountPath)) {
    report.invalid(path.child('mountPath'), mount.mountPath, 'must not already exist as a path in volumeDevices');
  }
  if (mount.subPathExpr && mount.subPath) {
    report.invalid(path.child('subPathExpr'), mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive');
  }
}

interface MountPlace {
  readonly path: FieldPath;
  readonly report: Report;
}

function validateMountOptions(mount: VolumeMount, container: AnyContainer, place: MountPlace): void {
  const { path, report } = place;
  if (mount.subPath) validateDescendingPath(mount.subPath, path.child('subPath'), report);
  if (mount.subPathExpr) validateDescendingPath(mount.subPathExpr, path.child('subPathExpr'), report);
  if (mount.mountPropagation) validatePropagation(mount.mountPropagation, container, place);
  if (mount.recursiveReadOnly) validateRecursiveReadOnly(mount, path.child('recursiveReadOnly'), report);
}

function validatePropagation(propagation: string, container: AnyContainer, place: MountPlace): void {
  const path = place.path.child('mountPropagation');
  if (!PROPAGATIONS.includes(propagation)) place.report.unsupported(path, propagation, PROPAGATIONS);
  if (propagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
    place.report.forbidden(path, 'Bidirectional mount propagation is available only to privileged containers');
  }
}

function validateRecursiveReadOnly(mount: VolumeMount, path: FieldPath, report: Report): void {
  const mode = mount.recursiveReadOnly ?? '';
  if (!RECURSIVE_READ_ONLY.includes(mode)) return report.unsupported(path, mode, RECURSIVE_READ_ONLY);
  if (mode === 'Disabled') return undefined;
  if (!mount.readOnly) report.forbidden(path, 'may only be specified when readOnly is true');
  if (mount.mountPropagation && mount.mountPropagation !== 'None') {
    report.forbidden(path, 'may only be specified when mountPropagation is None or not specified');
  }
  return undefined;
}

/** Block devices: volumes that a container gets as a device instead of a directory. */
export function validateDevices(container: AnyContainer, path: FieldPath, scope: PodScope): void {
  if (!container.volumeDevices) return;
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [at, device] of container.volumeDevices.entries()) {
    validateDevice({ device, container, names, paths }, path.index(at), scope);
    if (device.name) names.add(device.name);
    if (device.devicePath) paths.add(device.devicePath);
  }
}

interface DeviceInContainer {
  readonly device: VolumeDevice;
  readonly container: Pick<Container, 'volumeMounts'>;
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

function validateDevice(given: DeviceInContainer, path: FieldPath, scope: PodScope): void {
  const { device, names, paths } = given;
  const { report } = scope;
  validateDeviceVolume(device, path, scope);
  if (names.has(device.name)) report.invalid(path.child('name'), device.name, 'must be unique');
  if (!device.devicePath) report.required(path.child('devicePath'));
  if (paths.has(device.devicePath)) report.invalid(path.child('devicePath'), device.devicePath, 'must be unique');
  if (device.devicePath.split('/').includes('..')) {
    report.invalid(path.child('devicePath'), device.devicePath, "can not contain backsteps ('..')");
  }
  const mounts = given.container.volumeMounts ?? [];
  if (mounts.some((mount) => mount.name === device.name)) {
    report.invalid(path.child('name'), device.name, 'must not already exist in volumeMounts');
  }
  if (mounts.some((mount) => mount.mountPath === device.devicePath)) {
    report.invalid(path.child('devicePath'), device.devicePath, 'must not already exist as a path in volumeMounts');
  }
}

function validateDeviceVolume(device: VolumeDevice, path: FieldPath, scope: PodScope): void {
  const { report } = scope;
  const volume = scope.volumes.get(device.name);
  if (!device.name) report.required(path.child('name'));
  if (!volume) report.notFound(path.child('name'), device.name);
  else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
    report.invalid(
      path.child('name'),
      device.name,
      'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
    );
  }
}
