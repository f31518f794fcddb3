import { kindRules } from '@binnacle/api';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestStatus,
} from '@binnacle/api/certificates/v1';
import { formatTime } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { deepEqual, FieldError } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { ObjectPart } from '../../../catalogue/definition.ts';
import { asDraft } from '../../../storage/draft.ts';

type Conditions = readonly CertificateSigningRequestCondition[];
type Part = Exclude<ObjectPart, 'status'>;

/** What only approvers say, and what nobody takes back. */
const APPROVALS = ['Approved', 'Denied'];
const FINAL = [...APPROVALS, 'Failed'];
const RULES = kindRules('certificates.k8s.io', 'CertificateSigningRequest');

/** `…/approval`: the conditions; the certificate is the signer's. */
export function createApprovalPart(clock: Clock): Part {
  return {
    of: 'status',
    keep(object, before) {
      asDraft(object).status = { ...statusOf(before), conditions: dated(clock, object, before) };
    },
    validate: (object, before) => [...validated(object, before), ...takenBack(object, before)],
  };
}

/** `…/status`: the certificate, once, and conditions; what an approver said stays. */
export function createSigningPart(clock: Clock): Part {
  return {
    of: 'status',
    keep(object, before) {
      asDraft(object).status = { ...statusOf(object), conditions: keepApprovals(dated(clock, object, before), before) };
    },
    validate: (object, before) => [
      ...validated(object, before),
      ...takenBack(object, before),
      ...approvedAside(object, before),
      ...reissued(object, before),
    ],
  };
}

function statusOf(object: KubeObject): CertificateSigningRequestStatus {
  return (object as CertificateSigningRequest).status ?? {};
}

function conditionsOf(object: KubeObject): Conditions {
  return statusOf(object).conditions ?? [];
}

/** Conditions with their times: of the update, and of when the type came to have that status. */
function dated(clock: Clock, object: KubeObject, before: KubeObject): Conditions | undefined {
  const { conditions } = statusOf(object);
  const now = formatTime(clock.now());
  return conditions?.map((condition) => {
    const same = conditionsOf(before).find(
      ({ type, status, lastTransitionTime }) =>
        type === condition.type && status === condition.status && lastTransitionTime,
    );
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? now,
    };
  });
}

/** As many approvals and denials as before are the ones of before. */
function keepApprovals(conditions: Conditions | undefined, before: KubeObject): Conditions | undefined {
  let kept = conditions;
  for (const type of APPROVALS) {
    const old = conditionsOf(before).filter((one) => one.type === type);
    if (kept?.filter((one) => one.type === type).length !== old.length) continue;
    const left = old.values();
    kept = kept.map((one) => (one.type === type ? (left.next().value ?? one) : one));
  }
  return kept;
}

/** By the rules of the kind, which know neither who approves nor who signs. */
function validated(object: KubeObject, before: KubeObject): FieldError[] {
  return RULES.validateUpdate?.(object, before) ?? RULES.validate?.(object) ?? [];
}

/** One that the rules of the kind find too is told once. */
function takenBack(object: KubeObject, before: KubeObject): FieldError[] {
  if (RULES.validateUpdate !== undefined) return [];
  return FINAL.filter((type) => count(object, type) < count(before, type)).map((type) =>
    forbidden('status.conditions', `updates may not remove a condition of type ${JSON.stringify(type)}`),
  );
}

function approvedAside(object: KubeObject, before: KubeObject): FieldError[] {
  return APPROVALS.flatMap((type) => {
    const [now, old] = [count(object, type), count(before, type)];
    const quoted = JSON.stringify(type);
    if (now > old) return [forbidden('status.conditions', `updates may not add a condition of type ${quoted}`)];
    const isSame = deepEqual(ofType(object, type), ofType(before, type));
    if (now < old || isSame) return [];
    return [forbidden('status.conditions', `updates may not modify a condition of type ${quoted}`)];
  });
}

function reissued(object: KubeObject, before: KubeObject): FieldError[] {
  const { certificate: old = '' } = statusOf(before);
  const { certificate: now = '' } = statusOf(object);
  if (now === old) return [];
  if (old !== '') return [forbidden('status.certificate', 'updates may not modify existing certificate content')];
  const why = wrongChain(now);
  return why === undefined
    ? []
    : [new FieldError('FieldValueInvalid', 'status.certificate', '<certificate data>', why)];
}

/** What is wrong with a chain of certificates in base64 of PEM: blocks of certificates without headers, and at least one. */
function wrongChain(encoded: string): string | undefined {
  const blocks = [...atob(encoded).matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g)];
  for (const [, type = '', body = ''] of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (body.includes(':')) return 'no PEM block headers are permitted';
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function ofType(object: KubeObject, type: string): Conditions {
  return conditionsOf(object).filter((one) => one.type === type);
}

function count(object: KubeObject, type: string): number {
  return ofType(object, type).length;
}

function forbidden(path: string, detail: string): FieldError {
  return new FieldError('FieldValueForbidden', path, '', detail);
}
