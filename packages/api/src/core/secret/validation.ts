import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { Secret } from '../../generated/core-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { ANNOTATION_SERVICE_ACCOUNT_NAME } from '../../wellknown.ts';
import { base64Bytes, decodeBase64Text } from './base64.ts';

const DATA = fieldPath('data');
/** Of all values together, once decoded. */
export const DATA_BYTES_MAX = 1024 * 1024;
export const FROZEN = 'field is immutable when `immutable` is set';

export function validateSecret(secret: Secret): FieldError[] {
  const report = new Report();
  validateSecretItself(secret, report);
  return report.errors;
}

export function validateSecretUpdate(secret: Secret, before: Secret): FieldError[] {
  const report = new Report();
  report.immutable(fieldPath('type'), secret.type ?? '', (secret.type ?? '') === (before.type ?? ''));
  if (before.immutable) {
    if (!secret.immutable) report.forbidden(fieldPath('immutable'), FROZEN);
    if (!isSemanticallyEqual('core.v1.Secret.data', secret.data, before.data)) report.forbidden(DATA, FROZEN);
  }
  validateSecretItself(secret, report);
  return report.errors;
}

function validateSecretItself(secret: Secret, report: Report): void {
  const data = secret.data ?? {};
  let size = 0;
  for (const key in data) {
    const errors = names.configKeyErrors(key);
    if (errors.length > 0) report.invalidEach(DATA.key(key), key, errors);
    size += base64Bytes(data[key] ?? '');
  }
  if (size > DATA_BYTES_MAX) report.tooLong(DATA, DATA_BYTES_MAX);
  validateType(secret, report);
}

/** Keys that a secret of a type must have. */
function validateType(secret: Secret, report: Report): void {
  const data = secret.data ?? {};
  switch (secret.type) {
    case 'kubernetes.io/service-account-token':
      if (!secret.metadata.annotations?.[ANNOTATION_SERVICE_ACCOUNT_NAME]) {
        report.required(fieldPath('metadata', 'annotations').key(ANNOTATION_SERVICE_ACCOUNT_NAME));
      }
      break;
    case 'kubernetes.io/dockercfg':
      validateJson('.dockercfg', data, report);
      break;
    case 'kubernetes.io/dockerconfigjson':
      validateJson('.dockerconfigjson', data, report);
      break;
    case 'kubernetes.io/basic-auth':
      if (data['username'] !== undefined || data['password'] !== undefined) break;
      report.required(DATA.key('username'));
      report.required(DATA.key('password'));
      break;
    case 'kubernetes.io/ssh-auth':
      if (!data['ssh-privatekey']) report.required(DATA.key('ssh-privatekey'));
      break;
    case 'kubernetes.io/tls':
      if (data['tls.crt'] === undefined) report.required(DATA.key('tls.crt'));
      if (data['tls.key'] === undefined) report.required(DATA.key('tls.key'));
      break;
    default:
  }
}

/** The value must be a JSON object. Its content never shows in a message. */
function validateJson(key: string, data: { readonly [key: string]: string }, report: Report): void {
  const value = data[key];
  if (value === undefined) return report.required(DATA.key(key));
  const problem = jsonProblem(decodeBase64Text(value));
  if (problem !== undefined) report.invalid(DATA.key(key), '<secret contents redacted>', problem);
  return undefined;
}

function jsonProblem(text: string): string | undefined {
  if (text === '') return 'unexpected end of JSON input';
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && !Array.isArray(value);
    return isObject
      ? undefined
      : `json: cannot unmarshal ${goTypeOf(value)} into Go value of type map[string]interface {}`;
  } catch {
    return 'invalid JSON';
  }
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
