import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import { validateSources } from '../../core/persistent-volume/source-validation.ts';
import type { VolumeAttachment, VolumeAttachmentSource, VolumeAttachmentStatus } from '../../generated/storage-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateDriverName } from '../driver-name.ts';

const SPEC = fieldPath('spec');
const STATUS = fieldPath('status');
const METADATA_BYTES_MAX = 256 * 1024;
const ERROR_LENGTH_MAX = 1024;
const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

export function validateVolumeAttachment({ spec, status }: VolumeAttachment): FieldError[] {
  const report = new Report();
  validateDriverName(spec.attacher, SPEC.child('attacher'), report);
  validateSource(spec.source ?? {}, SPEC.child('source'), report);
  report.invalidEach(SPEC.child('nodeName'), spec.nodeName, names.subdomainErrors(spec.nodeName));
  validateStatus(status, report);
  return report.errors;
}

export function validateVolumeAttachmentUpdate(given: VolumeAttachment, before: VolumeAttachment): FieldError[] {
  const report = new Report();
  report.immutable(SPEC, given.spec, isSemanticallyEqual('storage.v1.VolumeAttachmentSpec', given.spec, before.spec));
  validateStatus(given.status, report);
  return report.errors;
}

export function validateVolumeAttachmentStatusUpdate({ status }: VolumeAttachment): FieldError[] {
  const report = new Report();
  validateStatus(status, report);
  return report.errors;
}

function validateSource(source: VolumeAttachmentSource, path: FieldPath, report: Report): void {
  const { inlineVolumeSpec: inline, persistentVolumeName: name } = source;
  if (inline === undefined && name === undefined) report.required(path, ONE_SOURCE);
  else if (inline !== undefined && name !== undefined) report.forbidden(path, ONE_SOURCE);
  else if (inline !== undefined) validateSources(inline, path.child('inlineVolumeSpec'), report);
  else if (name === '') {
    report.required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName');
  } else if (name !== undefined) {
    report.invalidEach(path.child('persistentVolumeName'), name, names.subdomainErrors(name));
  }
}

function validateStatus(status: VolumeAttachmentStatus | undefined, report: Report): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(status?.attachmentMetadata ?? {})) {
    if (key === '') report.invalid(STATUS.child('attachmentMetadata'), key, 'field can not be empty.');
    bytes += names.byteLength(key) + names.byteLength(value);
  }
  if (bytes > METADATA_BYTES_MAX) report.tooLong(STATUS.child('attachmentMetadata'), METADATA_BYTES_MAX);
  for (const field of ['attachError', 'detachError'] as const) {
    const message = status?.[field]?.message ?? '';
    if (message.length > ERROR_LENGTH_MAX) report.tooLong(STATUS.child(field).child('message'), ERROR_LENGTH_MAX);
  }
}
