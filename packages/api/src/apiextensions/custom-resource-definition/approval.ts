/** Groups of Kubernetes' own community: a definition in them says who approved it. */
import type { CustomResourceDefinition } from '../../generated/apiextensions-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const WHERE = 'see https://github.com/kubernetes/enhancements/pull/1111';
const GROUP = /(^|\.)(k8s|kubernetes)\.io$/;

/** As Go takes the address of a request: no blank in its host, and nothing in it that cannot be printed. */
const URL_WITH_HOST = /^[a-zA-Z][-+.a-zA-Z0-9]*:\/\/[^/?#\s]+(?:[/?]\P{Cc}*)?$/u;

type State = 'missing' | 'bypassed' | 'approved' | 'invalid';

/** A definition that stays as little approved as it was is let be. */
export function validateApproval(
  definition: CustomResourceDefinition,
  before: CustomResourceDefinition | undefined,
  report: Report,
): void {
  if (!GROUP.test(definition.spec.group)) return;
  const state = stateOf(definition);
  if (before !== undefined && stateOf(before) === state) return;
  const path = fieldPath('metadata', 'annotations').key(ANNOTATION);
  const quoted = `protected groups must have approval annotation "${ANNOTATION}"`;
  if (state === 'missing') report.required(path, `${quoted}, ${WHERE}`);
  else if (state === 'invalid') {
    const detail = `${quoted} with either a URL or a reason starting with "unapproved", ${WHERE}`;
    report.invalid(path, approvalOf(definition), detail);
  }
}

/** What a controller says of it in the condition `KubernetesAPIApprovalPolicyConformant`. */
export function stateOf(definition: CustomResourceDefinition): State {
  const approval = approvalOf(definition);
  if (approval === '') return 'missing';
  if (approval.startsWith('unapproved')) return 'bypassed';
  return URL_WITH_HOST.test(approval) ? 'approved' : 'invalid';
}

function approvalOf({ metadata }: CustomResourceDefinition): string {
  return metadata.annotations?.[ANNOTATION] ?? '';
}
